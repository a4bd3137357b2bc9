"""A report of a run that was judged from something which ends early: what is not there could have been anything."""

from dataclasses import replace

from tck_reports.plain import Plainer
from tck_reports.reading import conclusion_of, grading_of
from tck_reports.report import content_digest, verdict_parts
from tck_reports.shape import Report


def shortened(report: Report, why: str) -> Report:
    """Return the report as that of a run that was cut short, for this reason before any that it names itself.

    No verdict and no exit code of it can be that of a whole run.
    """
    plainer = Plainer()
    graded = grading_of(report)
    told = "; ".join(one for one in (plainer.text(why), graded.cut_short) if one is not None)
    graded = replace(graded, cut_short=told)
    conclusion = conclusion_of(report, graded)
    cut: Report = {
        **report,
        "run": {**report["run"], "cut_short": told},
        "complete": False,
        "incomplete_reasons": list(graded.incomplete_reasons),
        "verdict": verdict_parts(conclusion, plainer),
        "exit_code": int(conclusion.exit_code),
        "exit_reason": plainer.text(conclusion.why),
        "redactions": report["redactions"] + plainer.redactions,
    }
    cut["digest"] = content_digest(cut)
    return cut
