"""`session-tck probe` as its users start it."""

from __future__ import annotations

import fcntl
import glob
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import psutil
import pytest

from tck_driver.vocabulary import AdapterId
from tck_kit.faults import UsageFault
from tck_kit.probe.command import _ignore as ignore
from tck_kit.probe.command import _probing as probing
from tck_kit.probe.record import encode, read
from tck_kit.probe.sealed import CLOSED, Closure, Seal
from tck_kit.probe.shipped import shipped
from tck_kit.probe.subject import Subject
from tck_kit.probe.table import CASES
from tck_kit.probe.words import Outcome
from tck_kit.probe.writing import joined

from ..conftest import Command  # noqa: TID252 -- test folders are no packages
from .conftest import Fake

NAMES = ("version", "help", "fresh", "resume", "unknown-id")
ONLY = tuple(word for name in NAMES for word in ("--only", name))


def shown(stdout: str) -> dict[str, Any]:
    held: dict[str, Any] = json.loads(stdout)["claude"]
    return held


def test_cases_that_are_asked_for_are_tried_and_the_record_is_not_whole(command: Command, fake: Fake) -> None:
    done = command("probe", "claude", "--program", str(fake()), *ONLY, "--format", "json")

    assert done.returncode == 0, done.stderr
    held = shown(done.stdout)
    probe = held["record"]["probe"]
    assert [(one["case"], one["outcome"]) for one in probe["cases"]] == [
        ("version", "yes"),
        ("help", "yes"),
        ("fresh", "fresh session"),
        ("resume", "resumed"),
        ("unknown-id", "refused"),
    ]
    assert (probe["version"], probe["origin"], probe["complete"]) == ("2.1.197", "installed", False)
    assert probe["reason"] == "not all cases were asked for"
    assert set(probe["lacking"]) == {name for name, one in CASES.items() if not one.slow} - set(NAMES)
    assert held["differences"] is None
    assert "claude: 5 of 5 cases" in done.stderr
    heading = next(line for line in done.stderr.splitlines() if "it runs as" in line)
    assert heading.startswith("claude: ")
    assert "network" in heading


def test_people_read_what_came_of_every_case_and_that_the_record_is_incomplete(command: Command, fake: Fake) -> None:
    done = command("probe", "claude", "--program", str(fake("forgets")), "--only", "resume")

    assert done.returncode == 0, done.stderr
    assert "resume  confirmed without its history: reported session_id of the first event, system/init" in done.stdout
    assert "Incomplete: not all cases were asked for." in done.stdout


def test_a_cli_that_changed_is_held_against_a_record_and_what_matters_is_exit_code_1(
    command: Command, fake: Fake, tmp_path: Path
) -> None:
    whole(command, fake(), tmp_path / "before.json")

    same = command("probe", "claude", "--program", str(fake()), *ONLY, "--diff", "before.json")
    other = command("probe", "claude", "--program", str(fake("forgets", "2.2.0")), *ONLY, "--diff", "before.json")

    assert same.returncode == 0, same.stdout + same.stderr
    assert same.stdout.splitlines()[-1] == "no differences that matter, no others"
    assert other.returncode == 1, other.stdout + other.stderr
    assert "claude: 2.1.197 → 2.2.0" in other.stdout
    assert (
        "resume: outcome: resumed → confirmed without its history (matters: it is the whole of the feature (RESUME-2))"
        in other.stdout.splitlines()
    )
    assert "resume: history: all → none (matters: whether the session really goes on)" in other.stdout.splitlines()


def whole(command: Command, program: Path, file: Path) -> None:
    """Write a record that is whole as far as five cases go: a probe of all takes too long for a test."""
    done = command("probe", "claude", "--program", str(program), *ONLY, "--record", str(file))
    assert done.returncode == 0, done.stderr
    held = json.loads(file.read_text(encoding="utf-8"))
    held["probe"].update(lacking=[], reason=None, complete=True)
    file.write_text(json.dumps(held), encoding="utf-8")


