"""The file of known failures: what it says, and everything that is wrong with it at once, each with its line."""

from __future__ import annotations

import hashlib
import json
from datetime import date
from pathlib import Path

import pytest
from tests.reports.samples import check, graded, report_of
from tests.reports.samples import entry as requirement

from tck_kit.faults import UsageFault
from tck_kit.known import MOST_BYTES, read_baseline
from tck_reports.baseline.entries import Known
from tck_reports.outcomes import Outcome
from tck_reports.reading import read
from tck_reports.records import BaselineEntry, Control
from tck_reports.report import encode

from .conftest import FEATURE, Command

TODAY = date(2026, 11, 30)
WHOLE = """\
# What the engine is known to fail.

[[failure]]
requirement = "RESUME-4"
reason = "issue 12"
owner = "runtime team"
since = 2026-01-31

[[flaky]]
check = "resume/phases.feature::A second run[codex, answer]"
reason = "issue 13"
owner = "Ada"
since = "2026-02-01"
until = 2026-12-31

[[failure]]
check = "off/setting.feature::Off"
statement = "outcome of run * of the issue"
step = "Then the second run has succeeded"
fails = "timeout"
reason = "issue 14"
owner = "Ada"
since = 2026-11-30
"""
ENTRIES = (
    Known(BaselineEntry("failure", "requirement", "RESUME-4", "issue 12", "runtime team", "2026-01-31")),
    Known(
        BaselineEntry("failure", "check", "off/setting.feature::Off", "issue 14", "Ada", "2026-11-30"),
        "outcome of run * of the issue",
        "timeout",
        "Then the second run has succeeded",
    ),
    Known(
        BaselineEntry(
            "flaky",
            "check",
            "resume/phases.feature::A second run[codex, answer]",
            "issue 13",
            "Ada",
            "2026-02-01",
            "2026-12-31",
        )
    ),
)


def written(folder: Path, text: str | bytes, name: str = "known.toml") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def entry(*lines: str, kind: str = "failure", without: str = "") -> str:
    """Write an entry in which nothing is wrong but these lines, each in the place of the one with its key."""
    told = {"requirement": '"R-1"', "reason": '"issue 12"', "owner": '"us"', "since": "2026-01-31"}
    if kind == "flaky":
        told["until"] = "2026-12-31"
    told |= {key.strip(): value.strip() for key, _, value in (line.partition("=") for line in lines)}
    return f"[[{kind}]]\n" + "".join(f"{key} = {value}\n" for key, value in told.items() if key != without)


def checked(*lines: str) -> str:
    return entry('check = "a::b"', *lines, without="requirement")


def test_entries_are_read_with_what_narrows_them_down(tmp_path: Path) -> None:
    held = read_baseline(written(tmp_path, WHOLE), TODAY)
    assert held.entries == ENTRIES
    assert held.today == TODAY
    assert held.digest == f"sha256:{hashlib.sha256(WHOLE.encode()).hexdigest()}"


def test_json_of_the_same_shape_says_the_same(tmp_path: Path) -> None:
    row = {"requirement": "RESUME-4", "reason": "issue 12", "owner": "runtime team", "since": "2026-01-31"}
    held = read_baseline(written(tmp_path, json.dumps({"failure": [row]}), "known.json"), TODAY)
    assert held.entries == ENTRIES[:1]


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "{}"])
def test_a_list_of_no_failures_is_one(tmp_path: Path, text: str) -> None:
    assert read_baseline(written(tmp_path, text), TODAY).entries == ()


def test_an_entry_whose_last_day_is_over_is_read_and_judged_by_the_run(tmp_path: Path) -> None:
    assert read_baseline(written(tmp_path, entry("until = 2026-02-01")), TODAY).entries[0].entry.until == "2026-02-01"


