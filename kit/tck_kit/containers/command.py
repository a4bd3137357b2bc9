"""`session-tck containers`: whether a container engine is what it seems, the kit's images, and the proof."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tck_kit.faults import SuiteFault, UsageFault
from tck_reports.errors import ReportWriteError
from tck_reports.outcomes import ExitCode

if TYPE_CHECKING:
    from docker import DockerClient

    from tck_kit.containers.claims import Claim
    from tck_kit.containers.probes import About, Probe

#: The words for the real CLIs; Grok Build is not among them, since nobody has verified it.
_PROGRAMS = ("claude", "codex", "opencode", "copilot")
_STANDINS = "standins"
#: Where npm installs the CLIs, as `session-tck probe --install` has it.
FOLDER = Path("session-tck-clis")
_base = click.option(
    "--base",
    metavar="IMAGE",
    help="Make the images of this one, which has Python 3.11 or newer, in the place of Debian's packages.",
)
_clis = click.option(
    "--clis",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder with the real CLIs as npm installs them. Without it, the one that TCK_CLIS names, or npm installs "
    "them.",
)
_install = click.option(
    "--install",
    default="pinned",
    show_default=True,
    metavar="VERSION",
    help="What npm installs: a version, latest, or the one that the shipped record was made with.",
)
_below = click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=FOLDER,
    show_default=True,
    help="Install below this folder; what is there already is used.",
)
_json = click.option(
    "--json",
    "target",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write it all as JSON too.",
)


@click.group("containers")
def containers() -> None:
    """Real containers: try an engine out, make images, and prove a resume across two containers.

    The engine is the one that DOCKER_HOST names, the docker program's context, or the usual socket. Whatever is made
    carries the label session-tck.made-for.
    """


@containers.command()
@_base
@_json
def check(base: str | None, target: Path | None) -> int:
    """Try out whether the container engine does what everything else rests on.

    Exit code: 0 it can be used, 1 it cannot, 2 there is none, or usage, 4 fault of the kit.
    """
    from tck_fakes.images import base as base_image  # noqa: PLC0415 -- `--help` does without
    from tck_kit.containers.probes import about, as_json, probes, usable  # noqa: PLC0415 -- the same

    _looked_at(target)
    with _engine() as client, _folder() as folder:
        known = about(client)
        click.echo(f"Engine: {known}")
        image = base_image(client, base)
        click.echo(f"ok     {'image':<24}  {image}")
        found: list[Probe] = []
        for probe in probes(client, image, folder):
            found.append(probe)
            click.echo(_line(probe))
    click.echo(_verdict(known, found))
    if target is not None:
        _write(target, as_json(known, found))
    return ExitCode.CONFORMANT if usable(found) else ExitCode.NONCONFORMANT


def _line(probe: Probe) -> str:
    state = "ok" if probe.ok else "fails" if probe.needed else "lacks"
    return f"{state:<5}  {probe.name:<24}  {probe.seen}"


def _verdict(known: About, found: list[Probe]) -> str:
    failed = [probe.name for probe in found if probe.needed and not probe.ok]
    lacking = [probe.name for probe in found if not probe.needed and not probe.ok]
    if failed:
        return f"{known.name} {known.version} cannot be used: {', '.join(failed)}; take another engine, or a newer one"
    without = f", without {', '.join(lacking)}" if lacking else ""
    return f"{known.name} {known.version} can be used{without}"


@containers.command()
@click.argument("what", nargs=-1, type=click.Choice([_STANDINS, *_PROGRAMS, "all"]))
@_base
@_clis
@_install
@_below
def build(what: tuple[str, ...], base: str | None, clis: Path | None, install: str, folder: Path) -> int:
    """Make images, where they are not there yet: the stand-ins, and each real CLI beside a model server.

    Without WHAT, the stand-ins alone. The images of real CLIs are for tests: they talk to the model server inside.
    Exit code: 0 there, 2 a part is missing, or usage, 4 fault of the kit.
    """
    from tck_fakes.images import real, standins  # noqa: PLC0415 -- `--help` does without
    from tck_kit.containers.clis import chosen, found  # noqa: PLC0415 -- the same

    words = what or (_STANDINS,)
    with _engine() as client:
        if {_STANDINS, "all"} & {*words}:
            click.echo(f"{_STANDINS:<8}  {standins(client, base)}")
        for adapter in chosen(words) if {*words} != {_STANDINS} else ():
            cli = found(adapter, clis, install, folder)
            click.echo(f"{cli.program:<8}  {real(client, cli, base)}")
    return ExitCode.CONFORMANT


@containers.command()
def clean() -> int:
    """Remove every image of the kit, and the containers that interrupted runs have left.

    Exit code: 0 removed, 2 there is no engine, or usage, 4 fault of the kit.
    """
    from tck_fakes.images.making import discard  # noqa: PLC0415 -- `--help` does without

    with _engine() as client:
        removed, used = discard(client)
    click.echo(f"removed {removed} images")
    if used:
        click.echo(f"in use, and so still there: {', '.join(used)}")
    return ExitCode.CONFORMANT


@containers.command()
@click.argument("what", nargs=-1, type=click.Choice([*_PROGRAMS, "all"]))
@_base
@_clis
@_install
@_below
@_json
def prove(  # noqa: PLR0917 -- click passes the options by name
    what: tuple[str, ...], base: str | None, clis: Path | None, install: str, folder: Path, target: Path | None
) -> int:
    """Prove that a real CLI remembers across two disposable containers which share the session state alone.

    The reference simulator takes two runs of one issue, each in a container without a network, with the real CLI and a
    model server in it. The log of the one in the second container says whether the first run's prompt came back. A
    control takes the state away in between. Without WHAT, all four.

    Exit code: 0 proved, 1 not proved, 2 a part is missing, or usage, 4 fault of the kit.
    """
    from tck_fakes.images import base as base_image  # noqa: PLC0415 -- `--help` does without
    from tck_kit.containers.clis import chosen, found  # noqa: PLC0415 -- the same
    from tck_kit.containers.probes import about, distrust  # noqa: PLC0415 -- the same
    from tck_kit.containers.proof import Proof, proved  # noqa: PLC0415 -- the same

    _looked_at(target)
    proofs: list[Proof] = []
    with _engine(here=True) as client:
        known = about(client)
        click.echo(f"Engine: {known}")
        reason = distrust(client, base_image(client, base))
        if reason is not None:
            cure = "take another engine, or a newer one, and see what `session-tck containers check` says"
            raise UsageFault(reason, "the container engine", cure)
        for adapter in chosen(what):
            one = proved(client, adapter, found(adapter, clis, install, folder), base, _say)
            proofs.append(one)
            for claim in one.claims:
                click.echo(_claim(one.program, claim))
    for one in proofs:
        click.echo(one.summary)
    if target is not None:
        shown = {"engine": known.fields(), "proofs": [one.fields() for one in proofs]}
        _write(target, shown)
    return ExitCode.CONFORMANT if all(one.holds for one in proofs) else ExitCode.NONCONFORMANT


def _claim(program: str, claim: Claim) -> str:
    return f"{program:<8}  {'holds' if claim.holds else 'FAILS'}  {claim.name:<37}  {claim.evidence}"


def _say(what: str) -> None:
    """Show what is under way to a person who waits; a file or a pipe gets the table alone."""
    if sys.stderr.isatty():
        click.echo(f"  {what} …", err=True)


@contextlib.contextmanager
def _engine(*, here: bool = False) -> Generator[DockerClient]:
    """Connect, take away what an interrupted run has left, and put errors of the engine into words.

    `here` is for what mounts folders that it has filled, and reads them afterwards.
    """
    from tck_fakes.images import MissingPartError, connect, elsewhere  # noqa: PLC0415 -- `--help` does without

    try:
        if here and (host := elsewhere()) is not None:
            raise UsageFault("its containers would be on another machine", host, "name a local socket in DOCKER_HOST")
        client = connect()
        from docker.errors import DockerException  # noqa: PLC0415 -- known to be there only now

        try:
            _swept(client)
            yield client
        except DockerException as fault:
            said = " ".join(str(getattr(fault, "explanation", None) or fault).split())[:300]
            raise SuiteFault(f"the container engine did not do as it was asked: {said}") from fault
        finally:
            client.close()
    except MissingPartError as missing:
        raise UsageFault(missing.what, "containers", missing.cure) from missing


def _swept(client: DockerClient) -> None:
    """Remove containers whose time is over, and those whose makers on this machine are no more; folders likewise."""
    from tck_fakes.docker.engine import ContainerEngine  # noqa: PLC0415 -- as above
    from tck_fakes.images.making import sweep  # noqa: PLC0415 -- the same
    from tck_kit.workers import clear_after_the_dead  # noqa: PLC0415 -- the same

    clear_after_the_dead()
    gone = sweep(client)
    engine = ContainerEngine()
    try:
        gone += engine.sweep()
    finally:
        engine.close()
    if gone:
        click.echo(f"Removed what earlier runs have left of containers: {gone}", err=True)


@contextlib.contextmanager
def _folder() -> Generator[Path]:
    with tempfile.TemporaryDirectory(prefix=f"session-tck-{os.getpid()}-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _looked_at(target: Path | None) -> None:
    """Find out beforehand whether a file has a place: what is written into it takes minutes."""
    if target is None:
        return
    if not target.parent.is_dir():
        raise UsageFault("cannot be written: its folder is not there", str(target), "name another file")
    # A file that is there keeps its place, whatever its folder allows.
    free = os.access(target, os.W_OK) if target.exists() else os.access(target.parent, os.W_OK | os.X_OK)
    if not free:
        raise UsageFault("cannot be written: Permission denied", str(target), "name another file")


def _write(target: Path, shown: Mapping[str, object]) -> None:
    try:
        target.write_text(json.dumps(shown, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as fault:
        raise ReportWriteError(f"cannot be written: {fault.strerror}", str(target), "name another file") from fault
