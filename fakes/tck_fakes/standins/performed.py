"""A conversation performed by a process of its own: its lines printed as they come, its end the process's end.

It is the same conversation as in the runtime of a scenario. What stands between two events, the model at work or a
CLI that hangs, is the affair of whoever performs it: the program that calls a model server, or the one in a container
that waits for the kit. Nothing here may be slow to import.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn, cast

from tck_driver.bench import VersionShape
from tck_driver.vocabulary import AdapterId
from tck_fakes.standins.base import (
    KILLED,
    Account,
    Cli,
    Conversation,
    Err,
    Hang,
    Heard,
    Invocation,
    Listen,
    Out,
    Request,
    Stop,
    Turn,
    Word,
)
from tck_fakes.standins.conversation import converse, dialogue, effective_shape
from tck_fakes.standins.versions import answer

#: Program → its module and class; each is imported only when it is asked for.
_CLASSES = {
    "claude": ("tck_fakes.standins.claude", "Claude"),
    "codex": ("tck_fakes.standins.codex", "Codex"),
    "opencode": ("tck_fakes.standins.opencode", "Opencode"),
    "copilot": ("tck_fakes.standins.copilot", "Copilot"),
    "grok": ("tck_fakes.standins.grok", "Grok"),
}
#: Words that alone with `--help` make a command a question about the CLI, and no run of an agent.
_SUBCOMMANDS = ("exec", "resume", "run")

#: Is told that the conversation has come to where the model works, nothing goes on or a line of standard input is read,
#: and comes back when it does.
Waits = Callable[[Turn | Hang | Listen], Word | Heard | None]
#: Takes one line, without its end.
Prints = Callable[[str], None]


def programs() -> tuple[str, ...]:
    """Give the names of all stand-ins."""
    return tuple(_CLASSES)


def named(program: str) -> Cli | None:
    """Give the stand-in of this name, None where there is none."""
    found = _CLASSES.get(program)
    return None if found is None else cast("Cli", getattr(importlib.import_module(found[0]), found[1])())


def asks_version(argv: Sequence[str]) -> bool:
    """Tell whether arguments ask for nothing but the version."""
    return tuple(argv) in (("--version",), ("-v",), ("-V",))


def asks_usage(argv: Sequence[str]) -> bool:
    """Tell whether arguments ask for nothing but the usage, which takes no script."""
    return bool(argv) and argv[-1] in ("--help", "-h") and set(argv[:-1]) <= set(_SUBCOMMANDS)


@dataclass(frozen=True, slots=True)
class Part:
    """One start of a CLI, about to be performed."""

    cli: Cli
    call: Invocation
    asked: Request | Stop
    account: Account
    talk: Conversation


def part(cli: Cli, call: Invocation) -> Part:
    """Read the arguments and open the account; nothing has been done yet."""
    asked = cli.read(call)
    account = Account(effective_shape(call, asked))
    if isinstance(asked, Request) and asked.converses:
        talk = dialogue(cli, call, asked, account)
    else:
        talk = converse(cli, call, asked, account)
    return Part(cli, call, asked, account, talk)


def version_talk(adapter: AdapterId, version: str, shape: VersionShape = "plain") -> Conversation:
    """Give what a version command does."""
    said = answer(adapter, version, shape)
    if said.hangs:
        yield Hang()
    if said.stdout:
        yield Out(said.stdout.removesuffix("\n"))
    if said.stderr:
        yield Err(said.stderr.removesuffix("\n"))
    return said.exit_code


def perform(talk: Conversation, waits: Waits, out: Prints | None = None, err: Prints | None = None) -> int:
    """Perform a conversation, and give its exit code."""
    out, err = out or _printed(sys.stdout.fileno()), err or _printed(sys.stderr.fileno())
    word: Word | Heard | None = None
    while True:
        try:
            event = talk.send(word)
        except StopIteration as end:
            return cast("int", end.value)
        word = None
        match event:
            case Out(text):
                out(text)
            case Err(text):
                err(text)
            case _:
                word = waits(event)


def _printed(descriptor: int) -> Prints:
    def prints(text: str) -> None:
        data = f"{text}\n".encode("utf-8", "surrogateescape")
        while data:
            data = data[os.write(descriptor, data) :]

    return prints


def leave(exit_code: int) -> NoReturn:
    """End this process, by a real SIGKILL where the exit code says so; nothing is put in order, as by a real CLI."""
    sys.stdout.flush()
    sys.stderr.flush()
    if exit_code == KILLED:
        os.kill(os.getpid(), signal.SIGKILL)
    os._exit(exit_code)
