"""Every event has a sentence, and the sentence is read back as exactly that event, whatever stands in it."""

from __future__ import annotations

from inspect import unwrap

import pytest
from hypothesis import given, settings

from tck_driver.bench import Link, Script, Write
from tck_driver.configuration import Binding, ProjectConfig
from tck_driver.errors import KitError
from tck_driver.stimuli import BindingChanged, IssueOpened, MergeRequestEventSent, RunDue, SettingChanged
from tck_driver.vocabulary import AdapterId, MailboxRef, MergeRequestEvent, Phase
from tck_features.history.events import Event, ProjectThere, Scripted, Sent, TimePassed, VersionSet
from tck_features.history.sentence import read
from tck_features.history.wording import word
from tck_features.library import LIBRARY
from tck_features.sentences import UndefinedSentenceError

from .happenings import EVENTS

ISSUE = MailboxRef("a", "b-c", "issue", 7)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(EVENTS)
def test_a_sentence_is_read_back_as_its_event(event: Event) -> None:
    sentence = word(event)

    assert read(sentence) == event
    # It stands on one line, and a reader sees every sign of it.
    assert sentence.isprintable()
    assert len(sentence.splitlines()) == 1
    # It means the same wherever it stands, and nothing else.
    origins = {LIBRARY.find(kind, sentence).definition.origin for kind in ("given", "when")}
    assert len(origins) == 1


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (Sent(IssueOpened(ISSUE, "Mend it")), 'issue "a/b-c#7", titled "Mend it", is assigned to the agent'),
        (
            Sent(IssueOpened(ISSUE, 'say "a\\b"\n\x07\u200b\ud800 é')),
            'issue "a/b-c#7", titled "say \\"a\\\\b\\"\\n\\u0007\\u200b\\ud800 é", is assigned to the agent',
        ),
        (
            Sent(IssueOpened(ISSUE, "word " * 1000)),
            'issue "a/b-c#7", titled "word " 1000 times, is assigned to the agent',
        ),
        (Sent(RunDue(ISSUE, Phase.ANALYSIS)), 'an analysis run of issue "a/b-c#7" is due'),
        (
            Sent(RunDue(MailboxRef("x/y", "z#1", "merge_request", 2), Phase.HUMAN_REVIEW)),
            'a human_review run of merge request "x\\/y/z#1!2" is due',
        ),
        (
            Sent(MergeRequestEventSent("a", "b", 1001, MergeRequestEvent.CI_FAILED)),
            'merge request "a/b!1001" reports a failed pipeline',
        ),
        (
            Sent(SettingChanged("project", "a", "b", "AGENT_SESSION_RESUME", "off")),
            'AGENT_SESSION_RESUME is set to "off" for project "a/b"',
        ),
        (
            Sent(SettingChanged("instance", "", "", "LLM_MAX_RETRIES", None)),
            "LLM_MAX_RETRIES is set to nothing for the instance",
        ),
        (
            Sent(BindingChanged("a", "b", Binding(AdapterId.CODEX, "p", "m"), Phase.ANSWER)),
            'the phase answer of project "a/b" is bound to codex with provider "p" and model "m"',
        ),
        (
            ProjectThere(ProjectConfig.of("a", "b", AdapterId.CODEX)),
            'project "a/b" is served by codex',
        ),
        (
            ProjectThere(
                ProjectConfig(
                    "a",
                    "b",
                    "bot-",
                    tuple(
                        (phase, Binding(AdapterId.API if phase is Phase.ANSWER else AdapterId.COPILOT))
                        for phase in Phase
                    ),
                )
            ),
            'project "a/b" with the branch prefix "bot-" is served by copilot, in answer by api',
        ),
        (
            Scripted(
                AdapterId.CODEX,
                (
                    Script("refuse", 90_000, acts=(Write("/x", "y"), Link("/a", "/b"))),
                    Script("odd_id", reported_id="--help", answer="No."),
                ),
            ),
            (
                'at its next starts the CLI of codex refuses the session after 90 seconds, writing "y" to "/x", '
                'linking "/a" to "/b", then reports the id "--help", answering "No."'
            ),
        ),
        (
            VersionSet(AdapterId.CODEX, "0.1.0", "banner"),
            'the version command of codex prints a banner around the version from now on, being "0.1.0"',
        ),
        (TimePassed(86_400_000), "1 day goes by"),
        (TimePassed(5_400_000), "90 minutes go by"),
        (TimePassed(1_001), "1001 milliseconds go by"),
    ],
)
def test_a_sentence_can_be_read_by_people(event: Event, sentence: str) -> None:
    assert word(event) == sentence
    assert read(sentence) == event


@pytest.mark.parametrize(
    "sentence",
    [
        'issue "a#7" is reopened',
        'issue "a/b!7" is reopened',
        'issue "a/b#x" is reopened',
        'issue "a/b/c#7" is reopened',
        'merge request "a/b#7" reports a review',
        'issue "a/b#7", titled "no end, is assigned to the agent',
    ],
)
def test_an_address_or_a_text_that_is_none_makes_no_sentence(sentence: str) -> None:
    with pytest.raises(UndefinedSentenceError):
        read(sentence)


def test_a_project_that_leaves_phases_unbound_has_no_sentence() -> None:
    with pytest.raises(KitError, match="leaves phases unbound"):
        word(ProjectThere(ProjectConfig("a", "b")))


def test_every_sentence_of_a_history_is_defined_both_as_a_given_and_as_a_when() -> None:
    both: dict[object, set[str]] = {}
    for one in LIBRARY.definitions:
        if "history_s" in one.origin:
            both.setdefault(unwrap(one.function), set()).add(one.kind)

    assert len(both) == 34
    assert all(kinds == {"given", "when"} for kinds in both.values())
