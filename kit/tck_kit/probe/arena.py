"""Where an agent CLI is tried out: a HOME, a working directory and a model server of its own, in a sealed place.

Nothing of the caller's gets in: the environment is put together from nothing, HOME is empty but for what points the CLI
at the model server, and the working directory is a fresh git repository. A stand-in is tried out in the very same way.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import tempfile
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from tck_fakes.modelserver.server import ModelServer
from tck_kit.faults import SuiteFault, UsageFault
from tck_kit.probe.configured import Place
from tck_kit.probe.run_of_cli import CliProcess, Ended, Launch, Start, run
from tck_kit.probe.sealed import Seal
from tck_kit.probe.subject import Subject, installed, stand_in
from tck_simulator.adapters import ADAPTERS
from tck_simulator.adapters.base import HOME, WORKDIR, read_version

__all__ = ["Arena", "Ended", "Start", "Subject", "arena", "installed", "stand_in"]

#: Where programs such as git and sh are found; the CLI's own interpreter comes after them.
_PATH = ("/usr/local/bin", "/usr/bin", "/bin")
#: Seconds for a CLI to say its version.
_SAYING = 60.0
_ID = re.compile(
    r"ses_[0-9A-Za-z]{26}|(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])", re.IGNORECASE
)
_DATE = re.compile(
    r"\d{4}([-/_])\d\d\1\d\d(?:[T_-]\d\d[-:_.]?\d\d(?:[-:_.]?\d\d)?(?:[.-]\d+)?Z?)?|(?<!\d)1[6-9]\d{8}(?:\d{3})?(?!\d)"
)
_HASH = re.compile(r"(?<![0-9a-f])(?=[0-9a-f]*\d)[0-9a-f]{12,64}(?![0-9a-f])")
_NUMBER = re.compile(r"(?<=[._-])\d{3,}(?=\.|$)")


class Arena:
    """One HOME and one temporary folder of a subject, at a working directory.

    All arenas share place and model server, and those that were not given another the working directory. They share a
    cache as well, in which copilot unpacks itself and which no other CLI is told of.
    """

    def __init__(self, shared: _Shared, name: str, work: Path) -> None:
        """Make HOME, configured; its mode is 0700, and it belongs to whom the CLI runs as."""
        self._shared = shared
        self.seal = shared.seal
        self.model = shared.model
        self.work = work
        self.home = shared.folder / "homes" / name
        if self.home.exists():
            raise ValueError(f"there is an arena of this name: {name}")
        self.home.mkdir(mode=0o700, parents=True)
        # A disposable container has an empty one: what a CLI keeps there must not help it in another home.
        temporary = shared.folder / "tmp" / name
        temporary.mkdir(mode=0o700)
        self.seal.own(temporary)
        self.state = self.home / self.subject.configuration.state
        place = Place(self.home, self.model.url, shared.folder / "cache")
        # An engine mounts a directory there, so it exists before the CLI is started; opencode would not make it.
        self.state.mkdir(mode=0o700, parents=True)
        self.configured = place
        files = self.subject.configuration.files(place)
        for path, text in files.items():
            file = self.home / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        self.seal.own(self.home)
        self._given = frozenset(files)
        interpreter = [str(Path(word).parent) for word in self.subject.words[:-1] if word.startswith("/")]
        self.environment: Mapping[str, str] = MappingProxyType(
            {
                "HOME": str(self.home),
                "PATH": ":".join(dict.fromkeys((*_PATH, *interpreter))),
                "LANG": "C.UTF-8",
                "TMPDIR": str(temporary),
                **self.subject.configuration.environment(place),
            }
        )

    @property
    def subject(self) -> Subject:
        """Whose arena it is, with its version."""
        return self._shared.subject

    def run(self, start: Start) -> Ended:
        """Start it, and wait for its end. Raises `UsageFault` where it cannot be executed."""
        return run(self.seal, self.model, self._launch(start), start)

    def begin(self, start: Start) -> CliProcess:
        """Start it, and do not wait: for whoever wants to signal it. `end` has to be called."""
        return CliProcess(self.seal, self._launch(start))

    def together(self, first: Start, second: Start, gap: float = 0) -> tuple[Ended, Ended]:
        """Run two at once, the second so many seconds after the first; each is told of the requests of both."""
        outcomes: dict[int, Ended | BaseException] = {}

        def one(number: int, start: Start) -> None:
            try:
                outcomes[number] = self.run(start)
            except BaseException as fault:  # noqa: BLE001 -- raised again by whoever waits
                outcomes[number] = fault

        threads = [threading.Thread(target=one, args=(number, start)) for number, start in enumerate((first, second))]
        threads[0].start()
        time.sleep(gap)
        threads[1].start()
        for thread in threads:
            thread.join()
        return (_told(outcomes[0]), _told(outcomes[1]))

    def another(self, name: str, work: Path | None = None) -> Arena:
        """Give a fresh HOME with the same configuration, at the same working directory unless another one is given."""
        return Arena(self._shared, name, work or self.work)

    @contextmanager
    def apart(self, name: str, work: Path | None = None) -> Generator[Arena]:
        """Give a fresh HOME with a model server of its own, so that what fails there fails nowhere else."""
        with ModelServer(bind=self.seal.bound) as model:
            yield Arena(replace(self._shared, model=model), name, work or self.work)

    def place(self, name: str, *, repository: bool = True) -> Path:
        """Make another working directory, a git repository with one commit unless a plain one is asked for."""
        return self._shared.place(name, repository=repository)

    def own(self, *paths: Path) -> None:
        """Give files that were put here to whom the CLI runs as; by default all of HOME."""
        self.seal.own(*(paths or (self.home,)))

    def files(self) -> tuple[str, ...]:
        """Give the files below HOME that the CLI has written, relative; ids, dates, hashes and the directory are named.

        Links and other things that are no regular files are not among them.
        """
        found: list[str] = []
        for folder, _, names in os.walk(self.home):
            for name in names:
                path = Path(folder, name)
                relative = str(path.relative_to(self.home))
                if relative not in self._given and stat.S_ISREG(path.lstat().st_mode):
                    found.append(self._general(relative))
        return tuple(sorted(set(found)))

    def version(self) -> str:
        """Ask the CLI for its version. Raises `UsageFault` where it says none."""
        words = ADAPTERS[self.subject.adapter].version_command()
        ended = self.run(Start(words, limit=_SAYING))
        version = read_version(ended.stdout)
        if version is None:
            said = " ".join((ended.stderr or ended.stdout).split())[:200] or "nothing"
            how = "did not end" if ended.exit_code is None else f"ended with {ended.exit_code}"
            raise UsageFault(
                f"says no version: {' '.join(words)} {how} and said {said}",
                self.subject.words[-1],
                f"name the program of {self.subject.program} itself, or have it installed with --install",
            )
        return str(version)

    def _general(self, relative: str) -> str:
        slug = re.sub(r"[^A-Za-z0-9]", "-", str(self.work))
        text = relative.replace(slug, "<slug>")
        for pattern, word in ((_ID, "<id>"), (_DATE, "<date>"), (_HASH, "<hash>"), (_NUMBER, "<number>")):
            text = pattern.sub(word, text)
        return text

    def _launch(self, start: Start) -> Launch:
        words = (*self.subject.words, *(self._here(word) for word in start.argv[1:]))
        environment = {name: self._here(value) for name, value in start.environment.items()}
        return Launch(words, start.cwd or self.work, {**self.environment, **environment}, start.stdin)

    def _here(self, text: str) -> str:
        """Give a path of the container that an adapter knows as the arena's own."""
        for known, own in ((WORKDIR, self.work), (HOME, self.home)):
            if text == known or text.startswith(f"{known}/"):
                return f"{own}{text.removeprefix(known)}"
        return text


