"""`session-tck rules`: what `check` looks for, and what each rule means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tck_kit.faults import UsageFault
from tck_reports.outcomes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tck_reports.findings import RuleText


@click.command()
@click.argument("code", required=False, metavar="[CODE]")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Settings.  [default: the session-tck.toml here or above]",
)
def rules(code: str | None, form: str, config: Path | None) -> int:
    """List the rules of `check` as the settings have them, or explain the one with this code or name."""
    from tck_kit.authors.checked import settings_for  # noqa: PLC0415 -- `--help` starts faster
    from tck_kit.authors.rule_texts import rule_texts  # noqa: PLC0415 -- the same
    from tck_spec.rules import severities  # noqa: PLC0415 -- the same

    texts = rule_texts(severities(settings_for(config, Path.cwd())))
    chosen = texts if code is None else _chosen(code, texts)
    if form == "json":
        rows = [_fields(one) for one in chosen.values()]
        click.echo(json.dumps({"rules": rows}, indent=2, ensure_ascii=False))
    elif code is None:
        _list(chosen)
    else:
        for one in chosen.values():
            _explain(one)
    return ExitCode.CONFORMANT


def _chosen(code: str, texts: Mapping[str, RuleText]) -> Mapping[str, RuleText]:
    """Return the rule with a code or a name, whatever its capitals; raises `UsageFault`."""
    from tck_spec.findings import did_you_mean  # noqa: PLC0415 -- as above

    for one in texts.values():
        if code.lower() in (one.code.lower(), one.name):
            return {one.code: one}
    names = [one.name for one in texts.values()]
    cure = did_you_mean(code.upper(), texts) or did_you_mean(code.lower(), names)
    raise UsageFault("there is no such rule", code, cure or "`session-tck rules` lists them")


def _state(one: RuleText) -> str:
    return "on" if one.on else "off"


def _list(texts: Mapping[str, RuleText]) -> None:
    from tck_spec.findings import SEVERITY_NAMES  # noqa: PLC0415 -- as above

    widths = [max(len(one.code) for one in texts.values()), max(len(one.name) for one in texts.values())]
    for one in texts.values():
        severity = SEVERITY_NAMES[one.severity]
        click.echo(
            f"{one.code:<{widths[0]}}  {one.name:<{widths[1]}}  {severity:<7}  {_state(one):<3}  {one.summary}".rstrip()
        )


def _explain(one: RuleText) -> None:
    from tck_spec.findings import SEVERITY_NAMES  # noqa: PLC0415 -- as above

    click.echo(f"{one.code} {one.name} ({SEVERITY_NAMES[one.severity]}, {_state(one)})\n")
    click.echo(one.help or one.summary)


def _fields(one: RuleText) -> dict[str, object]:
    from tck_spec.findings import SEVERITY_NAMES  # noqa: PLC0415 -- as above

    return {
        "code": one.code,
        "name": one.name,
        "severity": SEVERITY_NAMES[one.severity],
        "on": one.on,
        "summary": one.summary,
        "explanation": one.help,
    }
