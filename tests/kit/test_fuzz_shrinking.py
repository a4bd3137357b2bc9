"""Counterexamples are made shorter and plainer, within bounds, and never into something else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tck_driver.bench import Script
from tck_driver.configuration import Binding, ProjectConfig
from tck_driver.stimuli import (
    BindingChanged,
    IssueOpened,
    IssueRetitled,
    MergeRequestEventSent,
    PrefixChanged,
    RunDue,
    SettingChanged,
)
from tck_driver.vocabulary import AdapterId, MailboxRef, MergeRequestEvent, Phase
from tck_features.checks import Expectation, ExpectationFailedError
from tck_features.history.events import (
    Event,
    IdOverwritten,
    ProjectThere,
    Released,
    Scripted,
    Sent,
    SettingStored,
    TimePassed,
    VersionSet,
)
from tck_kit.fuzz.addresses import moved
from tck_kit.fuzz.shrinking import Shrinker
from tck_kit.fuzz.trial import Finding
from tck_kit.judging import judge

History = tuple[Event, ...]
HERE, THERE = ("größe", "x" * 120), ("a", "b-c")
ISSUE, OTHER = MailboxRef(*HERE, "issue", 12), MailboxRef(*THERE, "issue", 2)


def finding(events: History, requirement: str = "NAME-8") -> Finding:
    fault = ExpectationFailedError(
        Expectation(
            "it is so", expected=True, actual=False, held=False, evidence_class="witnessed", requirements=(requirement,)
        )
    )
    return Finding(events, fault, judge(fault, ()))


def shrink(events: History, shows: Callable[[History], bool], most: int = 10_000) -> Shrinker:
    """Shrink by a rule that says which histories show the same."""
    shrinker = Shrinker(finding(events), lambda one: finding(one) if shows(one) else None, lambda: False, most)
    shrinker.shrink()
    return shrinker


def opened(title: str = "word word word word word") -> Event:
    return Sent(IssueOpened(ISSUE, title))


RUN = Sent(RunDue(ISSUE, Phase.ANSWER))
HISTORY: History = (
    ProjectThere(ProjectConfig.of(*HERE, AdapterId.CODEX, "x-")),
    ProjectThere(ProjectConfig.of(*THERE, AdapterId.CODEX)),
    opened(),
    Sent(IssueOpened(OTHER, "other")),
    Sent(RunDue(OTHER, Phase.ANALYSIS)),
    Scripted(AdapterId.CODEX, (Script("refuse", 90_000), Script("ok", 1_000))),
    Released(),
    RUN,
    Released(),
    TimePassed(86_400_000),
)


def test_what_has_no_part_in_it_is_left_out_and_the_rest_is_made_plain() -> None:
    """The issue, its run, and a script that refuses: nothing else matters, nor do names, numbers and phases."""

    def shows(events: History) -> bool:
        runs = [one for one in events if isinstance(one, Sent) and isinstance(one.stimulus, RunDue)]
        refuses = any(isinstance(one, Scripted) and one.scripts[0].shape == "refuse" for one in events)
        return len(runs) >= 1 and refuses

    shrunk = shrink(HISTORY, shows).finding.events

    assert len(shrunk) == 3
    assert Scripted(AdapterId.CODEX, (Script("refuse"),)) in shrunk
    assert {type(one) for one in shrunk} == {Sent, Scripted}
    numbers = {one.stimulus.mailbox.iid for one in shrunk if isinstance(one, Sent) and isinstance(one.stimulus, RunDue)}
    assert numbers == {1}


def test_a_project_in_the_way_gets_a_plain_name_and_number_wherever_it_is_spoken_of() -> None:
    events = (*HISTORY, Sent(PrefixChanged(*HERE, "bot-")), Sent(SettingChanged("project", *HERE, "X", 1)))

    def shows(one: History) -> bool:
        return len(one) == len(events)

    shrunk = shrink(events, shows).finding.events
    places = {one.project.name for one in shrunk if isinstance(one, ProjectThere)}

    assert places == {"shop", "site"}
    assert str(HERE) not in repr(shrunk)
    assert "größe" not in repr(shrunk)


@pytest.mark.parametrize(
    "event",
    [
        ProjectThere(ProjectConfig.of(*HERE, AdapterId.CODEX)),
        SettingStored(("project", *HERE, "X", True)),
        SettingStored(("organization", HERE[0], "", "X", True)),
        opened(),
        RUN,
        Sent(SettingChanged("project", *HERE, "X", None)),
        Sent(SettingChanged("organization", HERE[0], "", "X", None)),
        Sent(BindingChanged(*HERE, Binding(AdapterId.CODEX))),
        Sent(PrefixChanged(*HERE, "x")),
        Sent(MergeRequestEventSent(*HERE, 1001, MergeRequestEvent.REVIEW)),
        IdOverwritten(ISSUE, 0, "x"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_an_event_is_told_of_another_project_and_back(event: Event) -> None:
    (there,) = moved((event,), HERE, THERE)

    assert there != event
    assert HERE[0] not in repr(there)
    assert moved((there,), THERE, HERE) == (event,)
    assert moved((event,), ("no", "such"), THERE) == (event,)


PLAIN = MailboxRef("acme", "shop", "issue", 1)


@pytest.mark.parametrize(
    ("event", "plain"),
    [
        (Sent(IssueOpened(PLAIN, "\u202e hostile")), Sent(IssueOpened(PLAIN, "Mend the door"))),
        (Sent(IssueRetitled(PLAIN, "\u00e9")), Sent(IssueRetitled(PLAIN, "Mend the door"))),
        (TimePassed(86_400_000), TimePassed(1)),
        (
            Scripted(AdapterId.CODEX, (Script("odd_id", 90_000, "../../x"), Script("refuse"))),
            Scripted(AdapterId.CODEX, (Script("ok"),)),
        ),
        (VersionSet(AdapterId.CODEX, "1.0.0", "banner"), VersionSet(AdapterId.CODEX, "1.0.0")),
        (Sent(RunDue(PLAIN, Phase.ANSWER)), Sent(RunDue(PLAIN, Phase.DEVELOPMENT))),
        (
            Sent(BindingChanged("acme", "shop", Binding(AdapterId.CODEX, "p", "m"), Phase.ANSWER)),
            Sent(BindingChanged("acme", "shop", Binding(AdapterId.CODEX))),
        ),
        (
            ProjectThere(ProjectConfig("acme", "shop", "x-", ((Phase.ANSWER, Binding(AdapterId.CODEX)),))),
            ProjectThere(ProjectConfig.of("acme", "shop", AdapterId.CODEX)),
        ),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_value_that_does_not_matter_becomes_a_plain_one(event: Event, plain: Event) -> None:
    first = Sent(IssueOpened(replace(PLAIN, iid=2), "a"))

    shrunk = shrink((first, event), lambda one: len(one) == 2 and type(one[1]) is type(event)).finding.events

    assert shrunk[1] == plain


def test_another_finding_is_not_taken_for_the_same() -> None:
    def attempt(events: History) -> Finding:
        return finding(events, "NAME-8" if len(events) == len(HISTORY) else "NAME-9")

    shrinker = Shrinker(finding(HISTORY), attempt, lambda: False)

    assert len(shrinker.shrink().events) == len(HISTORY)
    assert shrinker.finding.requirements == ("NAME-8",)


def test_a_history_that_stops_earlier_is_the_shorter_for_it() -> None:
    def attempt(events: History) -> Finding | None:
        return finding(events[: events.index(RUN) + 1]) if RUN in events else None

    shrinker = Shrinker(finding(HISTORY), attempt, lambda: False)

    assert shrinker.shrink().events[-1] == RUN


def test_an_issue_stays_whatever_else_goes() -> None:
    shrunk = shrink(HISTORY, lambda _: True).finding.events

    assert len(shrunk) == 1
    assert isinstance(shrunk[0], Sent)
    assert isinstance(shrunk[0].stimulus, IssueOpened)


def test_the_number_of_tries_has_a_bound_and_what_was_reached_by_then_is_kept() -> None:
    shrinker = shrink(HISTORY, lambda one: RUN in one, most=3)

    assert shrinker.tries == 3
    assert RUN in shrinker.finding.events
    assert len(shrinker.finding.events) < len(HISTORY)


def test_no_history_is_tried_twice() -> None:
    seen: list[History] = []

    def attempt(events: History) -> None:
        seen.append(events)

    Shrinker(finding(HISTORY), attempt, lambda: False).shrink()

    assert len(seen) == len(set(seen)) > 10


def test_without_time_nothing_is_tried() -> None:
    shrinker = Shrinker(finding(HISTORY), finding, lambda: True)

    assert shrinker.shrink().events == HISTORY
    assert shrinker.tries == 0
