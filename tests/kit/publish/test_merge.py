"""`session-tck merge`: one report of the parts of a run, and a named error for anything that is no such parts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from tests.reports.samples import DIGEST, broke, held

from tck_reports.errors import ReportReadError
from tck_reports.merging import merge
from tck_reports.outcomes import Outcome
from tck_reports.parts import Part
from tck_reports.reading import decode
from tck_reports.records import CheckRecord
from tck_reports.report import content_digest, encode
from tck_reports.shape import Json, Report

from ..conftest import Command  # noqa: TID252 -- the fixtures of the room that this one is in
from .made import Made, parts_of

PASSES: dict[str, Any] = {"outcome": Outcome.PASSED, "expectations": (held(),)}
FAILS: dict[str, Any] = {
    "outcome": Outcome.FAILED,
    "expectations": (broke(),),
    "reason": "assertion",
    "blame": "engine",
}
RUN = Made(
    {
        CheckRecord("c0", "Zero", "b.feature:10", ("NAME-1",), **PASSES): True,
        CheckRecord("c1", "One", "b.feature:9", ("RESUME-2",), **PASSES): True,
        CheckRecord("c2", "Two", "a.feature:30", ("RESUME-3",), **PASSES): True,
        CheckRecord("c3", "Three", "a.feature:4", ("ISOLATE-4", "RESUME-2"), **PASSES): True,
    }
)
SHARE = {"c0": 1, "c1": 2, "c2": 3, "c3": 1}


def parts() -> list[Part]:
    return parts_of(RUN, SHARE, 3)


def edited(part: Part, change: Callable[[Any], None]) -> Part:
    """Give the part as it would be, had its run been another one: changed, with the digest that fits."""
    report: dict[str, Any] = json.loads(json.dumps(part.report))
    change(report)
    report["digest"] = content_digest(cast("Report", report))
    return Part(part.where, cast("Report", report))


def in_run(**values: object) -> Callable[[Any], None]:
    return lambda report: report["run"].update(values)


def inside(section: str, /, **values: object) -> Callable[[Any], None]:
    return lambda report: report[section].update(values)


def _baselined(report: Json) -> None:
    report["baseline"] = {"digest": DIGEST, "entries": []}


#: What was different in the second of three parts, and what is said of it.
DIFFERENCES: Mapping[str, tuple[Callable[[Any], None], str]] = {
    "kit": (inside("kit", version="0.2.0"), "another kit than part 1: 0.1.0 and 0.2.0; run all parts with one version"),
    "suite": (inside("kit", suite_digest=DIGEST[:-1] + "1"), "another suite of scenarios than part 1"),
    "specification": (inside("spec", digest=DIGEST[:-1] + "1"), "another specification than part 1"),
    "seed": (in_run(seed=8), "another seed than part 1: 7 and 8; give all parts the same --seed"),
    "engine": (inside("implementation", name="mill"), "another engine than part 1: engine and mill"),
    "version": (
        inside("implementation", version="1.0.1"),
        "another version of the engine than part 1: 1.0.0 and",
    ),
    "address": (in_run(engine="sim+http"), "another engine than part 1; give all parts the same --engine"),
    "capability": (inside("declared", capabilities={}), "another declared capability than part 1"),
    "policy": (inside("declared", policy={"scope": ["agent"]}), "another declared policy than part 1"),
    "profile": (in_run(profiles=["core"]), "another profile than part 1; give all parts the same --profile"),
    "retries": (in_run(retries=2), "another number of retries than part 1: 0 and 2"),
    "baseline": (_baselined, "another baseline than part 1; give all the same file"),
    "count": (in_run(shard={"number": 2, "count": 4}), "another number of parts than part 1: 3 and 4"),
    "choice": (
        in_run(filtered="filter: 1 of 4 requirements were selected; shard: 2 scenarios are of other parts of the run"),
        "another choice of requirements than part 1; give all parts the same --area and --requirement",
    ),
    "scenarios": (lambda report: report["checks"].pop(), "another choice of scenarios than part 1"),
    "merged": (
        in_run(parts=[{"digest": DIGEST, "number": 1, "started": "", "finished": ""}]),
        "was merged already; name the reports that it was merged of",
    ),
    "regraded": (
        in_run(regraded={"trace": DIGEST, "kit": "0.1.0", "report": None}),
        "was judged again; merge the reports of the runs",
    ),
    "whole": (in_run(shard=None), "is of a whole run, not of a part"),
    "beyond": (in_run(shard={"number": 4, "count": 3}), "says that it is part 4 of 3"),
    "endless": (in_run(shard={"number": 2, "count": 10**12}), "says that it is part 2 of 1000000000000"),
    "other share": (in_run(shard={"number": 1, "count": 3}), "is part 1, and so is part 1; give one of them"),
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_what_is_not_a_part_of_the_same_run_is_named(name: str) -> None:
    change, told = DIFFERENCES[name]
    one, two, three = parts()
    with pytest.raises(ReportReadError) as fault:
        merge([one, edited(two, change), three])
    assert str(fault.value).startswith("part 2: ")
    assert told in str(fault.value)


def test_the_declared_policy_of_the_parts_is_that_of_the_whole() -> None:
    policy = {"scope": ["agent"], "fork": "reject"}
    merged = merge([edited(part, inside("declared", policy=policy)) for part in parts()])

    assert merged["declared"].get("policy") == policy
    assert "policy" not in merge(parts())["declared"]


def test_a_part_that_has_run_what_another_one_has_is_of_another_run() -> None:
    one, two, _ = parts()
    other = parts_of(RUN, {**SHARE, "c0": 3}, 3)[2]
    with pytest.raises(ReportReadError, match="part 3: has run 'c0', and so has part 1"):
        merge([one, two, other])


def test_jobs_may_reach_their_drivers_at_different_addresses() -> None:
    there = [
        edited(part, in_run(engine=f"http://127.0.0.1:870{place}", transport="http"))
        for place, part in enumerate(parts())
    ]
    assert merge(there)["exit_code"] == 0


def test_nothing_is_no_run() -> None:
    with pytest.raises(ReportReadError, match="there is nothing to merge"):
        merge([])


def test_a_missing_part_is_named_and_can_be_left_out_for_an_incomplete_report() -> None:
    one, _, three = parts()
    with pytest.raises(ReportReadError, match=r"of 3 parts there is no report of 2; .*--allow-missing"):
        merge([one, three])
    report = merge([three, one], allow_missing=True)
    assert (report["exit_code"], report["complete"]) == (3, False)
    assert report["run"]["filtered"] == "merged without part 2 of 3"
    assert {one["id"]: one["outcome"] for one in report["requirements"]} == {
        "NAME-1": "passed",
        "RESUME-2": "not_run",
        "RESUME-3": "passed",
        "ISOLATE-4": "passed",
    }


def test_a_failure_is_worse_than_a_missing_part() -> None:
    failing = Made({**RUN.given, CheckRecord("c4", "Four", "b.feature:40", ("NAME-1",), **FAILS): True})
    one, _, three = parts_of(failing, {**SHARE, "c4": 3}, 3)
    assert merge([one, three], allow_missing=True)["exit_code"] == 1


def test_the_checks_are_in_the_order_of_their_files_however_the_parts_are_named() -> None:
    one, two, three = parts()
    merged = merge([three, one, two])
    assert [check["id"] for check in merged["checks"]] == ["c3", "c2", "c1", "c0"]
    assert merged == merge([two, three, one])


def test_the_parts_are_told_with_their_digests_and_the_command_is_that_of_the_whole() -> None:
    merged = merge(parts())
    assert [(one["number"], one["digest"]) for one in merged["run"]["parts"]] == [
        (part.shard["number"], part.report["digest"]) for part in parts()
    ]
    assert merged["run"]["argv"] == ["session-tck", "run", "--seed", "7"]
    assert merged["run"]["shard"] is None
    assert merged["run"]["workers"] == 3
    assert "shard" not in json.dumps(merged["run"]["filtered"])


def test_a_requirement_that_is_declined_in_part_in_one_part_and_shown_in_another_has_passed() -> None:
    declined: dict[str, Any] = {"outcome": Outcome.UNSUPPORTED, "reason": "adapter.grok is declared unsupported"}
    part_of_it = Made({**RUN.given, CheckRecord("c4", "Four", "b.feature:40", ("NAME-1",), **declined): True})
    merged = merge(parts_of(part_of_it, {**SHARE, "c4": 2}, 3))
    row = next(one for one in merged["requirements"] if one["id"] == "NAME-1")
    assert (row["outcome"], row["reason"]) == (
        "passed",
        "1 of 2 scenarios left out: adapter.grok is declared unsupported",
    )
    # Such a report contradicts itself in nothing.
    assert decode(encode(merged), "merged") == merged


def test_a_control_that_was_blind_in_one_part_makes_the_whole_worth_nothing() -> None:
    def blind(report: Json) -> None:
        report["controls"][0]["observed"] = "7 of 8 failed"

    one, two, three = parts()
    merged = merge([one, edited(two, blind), three])
    assert merged["exit_code"] == 4
    assert {verdict["result"] for verdict in merged["verdict"].values()} == {"indeterminate"}


def test_what_was_killed_in_every_part_is_killed_and_nothing_else() -> None:
    def survived(report: Json) -> None:
        report["controls"][1]["observed"] = "passed 3 of 3"
        report["requirements"][1]["killed"] = []

    one, two, three = parts()
    assert merge([one, two, three])["requirements"][1]["killed"] == ["forgets"]
    assert merge([one, edited(two, survived), three])["requirements"][1]["killed"] == []


def test_a_part_that_was_cut_short_makes_the_whole_so_and_says_which() -> None:
    one, two, three = parts()
    merged = merge([one, edited(two, in_run(cut_short="the time limit of 5 s was reached")), three])
    assert merged["run"]["cut_short"] == "part 2: the time limit of 5 s was reached"
    assert merged["exit_code"] == 3


def test_what_the_parts_took_out_is_counted_together() -> None:
    def redacted(report: Json) -> None:
        report["redactions"] = 2
        report["implementation"]["homepage"] = "https://user:[redacted]@engine.example"

    merged = merge([edited(part, redacted) for part in parts()])
    assert merged["redactions"] == 6
    assert decode(encode(merged), "merged") == merged


# The command, on real runs


def normal(path: Path) -> dict[str, Any]:
    """Read a report without what differs between two runs that give the same: times, places, the order of events."""
    text = re.sub(r"/[^\"\s]*/session-tck-[^/\"]+/worker-\d+/scenarios/\d+/", "/scenario/", path.read_text("utf-8"))
    report: dict[str, Any] = json.loads(re.sub(r"\b1\d{18}\b", "0", text))
    for name in ("argv", "started", "finished", "workers", "parts"):
        del report["run"][name]
    for check in report["checks"]:
        check["duration_ms"] = 0
    report["checks"].sort(key=lambda check: check["id"])
    for requirement in report["requirements"]:
        requirement["checks"].sort()
    # A trace tells of times and places, so no two are the same.
    report["artifacts"] = [one["path"] for one in report["artifacts"]]
    del report["digest"]
    return report


@pytest.fixture
def shared(tmp_path: Path, on_small: Command) -> Callable[..., Path]:
    """Run the small suite whole and in two parts, into folders `whole`, `parts/1` and `parts/2`."""

    def run(*options: str) -> Path:
        given = ("run", "--seed", "5", "--workers", "1", *options)
        on_small(*given, "--report-dir", str(tmp_path / "whole"))
        for number in (1, 2):
            folder = tmp_path / "parts" / str(number)
            on_small(*given, "--shard", f"{number}/2", "--report-dir", str(folder))
        return tmp_path

    return run


#: How the small suite is named.
GIVEN = ("--specification", "specification.md", "--features", "features")
BASELINE = """\
[[failure]]
requirement = "NAME-1"
reason = "keys are numbers"
owner = "mk"
since = 2026-10-01