REFUSED: list[tuple[str, str, str]] = [
    ("no toml", "[[failure]\n", "this is no TOML"),
    ("no json", "{not json", "this is no JSON"),
    ("the earlier form", '{"a::b": "issue 12"}', 'write [[failure]] check = "a::b" reason = "issue 12" owner = …'),
    ("another table", "[[failures]]\n", ":1: failures is not known; did you mean failure?"),
    ("a table for a list", "[failure]\n", ":1: failure is no list of entries; begin each entry with [[failure]]"),
    ("a value for a list", "failure = 3\n", ":1: failure is no list of entries"),
    ("a value for an entry", "failure = [1]\n", "failure[1] is no table"),
    ("both targets", entry('check = "a"'), ":1: failure[1] names both a requirement and a check; give one of them"),
    ("no target", entry(without="requirement"), ":1: failure[1] names neither a requirement nor a check"),
    ("no reason", entry(without="reason"), ":1: failure[1] lacks reason; write why it fails"),
    ("an empty reason", entry('reason = " "'), ":3: failure[1].reason is empty; give a text in quotes"),
    ("no text", entry("reason = 3"), ":3: failure[1].reason is 3; give a text in quotes"),
    ("a long text", entry(f'reason = "{"x" * 2001}"'), "is longer than 2,000 characters"),
    ("no owner", entry(without="owner"), "failure[1] lacks owner; write who looks after it"),
    ("no since", entry(without="since"), "failure[1] lacks since; write the day on which it was found"),
    ("no date", entry('since = "soon"'), ':5: failure[1].since is "soon", which is no date; write it as since = '),
    ("a time", entry("since = 2026-01-01T00:00:00"), "which is no date"),
    ("a day to come", entry("since = 2026-12-01"), ":5: failure[1].since is 2026-12-01, and today is 2026-11-30"),
    ("an end before", entry("until = 2026-01-30"), ":6: failure[1].until is 2026-01-30, before 2026-01-31"),
    ("no last day", entry(kind="flaky", without="until"), ":1: flaky[1] lacks until; write the last day"),
    ("an unknown key", entry('reasn = "x"'), ":6: failure[1].reasn is not known; did you mean reason?"),
    ("an unknown way", entry('fails = "timeuot"'), 'failure[1].fails is "timeuot"; did you mean timeout?'),
    ("a crash", entry('fails = "crashed"'), 'failure[1].fails is "crashed"; no entry excuses a crash'),
    ("a statement", entry('statement = "x"'), "failure[1].statement is of one check, and the entry is for a requirem"),
    ("a step", entry('step = "Then x"'), "failure[1].step is of one check, and the entry is for a requirement"),
    ("no step", checked('step = "The x"'), 'failure[1].step is "The x"; begin it with When or Then, and give the step'),
    ("a given", checked('step = "Given x"'), "no entry excuses what did not get as far as its question"),
    ("an empty step", checked('step = ""'), "failure[1].step is empty; give a text in quotes"),
    ("a flaky step", entry('step = "Then x"', kind="flaky"), "flaky[1].step is for a failure alone"),
    ("a flaky way", entry('fails = "timeout"', kind="flaky"), "flaky[1].fails is for a failure alone"),
    ("twice", entry() + entry(), ':6: failure[2] names "R-1", as failure[1] does; keep one of them'),
    ("both kinds", entry() + entry(kind="flaky"), ':6: flaky[1] names "R-1", as failure[1] does; keep one of them'),
]


@pytest.mark.parametrize(("text", "words"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_is_wrong_with_it_is_said_with_its_place_and_its_cure(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageFault) as caught:
        read_baseline(written(tmp_path, text), TODAY)
    assert words in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "known.toml"))


def test_several_mistakes_are_told_together_in_the_order_of_their_lines(tmp_path: Path) -> None:
    text = entry(without="owner") + entry('requirement = "R-2"', "since = 2030-01-01")
    with pytest.raises(UsageFault) as caught:
        read_baseline(written(tmp_path, text), TODAY)
    told = str(caught.value).splitlines()
    assert told[0].endswith("2 mistakes; mend them:")
    assert [line.split(":")[0].strip() for line in told[1:]] == ["line 1", "line 9"]


@pytest.mark.parametrize(
    ("content", "words"), [(b"\xff\xfe", "no UTF-8"), (b" " * (MOST_BYTES + 1), "larger than 4 MiB")]
)
def test_what_is_no_text_of_a_usual_size_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(UsageFault, match=words):
        read_baseline(written(tmp_path, content), TODAY)


@pytest.mark.parametrize("name", ["none.toml", "."])
def test_what_is_no_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageFault):
        read_baseline(tmp_path / name, TODAY)


# A first baseline


NAMED = "small.feature::The first run is named"


@pytest.fixture
def failing(small: Path, on_small: Command) -> Path:
    """A report folder of a run in which one scenario of four has failed."""
    feature = small / "features" / "small.feature"
    feature.write_text(FEATURE.replace("mend-the-door", "mend-the-window"), encoding="utf-8")
    done = on_small("run", "--report-dir", "report")
    assert done.returncode == 1, done.stderr
    return small / "report"


