"""The docker command: finds out which command is meant, reads its words, and lets its action run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tck_fakes.daemon.daemon import Daemon
from tck_fakes.daemon.errors import EXEC, REFUSED, UNKNOWN, UnknownError
from tck_fakes.programs import lifecycle, listing, surroundings
from tck_fakes.programs.call import Channel, Over, Process, ProgramCall
from tck_fakes.programs.flags import FlagError, Words, read
from tck_fakes.programs.job import Job, RefusalError
from tck_fakes.programs.options import ALIASES, COMMANDS, GLOBAL, Command

_ACTIONS: dict[str, Callable[[Job], Process]] = {
    "run": lifecycle.run,
    "create": lifecycle.create,
    "start": lifecycle.start,
    "stop": lifecycle.stop,
    "kill": lifecycle.kill,
    "rm": lifecycle.remove,
    "wait": lifecycle.wait,
    "logs": lifecycle.logs,
    "attach": lifecycle.attach,
    "container prune": lifecycle.prune,
    "ps": listing.ps,
    "inspect": listing.inspect,
    "container inspect": listing.inspect,
    "images": surroundings.images,
    "image inspect": surroundings.image_inspect,
    "pull": surroundings.pull,
    "network create": surroundings.network_create,
    "network inspect": surroundings.network_inspect,
    "network ls": surroundings.network_ls,
    "network rm": surroundings.network_rm,
    "version": surroundings.version,
    "info": surroundings.info,
}
_GROUPS = frozenset(name.split()[0] for name in (*ALIASES, *COMMANDS) if " " in name)
_VERSION = "Docker version 28.2.2, build e6534b4\n"


class Docker:
    """The docker command over the kit's container runtime."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon

    def wants_stdin(self, call: ProgramCall) -> bool:
        """Tell whether the command reads its standard input before it begins."""
        try:
            command, words = _command(call.argv)
            if command not in ("run", "create", "start") or call.terminal:
                return False
            known = COMMANDS[command]
            return read(words, known.known, mixed=known.mixed).on("interactive")
        except (FlagError, RefusalError, UnknownError):
            return False

    def begin(self, call: ProgramCall, channel: Channel) -> Process:
        """Carry a command out."""
        try:
            name, words = _command(call.argv)
            if not name:
                channel.out(_VERSION)
                channel.exit(0)
                return Over()
            return self._carry_out(name, words, call, channel)
        except RefusalError as error:
            channel.err(f"{error}\n")
            channel.exit(error.code)
        except UnknownError as error:
            self._daemon.unknown.append(str(error))
            channel.err(f"{UNKNOWN} {error}\n")
            channel.exit(REFUSED)
        return Over()

    def _carry_out(self, name: str, words: Sequence[str], call: ProgramCall, channel: Channel) -> Process:
        command = COMMANDS[name]
        try:
            given = read(words, command.known, mixed=command.mixed)
        except FlagError as error:
            if str(error).startswith("unknown"):
                self._daemon.unknown.append(f"{error} (docker {name})")
                channel.err(f"{UNKNOWN} an option of docker {name}:\n")
            raise RefusalError(f"{error}\n\n{_usage(name, command, 'Run')}", REFUSED) from None
        if given.on("help"):
            channel.out(f"{_usage(name, command, 'Run')}\n")
            channel.exit(0)
            return Over()
        _count(name, command, given)
        return _ACTIONS[name](Job(name, given, call, channel, self._daemon))


def _command(argv: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Give the command that is meant and the words after it; no command for a question about the version."""
    try:
        before = read(argv, GLOBAL, mixed=False)
    except FlagError as error:
        raise RefusalError(f"{error}\n\nRun 'docker --help' for more information", REFUSED) from None
    if before.on("version"):
        return "", ()
    if not before.positionals or before.on("help"):
        raise UnknownError("how to print docker's whole usage; `docker COMMAND --help` shows a command's")
    name, *words = before.positionals
    if name in _GROUPS and words:
        name, *words = (f"{name} {words[0]}", *words[1:])
    name = ALIASES.get(name, name)
    if name in ("exec", "container exec"):
        raise UnknownError(EXEC)
    if name not in COMMANDS:
        raise UnknownError(f"the command docker {name}")
    return name, words


def _usage(name: str, command: Command, word: str) -> str:
    return f"Usage:  docker {name} {command.usage}\n\n{word} 'docker {name} --help' for more information"


def _count(name: str, command: Command, given: Words) -> None:
    count = len(given.positionals)
    if count < command.least:
        plural = "argument" if command.least == 1 else "arguments"
        text = f"docker: 'docker {name}' requires at least {command.least} {plural}"
    elif command.most is not None and count > command.most:
        text = f"docker: 'docker {name}' accepts at most {command.most} argument"
        text = f"docker: 'docker {name}' accepts no arguments" if command.most == 0 else text
    else:
        return
    raise RefusalError(f"{text}\n\n{_usage(name, command, 'See')}")
