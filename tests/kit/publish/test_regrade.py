from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tck_reports.reading import read
from tck_reports.report import content_digest

from ..conftest import FEATURE, SPECIFICATION, Command  # noqa: TID252 -- the fixtures of the room that this one is in


def _recorded(on_small: Command) -> None:
    done = on_small("run", "--seed", "1", "--workers", "1", "--report-dir", "run")
    assert done.returncode in {0, 1}, done.stderr


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the small suite was run."""
    folder = tmp_path_factory.mktemp("once")
    (folder / "specification.md").write_text(SPECIFICATION, encoding="utf-8")
    (folder / "features").mkdir()
    (folder / "features" / "small.feature").write_text(FEATURE, encoding="utf-8")
    words = ["run", "--seed", "1", "--workers", "1", "--report-dir", "run"]
    given = ["--specification", "specification.md", "--features", "features"]
    subprocess.run(
        [sys.executable, "-P", "-m", "tck_kit.command_line", *words, *given],
        cwd=folder,
        check=True,
        timeout=120,
        capture_output=True,
    )
    return folder


@pytest.fixture
def ran(small: Path, once: Path) -> Path:
    """The report folder of a run of the small suite, which a test may change."""
    shutil.copytree(once / "run", small / "run")
    return small / "run"


@pytest.mark.usefixtures("ran")
def test_the_same_kit_judges_a_trace_as_it_judged_the_run(on_small: Command, small: Path) -> None:

    done = on_small("regrade", "run", "-o", "again", "--workers", "1")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Nothing changed: 4 checks came out as before")
    old, new = read(small / "run" / "report.json"), read(small / "again" / "report.json")
    (artifact,) = old["artifacts"]
    assert artifact["path"] == "trace.ndjson"
    assert new["run"]["regraded"] == {
        "trace": artifact["digest"],
        "kit": old["kit"]["version"],
        "report": old["digest"],
    }
    assert new["implementation"] == old["implementation"]
    assert [(one["id"], one["outcome"]) for one in new["checks"]] == [
        (one["id"], one["outcome"]) for one in old["checks"]
    ]


@pytest.mark.usefixtures("ran")
def test_a_stricter_expectation_changes_verdict_requirement_and_check_and_says_why(
    on_small: Command, small: Path
) -> None:
    stricter = FEATURE.replace("agent/issue-7-mend-the-door", "agent/issue-7")
    (small / "features" / "small.feature").write_text(stricter, encoding="utf-8")

    done = on_small("regrade", "run", "--format", "json", "--workers", "1")

    assert done.returncode == 1, done.stderr
    changed = {one["kind"]: one for one in json.loads(done.stdout)["changed"]}
    assert (changed["verdict"]["old"], changed["verdict"]["new"]) == ("conformant 2/2", "nonconformant 1/2")
    assert (changed["requirement"]["id"], changed["requirement"]["cause"]) == ("NAME-1", "checks")
    assert (changed["check"]["old"], changed["check"]["new"]) == ("passed", "failed")
    assert changed["check"]["cause"] == "scenario"
    assert "is 'Then the name of the issue is \"agent/issue-7\"'" in changed["check"]["why"]


def test_an_expectation_that_was_wrong_passes_once_it_is_mended(on_small: Command, small: Path) -> None:
    feature = small / "features" / "small.feature"
    feature.write_text(FEATURE.replace("agent/issue-7-mend-the-door", "agent/issue-7"), encoding="utf-8")
    _recorded(on_small)
    feature.write_text(FEATURE, encoding="utf-8")

    done = on_small("regrade", "run", "--workers", "1")

    assert done.returncode == 0, done.stderr
    assert "core: nonconformant 1/2 → conformant 2/2" in done.stdout
    assert "NAME-1: failed → passed" in done.stdout


@pytest.mark.usefixtures("ran")
def test_a_scenario_that_asks_for_something_else_is_not_run_and_one_that_is_new_as_well(
    on_small: Command, small: Path
) -> None:
    other = FEATURE.replace(
        "When a development run of the issue is due\n    Then the name",
        "When an answer run of the issue is due\n    Then the name",
    )
    other = other.replace("State is for its owner", "State is for its owner alone")
    (small / "features" / "small.feature").write_text(other, encoding="utf-8")

    done = on_small("regrade", "run", "--format", "json", "--workers", "1")

    assert done.returncode == 3, done.stderr
    told = json.loads(done.stdout)
    checks = {
        one["id"].partition("::")[2]: (one["new"], one["cause"]) for one in told["changed"] if one["kind"] == "check"
    }
    assert checks == {
        "The first run is named": ("not_run", "held"),
        "State is for its owner": (None, "gone"),
        "State is for its owner alone": ("not_run", "new"),
    }
    assert told["notes"] == ["1 scenario of the trace is not in this kit: small.feature::State is for its owner"]


@pytest.mark.usefixtures("ran")
def test_a_requirement_of_other_words_is_named(on_small: Command, small: Path) -> None:
    (small / "specification.md").write_text(
        SPECIFICATION.replace("**ISOLATE-11** (proposed)", "**ISOLATE-11** (agreed)").replace(
            " *Reason: others read it.*", ""
        ),
        encoding="utf-8",
    )

    done = on_small("regrade", "run", "--workers", "1")

    assert "core: conformant 2/2 → conformant 3/3" in done.stdout


def test_a_trace_that_breaks_off_is_judged_as_far_as_it_goes(on_small: Command, ran: Path) -> None:
    trace = ran / "trace.ndjson"
    lines = trace.read_text(encoding="ascii").splitlines(keepends=True)
    last = max(at for at, line in enumerate(lines) if line.startswith('{"scenario":'))
    trace.write_text("".join(lines[: last + 2]), encoding="ascii")

    done = on_small("regrade", "run", "--workers", "1")

    assert done.returncode == 3, done.stderr
    assert "note: the trace breaks off: 1 of 4 scenarios of the run are missing from it" in done.stdout


def _lines(folder: Path) -> list[str]:
    return (folder / "trace.ndjson").read_text(encoding="ascii").splitlines(keepends=True)


def _without_last_line(folder: Path, *changes: tuple[str, str]) -> None:
    """Leave the last line out, and change what is left as whoever knows how scenarios are sealed."""
    text = "".join(_lines(folder)[:-1])
    for was, now in changes:
        assert was in text
        text = text.replace(was, now, 1)

    def sealed(found: re.Match[str]) -> str:
        return f'{found[1]}{{"digest":"{hashlib.sha256(found[1].encode("ascii")).hexdigest()}"}}\n'

    scenario = re.compile(r'^(\{"scenario":.*?)\{"digest":"[0-9a-f]{64}"\}\n', re.MULTILINE | re.DOTALL)
    (folder / "trace.ndjson").write_text(scenario.sub(sealed, text), encoding="ascii")


def test_a_trace_that_lacks_nothing_but_its_last_line_is_no_whole_run(
    on_small: Command, small: Path, ran: Path
) -> None:
    _without_last_line(ran)

    done = on_small("regrade", "run", "-o", "again", "--workers", "1")

    assert done.returncode == 3, done.stdout
    assert "exit code 3: the trace breaks off" in done.stdout
    new = read(small / "again" / "report.json")
    assert (new["run"]["cut_short"], new["complete"]) == ("the trace breaks off", False)
    assert {one["outcome"] for one in new["checks"]} == {"passed"}


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (('"seed":1', '"seed":2'), "it says otherwise than the report what the run's seed was"),
        (('"engine":"sim"', '"engine":"mutant"'), "what the run's way to the engine was"),
        (('"shard":null', '"shard":{"number":1,"count":2}'), "what the run's part was"),
        (('"outcome":"passed"', '"outcome":"failed"'), "gave failed in it, and passed in the report"),
    ],
)
def test_a_trace_that_breaks_off_is_held_against_the_report_beside_it(
    change: tuple[str, str], what: str, on_small: Command, small: Path, ran: Path
) -> None:
    _without_last_line(ran, change)

    done = on_small("regrade", "run", "-o", "again")

    assert (done.returncode, done.stdout) == (2, "")
    assert "it breaks off, and is not of the run that the report is of" in done.stderr
    assert what in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (small / "again").exists()


def test_a_run_that_was_cut_short_is_so_when_it_is_judged_again(on_small: Command, small: Path, ran: Path) -> None:
    *lines, _ = _lines(ran)
    assert '"cut_short":null' in lines[0]
    before = "".join([lines[0].replace('"cut_short":null', '"cut_short":"interrupted"'), *lines[1:]])
    digest = hashlib.sha256(before.encode("ascii")).hexdigest()
    trace = f'{before}{{"complete":true,"scenarios":4,"digest":"{digest}"}}\n'
    (ran / "trace.ndjson").write_text(trace, encoding="ascii")
    report: Any = read(ran / "report.json")
    report["artifacts"][0]["digest"] = f"sha256:{hashlib.sha256(trace.encode('ascii')).hexdigest()}"
    report["digest"] = content_digest(report)
    (ran / "report.json").write_text(json.dumps(report), encoding="ascii")

    done = on_small("regrade", "run", "-o", "again", "--workers", "1")

    assert done.returncode == 3, done.stderr
    assert read(small / "again" / "report.json")["run"]["cut_short"] == "the run was cut short: interrupted"


def test_of_a_part_that_breaks_off_the_rest_was_not_run_by_others(on_small: Command, small: Path) -> None:
    done = on_small("run", "--seed", "1", "--workers", "1", "--shard", "1/2", "--report-dir", "part")
    assert done.returncode == 3, done.stderr
    lines = _lines(small / "part")
    last = max(at for at, line in enumerate(lines) if line.startswith('{"scenario":'))
    (small / "part" / "trace.ndjson").write_text("".join(lines[: last + 2]), encoding="ascii")
    lost = json.loads(lines[last])["scenario"]

    done = on_small("regrade", "part", "-o", "again", "--workers", "1")

    assert done.returncode == 3, done.stderr
    was, now = (
        {one["id"]: (one["outcome"], one["reason"]) for one in read(small / name / "report.json")["checks"]}
        for name in ("part", "again")
    )
    assert now[lost][0] == "not_run"
    assert (now[lost][1] or "").startswith("the trace does not hold it")
    assert {name: how for name, how in now.items() if name != lost} == {
        name: how for name, how in was.items() if name != lost
    }


@pytest.mark.parametrize("spelled", ["run/", "./run", "run/../run", "link", "link/../run", "other"])
@pytest.mark.usefixtures("ran")
def test_the_report_of_the_run_is_not_written_over_however_its_folder_is_named(
    spelled: str, on_small: Command, small: Path
) -> None:
    (small / "link").symlink_to("run")
    (small / "other").mkdir()
    (small / "other" / "report.json").write_bytes((small / "run" / "report.json").read_bytes())
    before = (small / "run" / "report.json").read_bytes()
    given = ("--report", "other/report.json") if spelled == "other" else ()

    done = on_small("regrade", "run/trace.ndjson", *given, "-o", spelled)

    assert (done.returncode, done.stdout) == (2, "")
    assert f"-o {Path(spelled)}: the report of the run that was recorded is there; name another folder" in done.stderr
    assert (small / "run" / "report.json").read_bytes() == before == (small / "other" / "report.json").read_bytes()


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (('"gave":"', '"gave":"x'), "were changed after they were written"),
        (("trace-1.json", "trace-9.json"), "no trace of a schema that this kit reads"),
        (('{"schema":', "<script>\x1b[31m"), "this is no line of a trace"),
    ],
    ids=["edited", "of another schema", "no trace"],
)
def test_a_trace_that_cannot_be_used_is_named(
    change: tuple[str, str], what: str, on_small: Command, small: Path, ran: Path
) -> None:
    trace = ran / "trace.ndjson"
    trace.write_text(trace.read_text(encoding="ascii").replace(*change, 1), encoding="ascii")

    done = on_small("regrade", "run", "-o", "again")

    assert (done.returncode, done.stdout) == (2, "")
    assert what in done.stderr
    assert "Traceback" not in done.stderr
    assert not (small / "again").exists()


@pytest.mark.usefixtures("ran")
def test_a_run_without_a_trace_and_a_trace_of_another_run_are_named(on_small: Command, small: Path) -> None:
    on_small("run", "--seed", "2", "--report-dir", "other", "--no-trace")

    assert not (small / "other" / "trace.ndjson").exists()
    for arguments, what in (
        (("other",), "there is no such file"),
        (("run", "--report", "other"), "this report was written without a trace"),
        (("run", "-o", "run"), "name another folder"),
    ):
        done = on_small("regrade", *arguments)
        assert done.returncode == 2, done.stdout
        assert what in done.stderr


def test_markdown_takes_nothing_from_an_engine_for_markup(on_small: Command, small: Path) -> None:
    feature = small / "features" / "small.feature"
    feature.write_text(FEATURE.replace("agent/issue-7-mend-the-door", "<b>|x|</b>"), encoding="utf-8")
    _recorded(on_small)
    feature.write_text(FEATURE, encoding="utf-8")

    done = on_small("regrade", "run", "--format", "markdown", "--workers", "1")

    assert "### Requirements" in done.stdout
    assert "<b>" not in done.stdout.replace("\\<b\\>", "")