def test_a_record_that_is_not_whole_is_compared_with_nothing(command: Command, fake: Fake) -> None:
    done = command("probe", "claude", "--program", str(fake()), *ONLY, "--record", "part.json")
    assert done.returncode == 0, done.stderr

    done = command("probe", "claude", "--program", str(fake()), *ONLY, "--diff", "part.json")

    assert done.returncode == 2
    assert "it is not a whole record, so nothing can be compared" in done.stderr


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"findings": ()}, "it calls itself whole and lacks version, help, fresh, resume"),
        ({"short": True}, "it is not a whole record"),
    ],
)
def test_a_record_that_only_calls_itself_whole_is_compared_with_nothing(
    command: Command, fake: Fake, tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    held = shipped(AdapterId.CLAUDE_CODE)
    assert held.probe is not None
    bad = replace(held, probe=replace(held.probe, **change), also=())
    (tmp_path / "before.json").write_bytes(encode(bad))

    done = command("probe", "claude", "--program", str(fake()), *ONLY, "--diff", "before.json")

    assert done.returncode == 2, done.stdout + done.stderr
    assert told in done.stderr


def test_a_case_that_cannot_be_compared_is_no_conformance(command: Command, fake: Fake, tmp_path: Path) -> None:
    whole(command, fake(), tmp_path / "before.json")

    done = command("probe", "claude", "--program", str(fake()), *ONLY, "--only", "label", "--diff", "before.json")

    assert done.returncode == 3, done.stdout + done.stderr
    assert "not compared: label" in done.stdout.splitlines()


def test_a_record_that_knows_more_is_not_written_over(command: Command, fake: Fake, tmp_path: Path) -> None:
    file = tmp_path / "held.json"
    whole(command, fake(), file)
    before = file.read_bytes()

    less = command("probe", "claude", "--program", str(fake()), "--only", "fresh", "--record", "held.json")
    other = command("probe", "claude", "--stand-in", *ONLY, "--record", "held.json")

    assert (less.returncode, other.returncode) == (2, 2)
    assert "with cases that are not asked for now: version, help, resume, unknown-id" in less.stderr
    assert "it holds a probe of 2.1.197 (installed), and this would be one (stand-in)" in other.stderr
    assert file.read_bytes() == before


def test_a_record_is_not_renewed_by_what_it_is_compared_with_and_differs_from(
    command: Command, fake: Fake, tmp_path: Path
) -> None:
    file = tmp_path / "held.json"
    whole(command, fake(), file)
    before = file.read_bytes()
    words = ("--diff", "held.json", "--record", "held.json")

    for _ in range(2):
        done = command("probe", "claude", "--program", str(fake("forgets")), *ONLY, *words)
        assert done.returncode == 1, done.stdout + done.stderr
        assert "held.json stays as it was: what is different matters" in done.stderr
    assert file.read_bytes() == before


def test_a_probe_that_was_cut_short_does_not_take_the_place_of_a_better_one() -> None:
    held = shipped(AdapterId.CLAUDE_CODE)
    assert held.probe is not None
    good = held.probe
    cut = replace(good, findings=good.findings[:9], lacking=("label",), reason="out of time")
    newer = replace(cut, version="9.0.0")

    assert joined(held, replace(held, probe=cut)) is None
    assert joined(held, replace(held, probe=newer, also=())) == replace(held, also=(newer, *held.also))
    assert joined(replace(held, probe=cut), held) == held


@pytest.mark.parametrize(
    ("closure", "told"),
    [
        (Closure("not closed: no namespaces", "not hidden: the same"), "not closed: no namespaces; not hidden: the"),
        (Closure(CLOSED, "not hidden: a mount failed"), "sealed off here: not hidden: a mount failed"),
    ],
)
def test_a_real_cli_is_not_started_where_it_cannot_be_sealed_off(
    monkeypatch: pytest.MonkeyPatch, closure: Closure, told: str
) -> None:
    nobody = Subject(AdapterId.CLAUDE_CODE, ("/nonexistent/claude",), "installed")
    monkeypatch.setattr(Seal, "_made", lambda _: closure)

    with pytest.raises(UsageFault) as raised:
        probing(nobody, (), (), unsealed=False)

    assert told in str(raised.value)
    assert "or say --unsealed" in str(raised.value)


def test_unsealed_goes_on_and_the_record_says_what_was_open(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Subject(AdapterId.CLAUDE_CODE, ("/nonexistent/claude",), "installed", "2.1.197")
    monkeypatch.setattr(Seal, "_made", lambda _: Closure("not closed: no namespaces", "not hidden: the same"))

    assert probing(known, (), (), unsealed=True).network == "not closed: no namespaces; not hidden: the same"


@pytest.mark.parametrize("ours", [True, False])
def test_git_is_kept_away_from_what_was_installed_and_from_nothing_else(tmp_path: Path, *, ours: bool) -> None:
    program = tmp_path / "claude-2.1.197" / "node_modules" / "claude"
    program.parent.mkdir(parents=True)

    ignore(tmp_path, program, ours=ours)

    assert (tmp_path / ".gitignore").exists() is ours
    assert (tmp_path / "claude-2.1.197" / ".gitignore").exists() is not ours


def test_another_version_is_added_to_a_record_that_is_there(command: Command, fake: Fake, tmp_path: Path) -> None:
    for version in ("2.1.197", "1.0.124", "2.0.54", "1.0.124"):
        done = command("probe", "claude", "--program", str(fake("", version)), *ONLY, "--record", "claude.json")
        assert done.returncode == 0, done.stderr

    held = read(tmp_path / "claude.json")

    assert held.probe is not None
    assert held.probe.version == "2.1.197"
    assert [one.version for one in held.also] == ["2.0.54", "1.0.124"]
    assert held.abilities.verified_from == "1.0.124"
    assert held.probe.outcome("resume") is Outcome.RESUMED


def test_two_probes_of_one_version_give_the_same_record(command: Command, fake: Fake, tmp_path: Path) -> None:
    for name in ("one.json", "two.json"):
        done = command("probe", "claude", "--program", str(fake()), *ONLY, "--record", name)
        assert done.returncode == 0, done.stderr

    one, two = (read(tmp_path / name).without_circumstances() for name in ("one.json", "two.json"))

    assert one == two


def test_a_probe_that_is_out_of_time_gives_what_it_has_and_exit_code_3(
    command: Command, fake: Fake, tmp_path: Path
) -> None:
    done = command(
        "probe", "claude", "--program", str(fake("hangs")), *ONLY, "--time-limit", "3", "--record", "cut.json"
    )

    assert done.returncode == 3, done.stdout + done.stderr
    held = read(tmp_path / "cut.json")
    assert held.probe is not None
    assert (held.probe.complete, held.probe.reason) == (False, "out of time")
    assert {"fresh", "resume", "unknown-id"} <= set(held.probe.lacking)
    assert "Incomplete: out of time." in done.stdout


def test_a_probe_that_breaks_down_gives_what_it_has_before_it_is_called_the_kits_fault(
    fake: Fake, tmp_path: Path
) -> None:
    process, lock = hanging(fake("hangs"), tmp_path)
    lock.close()
    lanes = [one for one in psutil.Process(process.pid).children() if "tck_kit.probe.lane" in one.cmdline()]
    for lane in lanes:
        lane.kill()
    stdout, stderr = process.communicate(timeout=60)

    assert (process.returncode, len(lanes)) == (4, 1), stderr
    held = read(tmp_path / "cut.json").probe
    assert held is not None
    assert [one.case for one in held.findings] == ["version"]
    assert held.reason is not None
    assert held.reason.startswith("a process that probed claude broke down")
    assert "Incomplete: a process that probed claude broke down" in stdout
    assert "a process that probed claude broke down" in stderr.splitlines()[-1]


def test_an_interrupted_probe_writes_what_is_known_ends_all_it_started_and_leaves_nothing(
    fake: Fake, tmp_path: Path
) -> None:
    process, lock = hanging(fake("hangs"), tmp_path, "--format", "json")

    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)

    assert process.returncode == 3, stderr
    probe = shown(stdout)["record"]["probe"]
    assert (probe["complete"], probe["reason"]) == (False, "interrupted")
    assert [one["case"] for one in probe["cases"]] == ["version"]
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert list((tmp_path / "tmp").iterdir()) == []
    held = read(tmp_path / "cut.json").probe
    assert held is not None
    assert not held.complete


def hanging(program: Path, folder: Path, *words: str) -> tuple[subprocess.Popen[str], IO[str]]:
    """Start a probe, wait until its CLI hangs, and give the file that the CLI keeps locked for as long as it lives."""
    (folder / "tmp").mkdir()
    probe = [sys.executable, "-m", "tck_kit.command_line", "probe", "claude", "--program", str(program)]
    process = subprocess.Popen(
        [*probe, "--only", "version", "--only", "fresh", "--record", "cut.json", *words],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder / "tmp")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        # Folders come and go while they are looked through; this one passes over what has gone.
        for name in glob.glob(f"{folder}/tmp/**/hangs", recursive=True):  # noqa: PTH207, S108
            if not free(Path(name)):
                return process, Path(name).open(encoding="utf-8")
        time.sleep(0.05)
    process.kill()
    raise AssertionError(process.communicate())


def free(file: Path) -> bool:
    """Say whether nobody holds this lock."""
    with file.open(encoding="utf-8") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def test_the_cases_are_listed(command: Command) -> None:
    text = command("probe", "--list")
    form = command("probe", "--list", "--format", "json")

    assert text.returncode == form.returncode == 0
    assert [one["name"] for one in json.loads(form.stdout)] == list(CASES)
    assert [name for name in CASES if name not in text.stdout] == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "nothing: that is none of the CLIs that can be probed"),
        (("gemini",), "gemini: that is none of the CLIs that can be probed"),
        (("grok",), "grok: nobody has verified it"),
        (("claude", "--only", "everything"), "--only everything: there is no such case"),
        (("claude", "--program", "none"), "none is no program that can be executed"),
        (("claude", "--install", "--stand-in"), "they name one CLI each"),
        (("all", "--program", "x"), "it is one CLI"),
        (("all", "--diff", "x"), "it is the record of one CLI"),
        (("claude", "--diff", "none.json"), "none.json: it cannot be read"),
        (("claude", "--stand-in", "--record", "none/x.json"), "there is no such folder"),
        (("claude", "--stand-in", "--record", "/proc/x.json"), "/proc: nothing can be written there"),
    ],
)
def test_a_mistake_is_told_in_one_line_before_anything_is_started(
    command: Command, words: tuple[str, ...], told: str
) -> None:
    done = command("probe", *words)

    assert done.returncode == 2, done.stdout + done.stderr
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1
