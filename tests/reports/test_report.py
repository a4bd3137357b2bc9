"""The canonical report: of its schema in every case, and refused once it no longer says what was written."""

import copy
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast, is_typeddict

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from tck_reports import reading, shape
from tck_reports.errors import ReportReadError
from tck_reports.formats import html
from tck_reports.grading import Grading
from tck_reports.outcomes import Outcome
from tck_reports.reading import inconsistencies, read, schema, validate
from tck_reports.records import Control
from tck_reports.report import content_digest, encode
from tck_reports.shape import Report

from .samples import check, entry, graded, mixed_report, report_of
from .test_verdict import runs

#: The names that others script against, and that therefore never change.
FIELDS = {
    "": "schema kit spec implementation declared run complete incomplete_reasons controls verdict requirements checks "
    "missing_checks artifacts redactions",
    "kit": "version suite_digest",
    "spec": "id version digest set_digest",
    "implementation": "name version language homepage",
    "declared": "profiles capabilities",
    "run": "seed argv started finished host workers transport",
    "controls": "name expected observed sin",
    "verdict.core": "result witnessed numerator denominator",
    "requirements": "id level status profile section anchor text_digest outcome reason evidence checks killed",
    "checks": "id scenario feature requirements outcome expected actual evidence duration_ms",
}


@pytest.mark.parametrize("place", FIELDS)
def test_the_agreed_field_names_are_there(place: str) -> None:
    value: Any = mixed_report()
    for step in filter(None, place.split(".")):
        value = value[step]
    for one in value if isinstance(value, list) else [value]:
        assert set(FIELDS[place].split()) <= set(one)


def test_the_schema_is_itself_valid_and_has_a_versioned_id() -> None:
    Draft202012Validator.check_schema(schema())
    assert schema()["$id"] == shape.SCHEMA_ID
    assert shape.SCHEMA_ID.endswith("/report-2.json")


def test_types_and_schema_name_the_same_fields() -> None:
    definitions = schema()["$defs"]
    met = schema()["properties"]["run"]["properties"]["surroundings"]
    pairs: dict[str, dict[str, Any]] = {
        "Report": schema(),
        "VerdictPart": definitions["verdict"],
        "RequirementPart": definitions["requirement"],
        "CheckPart": definitions["check"],
        "ExpectationPart": definitions["expectation"],
        **{
            f"{name.capitalize()}Part": schema()["properties"][name]
            for name in ("kit", "spec", "implementation", "declared", "run")
        },
        "ControlPart": schema()["properties"]["controls"]["items"],
        "ArtifactPart": schema()["properties"]["artifacts"]["items"],
        "SurroundingsPart": met,
        "NotExercisedPart": met["properties"]["not_exercised"]["items"],
        "ShardPart": definitions["shard"],
        "MergedPart": definitions["part"],
        "RegradedPart": definitions["regraded"],
        "AttemptPart": definitions["attempt"],
        "ExcusePart": definitions["excuse"],
        "BaselinePart": definitions["baseline"],
        "BaselineEntryPart": definitions["baseline_entry"],
    }
    types = {name: kind for name, kind in vars(shape).items() if is_typeddict(kind)}
    assert set(pairs) == set(types)
    for name, kind in types.items():
        assert set(kind.__annotations__) == set(pairs[name]["properties"]), name
        assert kind.__required_keys__ == set(pairs[name]["required"]), name


def test_a_report_with_every_outcome_is_valid_and_consistent() -> None:
    report = mixed_report()
    assert {one["outcome"] for one in report["requirements"]} == set(Outcome)
    assert validate(report) == []
    assert inconsistencies(report) == []


def test_a_declared_policy_is_part_of_a_report_and_of_no_other() -> None:
    report = mixed_report()
    assert "policy" not in report["declared"]
    report["declared"]["policy"] = {"scope": ["agent", "node"], "fork": "reject", "switch": ""}
    assert validate(report) == []
    text = html.render(report)
    assert "agent, node" in text
    assert '<th scope="row">Fork</th><td>reject <span' in text
    assert '<th scope="row">Switch</th><td>none <span' in text
    report["declared"]["policy"] = {"scope": 1}  # type: ignore[dict-item] # what no kit has written
    assert validate(report) != []


