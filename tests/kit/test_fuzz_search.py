"""A search: the same for the same seed, red for an engine that is wrong, silent for one that is right, and it keeps
what it finds."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from tck_driver.stimuli import IssueRetitled, Stimulus, StimulusResult
from tck_features.history.events import Event
from tck_kit.engine_choice import EngineChoice
from tck_kit.faults import SuiteFault, UsageFault
from tck_kit.fuzz import counterexample, search
from tck_kit.fuzz.scene import Scene
from tck_kit.fuzz.search import Asked, Outcome
from tck_reports.errors import ReportWriteError
from tck_simulator.engine import Engine

from .watching import Nobody, watching

FAULTY = EngineChoice("mutant", faulty="slug-of-60")


def asked(folder: Path, choice: EngineChoice = FAULTY, seed: int = 1, **more: object) -> Asked:
    made = Asked(
        engine="mutant:slug-of-60" if choice is FAULTY else None,
        choice=choice,
        seed=seed,
        examples=60,
        steps=15,
        seconds=600,
        shrink_seconds=None,
        output=folder / "found",
    )
    return replace(made, **more)  # type: ignore[arg-type]


def found(folder: Path, seed: int = 1) -> Outcome:
    return search.search(asked(folder, seed=seed), watching)


def test_a_faulty_engine_is_found_out_and_the_history_is_short_and_plain(tmp_path: Path) -> None:
    outcome = found(tmp_path)

    finding = outcome.result.finding
    assert finding is not None
    assert finding.blames_engine
    assert finding.requirements == ("NAME-8",)
    assert outcome.path is not None
    text = outcome.path.read_text(encoding="utf-8")
    assert text == outcome.text
    # A project, an issue with a long title, a run: nothing less shows it.
    assert [line.split()[0] for line in text.splitlines() if line.startswith("    ")] == [
        "Given",
        "And",
        "And",
        "When",
        "Then",
    ]
    assert 'project "acme/shop" is served by' in text
    assert "  @name-8\n" in text
    assert "# NAME-8: The engine MUST derive the slug from the title" in text
    assert "#   again: session-tck run --engine mutant:slug-of-60 --feature " in text
    assert "#   evidence: " in text
    assert outcome.shows_again
    assert sorted(path.name for path in outcome.path.parent.iterdir()) == [outcome.path.name]


def test_the_same_seed_finds_the_same_and_another_one_another(tmp_path: Path) -> None:
    first, again = found(tmp_path / "1"), found(tmp_path / "2")
    other = found(tmp_path / "3", seed=2)

    assert first.text.replace("/1/", "/2/") == again.text
    assert first.result.tally.kinds == again.result.tally.kinds
    assert (first.result.tally.examples, first.result.tries) == (again.result.tally.examples, again.result.tries)
    assert other.result.tally.kinds != first.result.tally.kinds


def test_an_engine_that_is_right_goes_through_all_histories_and_no_folder_is_left(tmp_path: Path) -> None:
    outcome = search.search(asked(tmp_path, EngineChoice(), examples=8), watching)

    assert outcome.result.finding is None
    assert outcome.result.tally.examples == 8
    assert outcome.result.tally.stimuli > 50
    assert not (tmp_path / "found").exists()
    lines = list(outcome.lines(asked(tmp_path, EngineChoice())))
    assert lines[0].startswith("8 histories, ")
    assert lines[-1] == "Nothing found, seed 1."


def test_a_search_ends_with_the_history_that_is_under_way_when_time_is_up(tmp_path: Path) -> None:
    outcome = search.search(asked(tmp_path, EngineChoice(), seconds=0), watching)

    assert outcome.result.tally.examples == 0
    assert outcome.result.finding is None


def test_a_search_that_could_not_find_anything_says_so_instead(tmp_path: Path) -> None:
    with pytest.raises(SuiteFault, match="takes every event and does nothing was searched in 20 histories"):
        search.search(asked(tmp_path), lambda: (Nobody(),))


def test_a_folder_that_cannot_be_written_is_noticed_before_the_search(tmp_path: Path) -> None:
    (tmp_path / "found").write_text("a file", encoding="utf-8")

    with pytest.raises(UsageFault, match=r"--output .*found: a counterexample cannot be written"):
        search.search(asked(tmp_path), watching)


def test_a_disk_that_is_full_at_the_end_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, _content: bytes) -> Path:
        raise ReportWriteError("the report cannot be written: No space left on device", str(path), "free some space")

    monkeypatch.setattr(counterexample, "write_whole", full)
    outcome = found(tmp_path)

    assert outcome.path is None
    assert outcome.unwritten is not None
    assert outcome.unwritten.endswith("cannot be written: No space left on device; free some space")
    assert "Then everything has been as the specification has it\n" in outcome.text


def test_an_engine_that_hangs_in_this_process_is_at_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "EVENT_SECONDS", 0.3)
    real = Engine.handle

    def hang(engine: Engine, stimulus: Stimulus) -> StimulusResult:
        while isinstance(stimulus, IssueRetitled):
            time.sleep(0.01)
        return real(engine, stimulus)

    monkeypatch.setattr(Engine, "handle", hang)
    outcome = search.search(asked(tmp_path, EngineChoice(), shrink_seconds=3), watching)

    finding = outcome.result.finding
    assert finding is not None
    assert finding.judged.reason == "timeout"
    assert finding.blames_engine
    assert " is retitled to " in outcome.text


@pytest.mark.parametrize(
    ("fault", "blame", "words"),
    [
        (ValueError("no such state"), "engine", "the engine broke off: ValueError: no such state"),
        (RuntimeError("who knows"), "kit", "the kit is at fault: who knows"),
    ],
)
def test_an_engine_that_breaks_off_is_at_fault_and_what_nobody_foresaw_is_the_kits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Exception, blame: str, words: str
) -> None:
    real = Engine.handle

    def break_off(engine: Engine, stimulus: Stimulus) -> StimulusResult:
        if isinstance(stimulus, IssueRetitled):
            raise fault
        return real(engine, stimulus)

    monkeypatch.setattr(Engine, "handle", break_off)
    # The engines that are wrong on purpose are made of the same simulator.
    monkeypatch.setattr(search, "show_that_it_finds", lambda *_: None)
    outcome = search.search(asked(tmp_path, EngineChoice()), watching)

    finding = outcome.result.finding
    assert finding is not None
    assert finding.judged.blame == blame
    assert finding.blames_engine is (blame == "engine")
    assert words in list(outcome.lines(asked(tmp_path)))
    assert "  @resume-1\n" in outcome.text
    # A project, an issue, and the title that brings it down.
    assert len(finding.events) == 3


def test_a_mistake_in_what_draws_is_not_taken_for_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def mistaken(_scene: Scene, _event: Event) -> bool:
        raise LookupError("a mistake in the search itself")

    monkeypatch.setattr(Scene, "allows", mistaken)
    with pytest.raises(LookupError, match="in the search itself"):
        search.search(asked(tmp_path, EngineChoice()), watching)
