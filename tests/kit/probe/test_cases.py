"""Every case of a probe, tried on a small CLI that behaves, and on ones that each go wrong in one way."""

from __future__ import annotations

import functools
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tck_driver.vocabulary import AdapterId
from tck_kit.probe.arena import arena
from tck_kit.probe.lane import Lane
from tck_kit.probe.lanes import INTERRUPTED, OUT_OF_TIME, Probing, is_fault, run
from tck_kit.probe.record import Finding
from tck_kit.probe.subject import Subject
from tck_kit.probe.table import CASES
from tck_kit.probe.words import Outcome

FAKE = Path(__file__).with_name("fake_claude.py")
GOOD = ""

#: Sin → case → what the CLI with that sin comes to, where an outcome alone says it; the good one first.
OUTCOMES: dict[str, dict[str, Outcome]] = {
    GOOD: {
        "version": Outcome.YES,
        "help": Outcome.YES,
        "fresh": Outcome.FRESH,
        "resume": Outcome.RESUMED,
        "resume-again": Outcome.RESUMED,
        "choose-id": Outcome.YES,
        "id-early": Outcome.YES,
        "label": Outcome.YES,
        "label-dash": Outcome.YES,
        "label-long": Outcome.YES,
        "prompt-dash": Outcome.YES,
        "prompt-word": Outcome.YES,
        "prompt-quotes": Outcome.YES,
        "state-files": Outcome.YES,
        "state-smallest": Outcome.YES,
        "state-apart": Outcome.YES,
        "unknown-id": Outcome.REFUSED,
        "id-short": Outcome.REFUSED,
        "id-path": Outcome.REFUSED,
        "id-option": Outcome.REFUSED,
        "id-empty": Outcome.REFUSED,
        "id-upper": Outcome.REFUSED,
        "state-gone": Outcome.REFUSED,
        "state-empty": Outcome.REFUSED,
        "transcript-gone": Outcome.REFUSED,
        "transcript-empty": Outcome.REFUSED,
        "transcript-cut-head": Outcome.REFUSED,
        "transcript-cut-tail": Outcome.IN_PART,
        "transcript-line": Outcome.IN_PART,
        "transcript-garbage": Outcome.REFUSED,
        "transcript-directory": Outcome.REFUSED,
        "state-read-only": Outcome.FAILED,
        "transcript-read-only": Outcome.FAILED,
        "transcript-unreadable": Outcome.REFUSED,
        "state-unreadable": Outcome.REFUSED,
        "fresh-read-only": Outcome.REJECTED,
        "id-in-use": Outcome.REJECTED,
        "two-at-once": Outcome.SECOND_REFUSED,
        "beside-another": Outcome.RESUMED,
        "elsewhere": Outcome.REFUSED,
        "killed-resume": Outcome.RESUMED,
        "killed-fresh": Outcome.RESUMED,
        "killed-id-again": Outcome.REJECTED,
        "model-401": Outcome.FAILED,
        "model-403": Outcome.FAILED,
        "model-404": Outcome.FAILED,
        "model-529": Outcome.FAILED,
        "model-overflow": Outcome.FAILED,
        "model-cut": Outcome.FAILED,
        "model-down": Outcome.FAILED,
        "model-429": Outcome.FAILED,
        "model-500": Outcome.FAILED,
    },
    "mute": {"version": Outcome.NO, "help": Outcome.NO},
    "silent": {"fresh": Outcome.SILENT, "resume": Outcome.UNREACHED, "unknown-id": Outcome.UNREACHED},
    "forgets": {"resume": Outcome.FORGOT},
    "elsewhere": {"resume": Outcome.ELSEWHERE},
    "rotates": {"resume": Outcome.RENAMED, "resume-again": Outcome.RENAMED},
    "unsaved": {"resume-again": Outcome.IN_PART},
    "own": {"choose-id": Outcome.NO},
    "reticent": {"id-early": Outcome.NO},
    "nameless": {"label": Outcome.NO, "label-dash": Outcome.NO, "label-long": Outcome.NO},
    "quotes": {"prompt-dash": Outcome.NO, "prompt-word": Outcome.NO, "prompt-quotes": Outcome.NO},
    "leaky": {"state-apart": Outcome.NO},
    "strict": {"transcript-cut-tail": Outcome.REFUSED, "transcript-line": Outcome.REFUSED},
    "credulous": {
        "unknown-id": Outcome.FORGOT,
        "id-short": Outcome.NAMELESS,
        "id-path": Outcome.NAMELESS,
        "id-option": Outcome.NAMELESS,
        "id-empty": Outcome.NAMELESS,
        "id-upper": Outcome.NAMELESS,
        "state-gone": Outcome.FORGOT,
        "state-empty": Outcome.FORGOT,
        "transcript-gone": Outcome.FORGOT,
        "transcript-empty": Outcome.FORGOT,
        "transcript-cut-head": Outcome.FORGOT,
        "transcript-garbage": Outcome.FORGOT,
        "transcript-directory": Outcome.FORGOT,
        "transcript-unreadable": Outcome.FORGOT,
        "state-unreadable": Outcome.FORGOT,
        "id-in-use": Outcome.RESUMED,
    },
    "careless": {
        "state-read-only": Outcome.RESUMED,
        "transcript-read-only": Outcome.RESUMED,
        "fresh-read-only": Outcome.FRESH,
        "two-at-once": Outcome.BOTH,
    },
    "overwrites": {"two-at-once": Outcome.ONE},
    "roams": {"elsewhere": Outcome.RESUMED},
    "late": {"killed-fresh": Outcome.REFUSED, "killed-id-again": Outcome.FRESH},
    "moves": {"fresh": Outcome.FRESH, "resume": Outcome.UNREACHED, "unknown-id": Outcome.UNREACHED},
    "pipes": {"resume": Outcome.RESUMED, "resume-again": Outcome.RESUMED},
    "scrawls": {"resume": Outcome.RESUMED, "state-apart": Outcome.UNREACHED},
    "spools": {"resume": Outcome.REFUSED},
    "patient": {"two-at-once": Outcome.UNREACHED},
    "confused": {
        # A refusal is none once the model was asked.
        name: Outcome.REFUSED if name == "model-down" else Outcome.FAILED_NAMELESS
        for name in CASES
        if name.startswith("model-")
    },
}
#: (sin, case, fact, what the good one has, what the other one has)
FACTS: tuple[tuple[str, str, str, object, object], ...] = (
    ("index", "state-files", "written", ("<slug>/<id>.jsonl",), ("<slug>/<id>.jsonl", "<slug>/index.json")),
    ("index", "state-smallest", "needs", ("<slug>/<id>.jsonl",), ("<slug>/<id>.jsonl", "<slug>/index.json")),
    ("lonely", "beside-another", "second", "fresh session", "ended by an error that is no refusal"),
    ("blabs", "beside-another", "second", "fresh session", "was sent what another session had heard"),
    ("late", "killed-resume", "unanswered", "kept", "lost"),
    ("careless", "state-read-only", "saved", "no", "no"),
    ("leaky", "state-apart", "holds", (), ("<slug>/<id>.jsonl",)),
    ("mute", "version", "stream", "stdout", "stderr"),
    ("reticent", "id-early", "id", "chosen", "none"),
    ("confused", "model-403", "judged", "failed, confirmed", "refused"),
    ("rotates", "resume", "id", "asked", "another"),
    ("forgets", "resume", "history", "all", "none"),
    ("quotes", "prompt-word", "prompt", "as given", "changed"),
)


