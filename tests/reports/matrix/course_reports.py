"""Reports of engines that resume by rules of their own, beside those of engines with mailboxes."""

from __future__ import annotations

from typing import Any, cast

from tests.reports.samples import check, entry, graded, report_of

from tck_reports.outcomes import Outcome
from tck_reports.shape import Report

from .given_reports import digest_of, sealed

#: What the sample specification demands of them.
NAMES = ("CONTINUITY-1", "CONTINUITY-7", "REUSE-1")
POLICY = {"scope": ["run", "node"], "fork": "reject", "switch": ""}


def course_report(
    name: str = "peer",
    version: str = "2.0.0",
    *,
    failed: tuple[str, ...] = (),
    day: int = 3,
    absent: str = "",
    policy: bool = True,
) -> Report:
    """Make the report of a run by courses that claims continuity; `absent` is the reason why nothing was run."""
    entries = [entry(one, status="reuse" if one.startswith("REUSE") else "continuity") for one in NAMES]
    outcome = {"": Outcome.PASSED, "not obtained": Outcome.NOT_RUN}.get(absent, Outcome.ERROR)
    checks = [
        check(
            f"{one} is looked at",
            one,
            outcome=Outcome.FAILED if one in failed else outcome,
            reason=absent or None,
            blame="driver" if outcome is Outcome.ERROR else None,
        )
        for one in NAMES[:2]
    ]
    cut = "not obtained: get it: session-tck peers fetch peer" if outcome is Outcome.NOT_RUN else None
    made = report_of(
        graded(entries, checks, {one.id: one.requirements for one in checks}, profiles=("continuity",), cut_short=cut),
        name=name,
    )
    value = cast("dict[str, Any]", made)
    for one in value["requirements"]:
        one["text_digest"] = digest_of(one["text"])
    value["implementation"]["version"] = version
    value["spec"]["set_digest"] = digest_of("1.0.0")
    value["run"] |= {
        "engine": f"peer:{name}",
        "started": f"2026-01-{day:02}T03:04:05+00:00",
        "finished": f"2026-01-{day:02}T03:05:05+00:00",
    }
    value["run"]["surroundings"]["containers"] = "none"
    declared: dict[str, Any] = {"profiles": ["continuity"], "capabilities": {"act.restart": "supported"}}
    value["declared"] = declared | ({"policy": POLICY} if policy else {})
    return sealed(made)
