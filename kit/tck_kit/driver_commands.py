"""`session-tck driver`: a skeleton to begin a driver with, and a check of whether a driver is sane."""

from __future__ import annotations

import json
import shlex
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tck_kit.faults import UsageFault
from tck_kit.skeleton import LANGUAGES, write_skeleton
from tck_reports.outcomes import ExitCode

if TYPE_CHECKING:
    from tck_kit.driver_check import Finding
    from tck_kit.engine_choice import EngineChoice


@click.group("driver")
def driver_group() -> None:
    """Begin and check the driver that puts your own engine under test."""


@driver_group.command()
@click.argument("language", type=click.Choice(LANGUAGES))
@click.argument("folder", type=click.Path(path_type=Path), required=False)
def new(language: str, folder: Path | None) -> int:
    """Write a driver to begin with into FOLDER, driver-LANGUAGE if none is named.

    It runs as it is and supports nothing, so nothing passes until it is filled in. FOLDER must be new or empty.
    Exit code: 0 written, 2 usage.
    """
    target = Path(f"driver-{language}") if folder is None else folder
    names = write_skeleton(language, target)
    click.echo(f"Wrote {', '.join(names)} to {target}")
    click.echo(f"Next: cd {shlex.quote(str(target))}; session-tck driver check")
    return ExitCode.CONFORMANT


@driver_group.command()
@click.option(
    "--engine",
    metavar="ENGINE",
    help="The driver: a command that starts one, the URL of one that listens, or sim+stdio or sim+http. "
    "Without it, what session-tck.toml names.",
)
@click.option(
    "--timeout-scale",
    type=click.FloatRange(0.1, 100.0),
    help="Lengthen (or shorten) every deadline of the driver by this factor.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def check(engine: str | None, timeout_scale: float | None, form: str) -> int:
    """Check whether a driver keeps to the protocol, whatever its engine is worth. Nothing is graded.

    Exit code: 0 sane, 1 problems, 2 usage, 4 fault of the kit.
    """
    from tck_driver.connection import About  # noqa: PLC0415 -- the other command starts faster
    from tck_kit import assets  # noqa: PLC0415 -- the same
    from tck_kit.catalogue import read_specification  # noqa: PLC0415 -- the same
    from tck_kit.driver_check import check_driver  # noqa: PLC0415 -- the same

    choice = _choice(engine, timeout_scale)
    spec = read_specification(None)
    about = About(assets.version(), spec.identifier, spec.version, spec.digest)
    with tempfile.TemporaryDirectory(prefix="session-tck-", ignore_cleanup_errors=True) as folder:
        findings = check_driver(choice, about, Path(folder))
        problems = _write_json(choice, [*findings]) if form == "json" else _write_text(choice, findings)
    return ExitCode.NONCONFORMANT if problems else ExitCode.CONFORMANT


def _choice(engine: str | None, timeout_scale: float | None) -> EngineChoice:
    """Choose the driver that an option names, or else the session-tck.toml here or above."""
    from tck_kit.engine_choice import choose, chosen_by  # noqa: PLC0415 -- as above
    from tck_kit.project_file import NAME, find, read  # noqa: PLC0415 -- as above

    path = find(Path.cwd()) if engine is None else None
    if engine is not None:
        choice, where = choose(engine, Path.cwd()), f"--engine {engine}"
    elif path is not None:
        choice, where = chosen_by(read(path)), str(path)
    else:
        raise UsageFault(f"no driver is named, and there is no {NAME}", "--engine", "give a command or a URL")
    if choice.in_process:
        raise UsageFault("no driver is named", where, "name a command that starts one, a URL, sim+stdio or sim+http")
    return choice if timeout_scale is None else replace(choice, timeout_scale=timeout_scale)


def _write_text(choice: EngineChoice, findings: Iterable[Finding]) -> int:
    """Write a line for each finding as soon as it is there; give the number of problems."""
    click.echo(f"Driver: {choice.shown}")
    counts = {"ok": 0, "problem": 0, "not applicable": 0}
    for one in findings:
        counts[one.state] += 1
        cure = f"; {one.cure}" if one.cure else ""
        click.echo(f"{one.state:<14}  {one.check:<14}  {one.what}{cure}")
    told = "sane" if not counts["problem"] else "not sane"
    click.echo(
        f"{told}: {counts['problem']} problems, {counts['ok']} ok, {counts['not applicable']} not applicable; "
        "this is no verdict on the engine"
    )
    return counts["problem"]


def _write_json(choice: EngineChoice, findings: list[Finding]) -> int:
    problems = sum(one.state == "problem" for one in findings)
    shown = {"driver": choice.shown, "sane": not problems, "checks": [one.fields() for one in findings]}
    click.echo(json.dumps(shown, indent=2, ensure_ascii=False))
    return problems