[[failure]]
requirement = "RESUME-2"
reason = "once it did not resume"
owner = "mk"
since = 2026-10-01
"""


@pytest.mark.parametrize(
    ("options", "code"), [((), 0), (("--engine", "mutant:key-for-number"), 1)], ids=["simulator", "mutant"]
)
def test_the_merged_report_is_that_of_one_run(
    shared: Callable[..., Path], command: Command, options: tuple[str, ...], code: int
) -> None:
    folder = shared(*options)
    done = command("merge", "parts", "-o", "merged", cwd=folder)
    assert done.returncode == code, done.stderr
    assert normal(folder / "merged" / "report.json") == normal(folder / "whole" / "report.json")
    assert {path.name for path in (folder / "merged").iterdir()} >= {"report.json", "report.html", "junit.xml"}
    assert "Report: merged/report.html" in done.stdout
    # The trace of the whole is that of its parts, and can be judged again like any other.
    assert normal(folder / "merged" / "report.json")["artifacts"] == ["trace.ndjson"]
    assert command("regrade", "merged", *GIVEN, cwd=folder).returncode == code
    # Merged into the same folder again, it is none of its own parts.
    assert command("merge", ".", "-o", "merged", cwd=folder / "parts").returncode == code
    assert command("merge", ".", "-o", "merged", cwd=folder / "parts").returncode == code


def test_whether_an_entry_of_the_baseline_is_stale_is_told_from_all_parts(
    shared: Callable[..., Path], command: Command, tmp_path: Path
) -> None:
    (tmp_path / "known.toml").write_text(BASELINE, encoding="utf-8")
    folder = shared("--engine", "mutant:key-for-number", "--baseline", str(tmp_path / "known.toml"))
    done = command("merge", "parts/1/report.json", "parts/2", "-o", "merged", cwd=folder)
    merged, whole = (normal(folder / name / "report.json") for name in ("merged", "whole"))
    assert merged == whole
    assert [one["state"] for one in merged["baseline"]["entries"]] == ["used", "stale"]
    assert done.returncode == merged["exit_code"] == 5


def test_a_trace_of_another_run_is_refused_and_one_that_is_missing_is_said(command: Command, tmp_path: Path) -> None:
    for part in parts():
        folder = tmp_path / str(part.shard["number"])
        folder.mkdir()
        traced = edited(part, lambda report: report["artifacts"].append({"path": "trace.ndjson", "digest": DIGEST}))
        (folder / "report.json").write_bytes(encode(traced.report))
    done = command("merge", "1", "2", "3", "-o", "merged")
    assert done.returncode == 0, done.stderr
    assert "No trace" not in done.stdout
    (tmp_path / "2" / "trace.ndjson").write_text("{}\n", encoding="utf-8")
    done = command("merge", "1", "2", "3", "-o", "again")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "2/trace.ndjson:1: " in done.stderr
    assert not (tmp_path / "again").exists()


def test_bad_input_is_one_line_and_nothing_is_written(command: Command, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "cut.json").write_text('{"schema": "urn:session-tck', encoding="utf-8")
    changed = json.loads(encode(parts()[0].report))
    changed["implementation"]["name"] = "mill"
    (tmp_path / "changed.json").write_text(json.dumps(changed), encoding="utf-8")
    for name, told in {
        "empty": "empty: there is no report here; name the report.json of each part",
        "cut.json": "cut.json: is no JSON",
        "changed.json": "changed.json: was changed after it was written",
        "gone.json": "gone.json: cannot be read: No such file or directory",
    }.items():
        done = command("merge", name, "-o", "merged")
        assert (done.returncode, done.stdout) == (2, "")
        assert told in done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "merged").exists()


def written(folder: Path, *some: Part, name: str = "report.json") -> None:
    """Write the reports of parts, each into a folder of its number."""
    for part in some:
        place = folder / str(part.shard["number"])
        place.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(encode(part.report))


@pytest.mark.parametrize(
    "words",
    [
        ("p/1", "p/2", "p/3", "-o", "p/1"),
        ("p/1", "p/2", "p/3", "-o", "p/../p/1"),
        ("p/1", "p/2", "p/3", "-o", "link"),
        ("link", "p/2", "p/3", "-o", "p/1"),
        ("p", "-o", "p/1", "--allow-missing"),
        ("p/2", "p/3", "-o", "p/1", "--allow-missing"),
    ],
)
def test_no_part_is_written_over_however_its_folder_is_named(
    words: tuple[str, ...], command: Command, tmp_path: Path
) -> None:
    written(tmp_path / "p", *parts())
    (tmp_path / "link").symlink_to("p/1")
    before = (tmp_path / "p" / "1" / "report.json").read_bytes()

    done = command("merge", *words)

    assert (done.returncode, done.stdout) == (2, "")
    assert "a part of the run lies there; name another folder" in done.stderr
    assert [path.name for path in (tmp_path / "p" / "1").iterdir()] == ["report.json"]
    assert (tmp_path / "p" / "1" / "report.json").read_bytes() == before


def test_the_trace_of_a_part_is_not_written_over_where_its_report_has_another_name(
    command: Command, tmp_path: Path
) -> None:
    traced = [
        edited(part, lambda report: report["artifacts"].append({"path": "trace.ndjson", "digest": DIGEST}))
        for part in parts()
    ]
    written(tmp_path, *traced, name="part.json")
    (tmp_path / "1" / "trace.ndjson").write_text("{}\n", encoding="utf-8")

    done = command("merge", "1/part.json", "2/part.json", "-o", "1", "--allow-missing")

    assert done.returncode == 2
    assert "-o 1: a part of the run lies there; name another folder" in done.stderr
    assert (tmp_path / "1" / "trace.ndjson").exists()


def test_what_was_merged_before_is_found_to_be_none_of_the_parts_however_it_is_named(
    command: Command, tmp_path: Path
) -> None:
    written(tmp_path / "p", *parts())
    for folder in ("p/all", "p/../p/all", "./p/1/../all"):
        done = command("merge", "p", "-o", folder)
        assert done.returncode == 0, done.stderr


def test_a_part_whose_time_is_none_is_refused_by_name(command: Command, tmp_path: Path) -> None:
    def undated(report: Json) -> None:
        _baselined(report)
        report["run"]["started"] = "yesterday"

    written(tmp_path / "p", *(edited(part, undated) for part in parts()))

    done = command("merge", "p", "-o", "merged")

    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "p/1/report.json: was changed after it was written: run.started is no time" in done.stderr