def test_a_first_baseline_is_made_of_a_report_and_makes_the_next_run_pass(
    failing: Path, small: Path, on_small: Command, command: Command
) -> None:
    given = ("--owner", "us", "--reason", "issue 12")
    done = command("baseline", str(failing), "-o", "known.toml", *given, cwd=small)
    assert (done.returncode, done.stdout) == (0, "1 entry (known.toml)\n"), done.stderr
    (one,) = read_baseline(small / "known.toml").entries
    assert (one.entry.name, one.entry.reason, one.entry.owner) == (NAMED, "issue 12", "us")
    assert one.statement is not None
    assert (one.step or "").startswith("Then ")

    again = on_small("run", "--baseline", "known.toml", "--report-dir", "again")

    assert again.returncode == 0, again.stdout
    baseline = read(small / "again" / "report.json")["baseline"]
    assert baseline is not None
    assert [(row["state"], row["checks"]) for row in baseline["entries"]] == [("used", [NAMED])]

    refused = command("baseline", "again", "-o", "known.toml", *given, cwd=small)
    assert refused.returncode == 2
    assert "known.toml: it is there already" in refused.stderr

    kept = command("baseline", "again", "-o", "known.toml", "--force", "--owner", "you", "--reason", "else", cwd=small)
    assert kept.returncode == 0
    assert read_baseline(small / "known.toml").entries == (one,), "what was excused keeps its reason, owner and day"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere", "-o", "x", "--owner", "us", "--reason", "y"), "nowhere: cannot be read"),
        (("report", "-o", "x", "--owner", " ", "--reason", "y"), "--owner: it is empty"),
        (
            ("report", "-o", "x", "--owner", "us", "--reason", "y", "--until", "2020-01-01"),
            "--until 2020-01-01: it is over",
        ),
        (("report", "-o", "x", "--owner", "us"), "--reason"),
        (("report", "-o", "x", "--owner", "o\udcff", "--reason", "y"), "--owner: it is no UTF-8"),
        (("report", "-o", "x", "--owner", "us", "--reason", "y\udcff"), "--reason: it is no UTF-8"),
        (("report", "-o", "x", "--owner", "us", "--reason", "y" * 2001), "--reason: it is longer than 2,000"),
    ],
)
def test_what_a_first_baseline_cannot_be_made_of(command: Command, arguments: tuple[str, ...], words: str) -> None:
    done = command("baseline", *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


GIVEN = ("report", "-o", "known.toml", "--owner", "us", "--reason", "y")


def test_a_run_whose_control_was_not_caught_makes_no_baseline(tmp_path: Path, command: Command) -> None:
    blind = Control("forgets", "failed", "passed", "it forgets")
    (tmp_path / "report").mkdir()
    failed = check("a::b", "RESUME-1", outcome=Outcome.FAILED)
    (tmp_path / "report" / "report.json").write_bytes(
        encode(report_of(graded([requirement("RESUME-1")], [failed]), controls=[blind]))
    )
    done = command("baseline", *GIVEN, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "report: its run is worth nothing: " in done.stderr
    assert "forgets" in done.stderr
    assert not (tmp_path / "known.toml").exists()


def test_a_report_that_is_not_complete_makes_a_baseline_and_says_what_that_lacks(
    failing: Path, small: Path, on_small: Command, command: Command
) -> None:
    assert on_small("run", "--area", "NAME", "--report-dir", "report").returncode == 1
    done = command("baseline", *GIVEN, cwd=small)
    assert (done.returncode, done.stdout) == (0, "1 entry (known.toml)\n"), done.stderr
    report = read(failing / "report.json")
    assert not report["complete"]
    assert done.stderr.startswith(f"not complete: {report['incomplete_reasons'][0]}")
    assert done.stderr.endswith("; what was not run has no entry\n")


# Runs


def test_a_requirement_that_is_listed_and_passes_makes_the_baseline_stale_and_part_of_a_run_does_not(
    small: Path, on_small: Command
) -> None:
    written(small, entry('requirement = "RESUME-2"'))

    whole, part = (
        on_small("run", "--baseline", "known.toml"),
        on_small("run", "--baseline", "known.toml", "--area", "NAME"),
    )

    assert whole.returncode == 5, whole.stdout
    assert "RESUME-2: none of its checks fails any more" in whole.stdout
    assert part.returncode == 3, part.stdout
    assert "baseline" not in part.stdout


def test_an_entry_whose_time_is_over_excuses_nothing_and_says_so(failing: Path, small: Path, on_small: Command) -> None:
    written(small, entry('requirement = "NAME-1"', "until = 2026-02-01"))

    done = on_small("run", "--baseline", "known.toml", "--report-dir", str(failing))

    assert done.returncode == 1, done.stdout
    assert "not excused: the entry was good until 2026-02-01" in done.stdout
    baseline = read(failing / "report.json")["baseline"]
    assert baseline is not None
    assert [one["state"] for one in baseline["entries"]] == ["expired"]


def test_one_check_may_have_entries_for_several_statements(tmp_path: Path) -> None:
    text = "".join(
        checked(*pins) for pins in (('statement = "a"',), ('statement = "b"',), ('statement = "b"', 'step = "Then x"'))
    )
    known = read_baseline(written(tmp_path, text), TODAY)
    assert [(one.statement, one.step) for one in known.entries] == [("a", None), ("b", None), ("b", "Then x")]


@pytest.mark.parametrize(
    "text",
    [
        checked('statement = "a"') + checked('statement = "a"'),
        checked('statement = "a"') + checked(),
        checked() + checked('statement = "a"'),
        checked('statement = "a"') + entry('check = "a::b"', kind="flaky", without="requirement"),
    ],
    ids=["the same statement", "none after one", "one after none", "flaky as well"],
)
def test_two_entries_that_may_mean_the_same_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageFault, match="keep one of them"):
        read_baseline(written(tmp_path, text), TODAY)