@dataclass(slots=True)
class _Shared:
    """What the arenas of a subject have in common. Its version is known once it has been asked."""

    subject: Subject
    folder: Path
    seal: Seal
    model: ModelServer

    def place(self, name: str, *, repository: bool = True) -> Path:
        """Make a working directory."""
        work = self.folder / name
        work.mkdir(mode=0o755)
        if repository:
            _repository(work)
        self.seal.own(work)
        return work


@contextmanager
def arena(subject: Subject, *, below: Path | None = None) -> Generator[Arena]:
    """Give a subject its first arena, called `home`, with its version known; at the end nothing of it is left.

    `below` is where the folder is made, the system's temporary one where it is not given. Raises `UsageFault` where the
    subject cannot be started or says no version.
    """
    with ExitStack() as stack:
        folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="session-tck-", dir=below)))
        stack.callback(_remove, folder)
        # An ordinary user has to come through here, to what is its own.
        folder.chmod(0o711)
        for name in ("homes", "tmp"):
            (folder / name).mkdir(mode=0o711)
        keep = [(folder, True), *((path, False) for path in subject.needed())]
        seal = stack.enter_context(Seal(keep, doomed=folder))
        (folder / "cache").mkdir(mode=0o700)
        seal.own(folder / "cache")
        model = stack.enter_context(ModelServer(bind=seal.bound))
        shared = _Shared(subject, folder, seal, model)
        first = Arena(shared, "home", shared.place("work"))
        if not subject.version:
            shared.subject = replace(subject, version=first.version())
        yield first


def _told(outcome: Ended | BaseException) -> Ended:
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def _repository(work: Path) -> None:
    """Make it a git repository with one commit, with nothing of the caller's git in it."""
    nobody = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "HOME": str(work), "PATH": ":".join(_PATH)}
    for name in ("AUTHOR", "COMMITTER"):
        nobody |= {f"GIT_{name}_NAME": "session-tck", f"GIT_{name}_EMAIL": "tck@localhost"}
    (work / "README.md").write_text("# A project\n", encoding="utf-8")
    for words in (("init", "-q", "-b", "main"), ("add", "README.md"), ("commit", "-q", "-m", "First")):
        try:
            subprocess.run(["git", *words], cwd=work, env=nobody, check=True, capture_output=True, timeout=60)
        except (OSError, subprocess.SubprocessError) as fault:
            raise UsageFault(f"git {words[0]} failed: {fault}", "git", "install git") from fault


def _remove(folder: Path) -> None:
    """Remove all of it, whatever modes an agent or a case gave to what is in there; nothing runs in it any more."""
    try:
        _unlock(folder)
        shutil.rmtree(folder)
    except OSError as fault:
        raise SuiteFault(f"what was tried out is still there: {fault}; remove {folder}") from fault


def _unlock(folder: Path) -> None:
    """Let us into a folder and all below it; no link is followed."""
    folder.chmod(0o700)
    for each in folder.iterdir():
        if each.is_dir() and not each.is_symlink():
            _unlock(each)