def test_a_report_of_nothing_is_valid_and_indeterminate() -> None:
    report = report_of(graded([], []), controls=())
    assert validate(report) == inconsistencies(report) == []
    assert report["verdict"]["core"]["result"] == "indeterminate"


def test_a_report_of_a_filtered_run_says_why_it_is_not_complete() -> None:
    suite = {"a": ["RESUME-1"], "b": ["OFF-1"]}
    report = report_of(graded([entry("RESUME-1"), entry("OFF-1")], [check("a", "RESUME-1")], suite, only={"RESUME-1"}))
    assert validate(report) == inconsistencies(report) == []
    assert (report["complete"], report["incomplete_reasons"], report["exit_code"]) == (
        False,
        ["filter: 1 of 2 requirements were selected"],
        3,
    )


@given(runs())
@settings(max_examples=40)
def test_every_run_gives_a_report_that_is_valid_and_consistent(grading: Grading) -> None:
    report = report_of(grading)
    assert validate(report) == []
    assert inconsistencies(report) == []
    assert json.loads(encode(report)) == report


def test_secrets_reach_no_part_of_the_report_and_are_counted() -> None:
    checks = [check("a", "RESUME-1", outcome=Outcome.FAILED, reason="sent hunter22", scenario="with hunter22")]
    argv = ["run", "--token", "hunter22"]
    report = report_of(graded([entry("RESUME-1")], checks), secrets=["hunter22"], argv=argv, redactions=2)
    assert b"hunter22" not in encode(report)
    assert report["redactions"] == 2 + encode(report).count(b"[redacted]") > 5


def written(report: Report, folder: Path) -> Path:
    path = folder / "report.json"
    path.write_bytes(encode(report))
    return path


def test_a_report_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert read(written(mixed_report(), tmp_path)) == mixed_report()


def _verdict(report: Report) -> None:
    report["verdict"]["core"]["result"] = "conformant"


def _numerator(report: Report) -> None:
    report["verdict"]["core"]["numerator"] += 1


def _exit_code(report: Report) -> None:
    report["exit_code"] = 0


def _outcome(report: Report) -> None:
    next(one for one in report["requirements"] if one["outcome"] == "failed")["outcome"] = "passed"


def _check(report: Report) -> None:
    next(one for one in report["checks"] if one["outcome"] == "passed")["outcome"] = "failed"


def _text(report: Report) -> None:
    report["implementation"]["name"] = "another"


def _controls(report: Report) -> None:
    report["controls"] = [{"name": "silent", "expected": "failed", "observed": "passed", "sin": "none"}]


def _profile(report: Report) -> None:
    report["requirements"][0]["profile"] = "hardened"


def _complete(report: Report) -> None:
    report["complete"] = True


def _field(report: Report) -> None:
    cast("dict[str, Any]", report).pop("checks")


DAMAGES = [_verdict, _numerator, _exit_code, _outcome, _check, _text, _controls, _profile, _complete, _field]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_report_edited_by_hand_is_refused(damage: Callable[[Report], None], tmp_path: Path) -> None:
    report = copy.deepcopy(mixed_report())
    damage(report)
    path = written(report, tmp_path)
    with pytest.raises(ReportReadError, match=r"report\.json: .*; run again; reports are not edited"):
        read(path)


@pytest.mark.parametrize("damage", [_verdict, _numerator, _exit_code, _outcome, _check, _controls, _profile])
def test_a_new_digest_does_not_make_an_edited_report_right(damage: Callable[[Report], None], tmp_path: Path) -> None:
    report = copy.deepcopy(mixed_report())
    damage(report)
    report["digest"] = content_digest(report)
    with pytest.raises(ReportReadError):
        read(written(report, tmp_path))


def _check_twice(report: Report) -> None:
    report["checks"].append(report["checks"][0])


def _requirement_twice(report: Report) -> None:
    report["requirements"].append(report["requirements"][0])


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        (_check_twice, "check 'resumes' is there 2 times"),
        (_requirement_twice, "requirement 'RESUME-1' is there 2 times"),
    ],
)
def test_what_is_there_twice_is_refused_with_its_id(
    damage: Callable[[Report], None], what: str, tmp_path: Path
) -> None:
    report = copy.deepcopy(mixed_report())
    damage(report)
    assert what in inconsistencies(report)
    report["digest"] = content_digest(report)
    with pytest.raises(ReportReadError, match=r"was changed after it was written: .* is there 2 times"):
        read(written(report, tmp_path))


