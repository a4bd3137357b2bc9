"""Makes `docs/adapters.md` out of the shipped records: per CLI and version what holds, and the command that shows it.

`session-tck probe --publish docs/adapters.md` writes it; a test makes it anew and compares.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tck_kit.probe.record import Fact, Finding, Probe, Record, order, resumes
from tck_kit.probe.table import CASES
from tck_kit.probe.words import MEANINGS, Outcome

_HEAD = """\
# What the agents' CLIs do

This page is made of the capability records that come with the kit, by `session-tck probe --publish docs/adapters.md`. A
record says what a CLI was seen to do: by the requests that reached a model server on loopback, by its exit code and by
its files. Whether a session was resumed is never taken from the CLI's own word.

```console
$ session-tck probe claude                    # the CLI on PATH; or codex, opencode, copilot, all
$ session-tck probe claude --install          # the version of the record, from npm, into a folder of its own
$ session-tck probe claude --install latest --diff      # what a new version changed; 0 if nothing that matters
$ session-tck probe claude --only resume      # one case
$ session-tck probe --list                    # every case, and what outcomes mean
```

A CLI that is probed has an empty environment, a home of its own and the model server as its only network. It never
sees the caller's environment, home, keychain or credentials. Every case begins in a fresh home that holds the session's
state and nothing else of an earlier run, as a disposable container does. What homes share is the working directory
and, for copilot, the cache that it unpacks its own program into.
"""
_GROUPS = {
    "basics": "Version, help, a session, and its resume",
    "id": "Id and name",
    "prompt": "Prompts",
    "state": "What has to be kept",
    "refusals": "Sessions that are not there, not whole, or not to be touched",
    "sharing": "Beside other runs, elsewhere, and after a kill",
    "model": "When the model fails during a resume",
}
#: Facts in the order in which the page tells them, and how.
_TOLD = {
    "exit": "exit code {}",
    "id": "id: {}",
    "history": "history: {}",
    "judged": "an engine: {}",
    "saved": "prompt saved: {}",
    "then": "next resume: {}",
    "second": "the other one: {}",
    "prompt": "prompt: {}",
    "unanswered": "unanswered prompt: {}",
    "reported": "named in {}",
    "needs": "needs {}",
    "holds": "holds {}",
    "could_hold": "empty tables for credentials: {}",
    "lands": "a planted key was found in {}",
    "stream": "on {}",
    "beside": "beside it: {}",
    "written": "{}",
    "waits": "gives in: {}",
}
#: Facts that say nothing as long as they are so.
_USUAL = {
    ("exit", 0),
    ("history", "all"),
    ("history", "not asked"),
    ("saved", "yes"),
    ("then", "resumed"),
    ("prompt", "as given"),
    ("waits", "within two minutes"),
    ("unanswered", "not asked"),
}
#: Outcomes that say which id was reported.
_ASKED = {Outcome.RESUMED, Outcome.FORGOT, Outcome.FAILED, Outcome.YES, Outcome.REFUSED}
_NAMES = ("needs", "holds", "could_hold", "lands", "beside", "written")


def page(records: Iterable[Record]) -> str:
    """Give the page."""
    held = tuple(records)
    parts = [_HEAD, _overview(held), _side_by_side(held), *(_chapter(one) for one in held), _outcomes()]
    return "\n".join(parts)


def _overview(records: Iterable[Record]) -> str:
    columns = (
        "adapter",
        "resumes, verified from",
        "probed",
        "keeps its id",
        "the caller chooses it",
        "id before the answer",
        "name",
        "kept from run to run",
    )
    lines = ["## At a glance", "", f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    for one in records:
        able = one.abilities
        probed = ", ".join(each.version for each in (one.probe, *one.also) if each is not None)
        said = (_said(able.keeps_id), _said(able.chooses_id), _said(able.early_id), _said(able.label))
        path = f"`{able.state_path}`" if able.state_path else "nothing"
        lines.append(
            f"| `{one.adapter.value}` | {able.verified_from or 'not verified'} | {probed or 'never'} "
            f"| {' | '.join(said)} | {path} |"
        )
    return "\n".join([*lines, ""])


def _side_by_side(records: Iterable[Record]) -> str:
    held = [(one.program, one.probe) for one in records if one.probe is not None]
    lines = ["## Side by side", "", f"| case | {' | '.join(name for name, _ in held)} |", f"|---|{'---|' * len(held)}"]
    for case in CASES:
        outcomes = [probe.outcome(case) for _, probe in held]
        lines.append(f"| `{case}` | {' | '.join('not tried' if one is None else one.value for one in outcomes)} |")
    return "\n".join([*lines, ""])


def _said(so: bool | None) -> str:  # noqa: FBT001 -- it is what is shown
    return "" if so is None else "yes" if so else "no"


def _chapter(record: Record) -> str:
    title = f"## {record.adapter.value}\n"
    if record.probe is None:
        return (
            f"{title}\nNobody has verified it: no version of `{record.program}` was ever probed, and the adapter "
            "declares nothing.\n"
        )
    around = record.probe.circumstances
    program = record.program
    made = f"probed on {around.date} with session-tck {around.kit} on {around.system}; {around.network}"
    command = f"$ session-tck probe {program} --install {record.probe.version} --slow"
    lines = [title, f"`{record.package}` {record.probe.version}, {made}.", "", "```console", command, "```", ""]
    for group, heading in _GROUPS.items():
        rows = [one for one in record.probe.findings if CASES[one.case].group == group]
        if rows:
            lines += [f"### {record.adapter.value}: {heading[0].lower()}{heading[1:]}", "", *_table(program, rows), ""]
    lines += _older(record)
    return "\n".join(lines)


def _table(program: str, rows: Iterable[Finding]) -> Iterator[str]:
    yield "| question | outcome | seen | shown by |"
    yield "|---|---|---|---|"
    for one in rows:
        command = f"`session-tck probe {program} --only {one.case}`"
        yield f"| {CASES[one.case].asks} | {one.outcome.value} | {_seen(one)} | {command} |"


def _seen(one: Finding) -> str:
    told = [form.format(_shown(name, one.facts[name])) for name, form in _TOLD.items() if _worth_telling(one, name)]
    said = one.facts.get("said", ())
    if isinstance(said, tuple) and said and one.outcome not in {Outcome.FRESH, Outcome.RESUMED, Outcome.YES}:
        told.append(f"“{_cell(said[0])}”")
    return "; ".join(told)


def _worth_telling(one: Finding, name: str) -> bool:
    fact = one.facts.get(name, ())
    if (
        fact == ()
        or (name, fact) in _USUAL
        or (name == "id" and one.outcome in _ASKED)
        or (name == "saved" and one.facts.get("history") == "not asked")
    ):
        return False
    usual = {Outcome.RESUMED: "resumed", Outcome.REFUSED: "refused", Outcome.FRESH: "done", Outcome.YES: ""}
    return not (name == "judged" and usual.get(one.outcome) in {fact, ""})


def _shown(name: str, fact: Fact) -> str:
    if fact is None:
        return "none, it was ended"
    if name in _NAMES:
        parts = fact if isinstance(fact, tuple) else (str(fact),)
        return ", ".join(f"`{part.replace('|', '/')}`" for part in parts)
    return _cell(str(fact))


def _cell(text: str) -> str:
    """Give a text that stands in a cell of a table as it is."""
    for sign in "\\`*_[]|<&":
        text = text.replace(sign, f"\\{sign}")
    return text


def _older(record: Record) -> Iterator[str]:
    if not record.also:
        return
    yield f"### {record.adapter.value}: other versions"
    yield ""
    names = [name for name in CASES if any(one.finding(name) for one in record.also)]
    yield f"| CLI version | {' | '.join(names)} | shown by |"
    yield f"|---|{'---|' * len(names)}---|"
    for one in sorted(record.also, key=lambda each: order(each.version), reverse=True):
        cells = " | ".join(_outcome(one, name) for name in names)
        verified = "" if resumes(one) else " (does not resume)"
        command = f"`session-tck probe {record.program} --install {one.version} --older`"
        yield f"| {one.version}{verified} | {cells} | {command} |"
    yield ""


def _outcome(probe: Probe, name: str) -> str:
    found = probe.outcome(name)
    return "not tried" if found is None else found.value


def _linked(text: str) -> str:
    """Let what refers to the specification lead there."""
    return text.replace("§16.5.4", "[§16.5.4](specification.md#1654-confirmation-refusal-and-the-fresh-leg)")


def _outcomes() -> str:
    lines = ["## What outcomes mean", "", "| outcome | meaning |", "|---|---|"]
    lines += [f"| {outcome.value} | {_linked(meaning)} |" for outcome, meaning in MEANINGS.items()]
    return "\n".join([*lines, ""])
