"""Stand-in programs over a box, without any process: what is started is answered into a reply."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tck_driver.bench import Script
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import ContainerStarted
from tck_fakes.programs.call import Process, ProgramCall
from tck_fakes.programs.programs import Programs

from .box import Box

CODEX = "image codex exec --json --skip-git-repo-check -- hello"


@dataclass(slots=True)
class Reply:
    """A channel that keeps what it is told."""

    stdout: str = ""
    stderr: str = ""
    code: int | None = None
    process: Process | None = None

    def out(self, text: str) -> None:
        self.stdout += text

    def err(self, text: str) -> None:
        self.stderr += text

    def exit(self, code: int) -> None:
        assert self.code is None
        self.code = code

    def signal(self, number: int) -> None:
        assert self.process is not None
        self.process.signal(number)

    def gone(self) -> None:
        assert self.process is not None
        self.process.gone()

    @property
    def said(self) -> tuple[int | None, str, str]:
        return self.code, self.stdout, self.stderr


@dataclass(slots=True)
class Desk:
    """Programs of one scenario, and a short way to start them."""

    box: Box
    environment: Mapping[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        self.programs = Programs(self.box.runtime, self.box.clock)

    programs: Programs = field(init=False)

    @property
    def root(self) -> Path:
        return self.box.root

    def docker(self, words: str, stdin: str = "", *, terminal: bool = False) -> Reply:
        """Start docker with words as a shell would read them."""
        return self.start("docker", *shlex.split(words), stdin=stdin, terminal=terminal)

    def start(self, program: str, *argv: str, stdin: str = "", cwd: str = "", terminal: bool = False) -> Reply:
        reply = Reply()
        call = ProgramCall(program, argv, cwd or str(self.root), self.environment, stdin, terminal, "7:7")
        reply.process = self.programs.begin(call, reply)
        return reply

    def hang(self, words: str = "run -d --name nn") -> Reply:
        """Start a codex that names its session and then hangs."""
        self.box.runtime.script(AdapterId.CODEX, Script("hang"))
        return self.docker(f"{words} {CODEX}")

    def started(self, words: str) -> ContainerStarted:
        """Give the record of the container that a command started."""
        mark = self.box.witness.mark()
        reply = self.docker(words)
        records = self.box.witness.of(ContainerStarted, mark)
        assert len(records) == 1, reply.stderr
        return records[0]
