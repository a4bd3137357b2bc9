"""The image of one real agent CLI: its native program from npm, and a wrapper at its name that brings a model along.

At their present versions all four bring a program that needs neither Node.js nor anything else beside the C library, so
that program is all that is taken. The image is for tests: whoever runs it talks to a model server of ours.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from tck_fakes.images.entries import COMPILE, PLACE, put_program, put_sources
from tck_fakes.images.layer import Layer
from tck_fakes.images.making import Recipe, derived
from tck_fakes.images.missing import MissingPartError
from tck_fakes.images.sources import digest, sources
from tck_fakes.images.standin_image import base

if TYPE_CHECKING:
    from docker import DockerClient

_INSIDE = "tck_fakes.images.inside"
#: Where the CLI's own files lie in its image.
CLI: Final = "/opt/cli"
_DESCRIBED: Final = "/opt/session-tck.json"


@dataclass(frozen=True, slots=True)
class _Native:
    """Where npm puts a CLI's native program: the folder to take, the program in it, and parts of it not needed."""

    folders: tuple[str, ...]
    program: str
    without: tuple[str, ...] = ()


#: Program → its native part, below `node_modules`.
_NATIVE: Final[Mapping[str, _Native]] = MappingProxyType(
    {
        "claude": _Native(("@anthropic-ai/claude-code-linux-*",), "claude"),
        "codex": _Native(("@openai/codex-linux-*/vendor/*-linux-*",), "bin/codex", ("codex-resources/voice",)),
        "opencode": _Native(("opencode-linux-*/bin",), "opencode"),
        "copilot": _Native(("@github/copilot-linux-*",), "copilot"),
    }
)
_ELF = b"\x7fELF"


@dataclass(frozen=True, slots=True)
class RealCli:
    """A real CLI to be put into an image.

    `place` is what npm installed: a folder that holds `node_modules`, or any path within one. `environment` and
    `files`, the latter below HOME, point it at the model server, whose URL is written `{model}`.
    """

    program: str
    version: str
    place: Path
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    #: Run once in the image, as root and with nothing of ours: a CLI that unpacks itself does so then.
    prepare: tuple[str, ...] = ()


def native(cli: RealCli) -> tuple[tuple[tuple[str, Path], ...], str]:
    """Give the files of a CLI that go into its image, each by its name there, and the name of its program."""
    known = _NATIVE[cli.program]
    place = cli.place.resolve()
    if place.is_file() and _head(place) == _ELF:
        # npm's script has chosen this one, by the processor for instance; it is whole by itself.
        return ((cli.program, place),), cli.program
    modules = _modules(place)
    if modules is None:
        what = f"{cli.place} is no place where npm has installed {cli.program}"
        raise MissingPartError(what, "name the folder that holds node_modules")
    for pattern in known.folders:
        for folder in sorted(modules.glob(pattern)):
            program = folder / known.program
            if program.is_file() and _head(program) == _ELF:
                return tuple(_files(folder, known.without)), known.program
    raise MissingPartError(f"{cli.program} {cli.version} in {modules} brings no native program for Linux", _cure())


def _cure() -> str:
    if sys.platform == "linux":
        return "take a newer version"
    # Docker's own machine is Linux on the same processor.
    processor = "arm64" if platform.machine().lower() in ("arm64", "aarch64") else "x64"
    return f"install it with npm install --os=linux --cpu={processor} --libc=glibc, and name its folder with --clis"


def _files(folder: Path, without: tuple[str, ...]) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not (without and name.startswith(without)):
            yield name, path


def _modules(place: Path) -> Path | None:
    """Give the `node_modules` that a place holds or lies in."""
    around = (place, *place.parents)
    candidates = (*(folder / "node_modules" for folder in around), *around)
    return next((folder for folder in candidates if folder.name == "node_modules" and folder.is_dir()), None)


def _head(program: Path) -> bytes:
    with program.open("rb") as content:
        return content.read(4)


def real(client: DockerClient, cli: RealCli, given: str | None = None) -> str:
    """Give the name of the image with a real CLI, making it first where it is not there."""
    parent = base(client, given)
    parts, program = native(cli)

    def fill_cli(layer: Layer) -> None:
        for name, path in parts:
            layer.copy(f"{CLI}/{name}", path)

    held = "".join(f"{name}\0{_hash(path)}\n" for name, path in parts)
    alone = Recipe(f"{cli.program}-alone", digest(parent, held, " ".join(cli.prepare)), fill_cli, cli.prepare)
    with_cli = derived(client, parent, alone)
    ours = sources()
    described = json.dumps(
        {"words": [f"{CLI}/{program}"], "environment": dict(cli.environment), "files": dict(cli.files)}, sort_keys=True
    )

    def fill(layer: Layer) -> None:
        put_sources(layer, ours)
        layer.file(_DESCRIBED, described.encode())
        put_program(layer, cli.program, f"the real {cli.program} beside a model server", _INSIDE, _DESCRIBED)

    return derived(
        client,
        with_cli,
        Recipe(
            cli.program,
            digest(with_cli, ours, described),
            fill,
            ("/bin/sh", "-c", f"{COMPILE} {PLACE}"),
            {"session-tck.cli": f"{cli.program} {cli.version}"},
        ),
    )


def _hash(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
