"""The traces of the parts of a run, joined into the one that the whole run would have written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tck_kit.trace import reading
from tck_kit.trace.head import Head
from tck_kit.trace.joining import join
from tck_kit.trace.lines import FILE
from tck_reports.errors import ReportReadError
from tck_reports.parts import Part
from tck_reports.records import Artifact


@dataclass(frozen=True, slots=True)
class Traces:
    """The traces that lie beside the reports of the parts, and the parts that have none."""

    found: tuple[reading.Trace, ...]
    lacking: tuple[str, ...]

    def write(self, waiting: Path) -> tuple[Artifact, ...]:
        """Write the trace of the whole where it waits; nothing where a part has none. Raises `ReportWriteError`."""
        if self.lacking or not self.found:
            return ()
        return (join([one.path for one in self.found], waiting, _head([one.head for one in self.found]), {}),)


NONE = Traces((), ())


def beside(parts: Sequence[Part]) -> Traces:
    """Find the traces of these parts. Raises `ReportReadError` for one that is not of its report."""
    found: list[reading.Trace] = []
    lacking: list[str] = []
    for part in parts:
        path = Path(part.where).with_name(FILE)
        due = {one["path"]: one["digest"] for one in part.report["artifacts"]}.get(FILE)
        if due is None or not path.exists():
            lacking.append(part.where)
            continue
        trace = reading.read(path)
        if trace.digest != due:
            raise ReportReadError("is not the trace of the report beside it", str(path), "take both from one run")
        found.append(trace)
    return Traces(tuple(found), tuple(lacking))


def _head(heads: Sequence[Head]) -> Head:
    """Say what the trace is of, as the one run would have."""
    cut = [f"part {one.shard.number}: {one.cut_short}" for one in heads if one.shard and one.cut_short]
    return replace(
        heads[0],
        shard=None,
        workers=sum(one.workers for one in heads),
        started=min(one.started for one in heads),
        finished=max(one.finished for one in heads),
        cut_short="; ".join(cut) or None,
        misdeeds=tuple(dict.fromkeys(misdeed for one in heads for misdeed in one.misdeeds)),
    )