@pytest.mark.parametrize("indent", [2, None])
@pytest.mark.parametrize("seeds", ['"seed": 7, "seed": 42', '"seed": 42, "seed": 42', '"s\\u0065ed": 7, "seed": 42'])
def test_a_name_that_stands_twice_in_one_object_is_refused(seeds: str, indent: int | None, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    text = json.dumps(mixed_report(), indent=indent)
    path.write_text(text, encoding="ascii")
    assert read(path) == mixed_report()
    path.write_text(text.replace('"seed": 42', seeds), encoding="ascii")
    with pytest.raises(ReportReadError, match="'seed' stands twice in one object; run again; reports are not edited"):
        read(path)


@pytest.mark.parametrize(
    "time",
    [
        "yesterday",
        "",
        "2026-01-02",
        "2026-01-02T03:04:05",
        "2026-02-30T03:04:05+00:00",
        "0000-01-02T03:04:05+00:00",
        "2026-01-02T03:04:05+99:00",
        "20260102T030405+00:00",
        "2026-W01-1T03:04:05+00:00",
        "2026-01-02T03:04:05+00:00\n",
    ],
)
@pytest.mark.parametrize("name", ["started", "finished"])
def test_a_time_of_the_run_that_is_none_is_refused(name: str, time: str, tmp_path: Path) -> None:
    report = cast("dict[str, Any]", copy.deepcopy(mixed_report()))
    report["run"][name] = time
    report["digest"] = content_digest(cast("Report", report))
    with pytest.raises(ReportReadError, match=rf"run\.{name} is no time with an offset"):
        read(written(cast("Report", report), tmp_path))


@pytest.mark.parametrize("time", ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.678+05:30"])
def test_a_time_with_any_offset_is_one(time: str, tmp_path: Path) -> None:
    report = copy.deepcopy(mixed_report())
    report["run"]["started"] = time
    report["digest"] = content_digest(report)
    assert read(written(report, tmp_path))["run"]["started"] == time


def test_the_time_of_a_part_is_one_as_well() -> None:
    report = copy.deepcopy(mixed_report())
    there = "2026-01-02T03:04:05+00:00"
    report["run"]["parts"] = [{"digest": report["digest"], "number": 1, "started": "soon", "finished": there}]
    assert inconsistencies(report) == ["run.parts.started is no time with an offset: 'soon'"]


def test_what_is_no_regular_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero"), tmp_path):
        with pytest.raises(ReportReadError, match="cannot be read: it is no regular file"):
            read(path)


def test_no_more_is_read_than_shows_that_a_file_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(mixed_report(), tmp_path)
    size = path.stat().st_size
    monkeypatch.setattr(reading, "MAX_BYTES", size)
    assert read(path) == mixed_report()
    monkeypatch.setattr(reading, "MAX_BYTES", size - 1)
    with pytest.raises(ReportReadError, match=f"larger than {size - 1} bytes"):
        read(path)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "is no JSON"),
        (b"\xff\xfe", "is no JSON"),
        (b"[" * 100_000, "is nested too deeply"),
        (b'{"schema": NaN}', "is no JSON"),
        (b"[]", "states no schema, so it is no report"),
        (b'{"schema": "urn:other:report-2.json"}', "is not a report of a schema"),
    ],
    ids=["empty", "not text", "deep", "not a number", "a list", "another schema"],
)
def test_what_is_no_report_is_refused_with_one_clear_error(content: bytes, what: str, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(content)
    with pytest.raises(ReportReadError, match=re.escape(what)):
        read(path)


@pytest.mark.parametrize("name", ["absent.json", ".", "a\0b", "x" * 5000])
def test_a_path_that_is_no_file_is_refused_with_one_clear_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(ReportReadError, match="cannot be read"):
        read(tmp_path / name)


def test_a_control_that_went_wrong_stands_in_the_report() -> None:
    report = report_of(
        graded([entry("RESUME-1")], [check("a", "RESUME-1")]), controls=[Control("silent", "failed", "passed")]
    )
    assert (report["exit_code"], report["verdict"]["core"]["result"]) == (4, "indeterminate")
    assert validate(report) == inconsistencies(report) == []