def subject(folder: Path, sin: str) -> Subject:
    program = folder / "claude"
    text = FAKE.read_text(encoding="utf-8").replace('SIN = ""', f'SIN = "{sin}"', 1)
    program.write_text(text, encoding="utf-8")
    program.chmod(0o755)
    folder.chmod(0o755)
    words = (str(Path(sys.executable).resolve()), "-I", "-S", str(program))
    return Subject(AdapterId.CLAUDE_CODE, words, "installed", "2.1.197")


@functools.cache
def tried(sin: str) -> dict[str, Finding]:
    """Try everything that is said of a sin, once."""
    names = {*OUTCOMES.get(sin, ()), *(case for one, case, *_ in FACTS if one == sin)}
    folder = Path(tempfile.mkdtemp())
    try:
        with arena(subject(folder, sin)) as base:
            lane = Lane(base)
            return {name: lane.try_out(CASES[name]) for name in CASES if name in names}
    finally:
        shutil.rmtree(folder)


def rows() -> Iterator[tuple[str, str, Outcome]]:
    for sin, outcomes in OUTCOMES.items():
        for case, outcome in outcomes.items():
            yield sin, case, outcome


@pytest.mark.parametrize(("sin", "case", "outcome"), list(rows()))
def test_a_case_says_what_the_cli_did(sin: str, case: str, outcome: Outcome) -> None:
    found = tried(sin)[case]

    assert found.outcome is outcome, found.facts


@pytest.mark.parametrize(("sin", "case", "fact", "right", "wrong"), FACTS)
def test_a_fact_is_read_off_what_the_cli_did(sin: str, case: str, fact: str, right: object, wrong: object) -> None:
    assert tried(GOOD)[case].facts[fact] == right
    assert tried(sin)[case].facts[fact] == wrong


def test_every_case_was_seen_to_come_out_otherwise() -> None:
    differs = {case for sin, case, outcome in rows() if sin != GOOD and outcome is not OUTCOMES[GOOD][case]}
    told = {case for _, case, _, right, wrong in FACTS if right != wrong}

    assert set(CASES) - differs - told == set()


def test_a_case_that_breaks_down_is_the_kits_fault_and_says_nothing_about_the_cli() -> None:
    nobody = Subject(AdapterId.CLAUDE_CODE, ("/nonexistent/claude",), "installed", "2.1.197")
    probing = Probing(nobody, (CASES["version"],), ("version",), "")

    cut_short = run([probing], time.monotonic() + 60, lambda _: None)

    assert cut_short is not None
    assert cut_short.startswith("claude could not be probed to its end: UsageFault")
    assert (is_fault(cut_short), probing.findings) == (True, {})
    assert [is_fault(one) for one in (None, INTERRUPTED, OUT_OF_TIME)] == [False] * 3


@pytest.mark.parametrize("sin", ["links", "links-above", "links-when-closed"])
def test_what_a_cli_links_its_state_to_is_neither_read_nor_copied_nor_changed(sin: str) -> None:
    folder = Path(tempfile.mkdtemp())
    held = folder / "private" / "projects" / "auth.json"
    held.parent.mkdir(parents=True)
    held.write_text("nobody else's business", encoding="utf-8")
    held.chmod(0o640)
    held.parents[1].chmod(0o700)
    before = [(one.stat().st_mode, one.stat().st_uid) for one in (held, *held.parents[:2])]
    names = ("fresh", "resume", "state-files", "state-apart", "state-read-only", "fresh-read-only", "killed-resume")
    try:
        with arena(subject(folder, sin)) as base:
            lane = Lane(base)
            found = {name: lane.try_out(CASES[name]) for name in names}
            made = [path for path in base.home.parents[1].rglob("*") if path.is_file() and not path.is_symlink()]
            copied = [path for path in made if path.name == held.name or b"business" in path.read_bytes()]
        after = [(one.stat().st_mode, one.stat().st_uid) for one in (held, *held.parents[:2])]
    finally:
        shutil.rmtree(folder)

    assert found["fresh"].outcome is Outcome.FRESH
    assert found["state-read-only"].outcome is Outcome.UNREACHED
    if sin != "links-when-closed":
        assert [found[name].outcome for name in ("resume", "state-apart")] == [Outcome.UNREACHED] * 2
    assert copied == []
    assert held.name not in str(found)
    assert after == before


def test_a_cli_that_never_ends_is_ended_and_said_to_hang() -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        with arena(subject(folder, "hangs")) as base:
            home = Lane(base)._bench("fresh").home()
            seen = home.fresh(limit=1.0)
    finally:
        shutil.rmtree(folder)

    assert (seen.outcome, seen.ended.exit_code) == (Outcome.HUNG, None)
