"""The words that sentences may hold: closed sets out of the specification, and phrases for what the kit can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from cucumber_expressions.parameter_type import ParameterType

from tck_driver.bench import Shape, VersionShape
from tck_driver.courses import PROFILES
from tck_driver.vocabulary import (
    ISSUE_PHASES,
    AdapterId,
    Closing,
    FallbackReason,
    MergeRequestEvent,
    Phase,
    RunOutcome,
)
from tck_features.sentences import SENTENCES, Within

#: How a scenario says what a CLI does at its next start.
BEHAVIOURS: Mapping[str, Shape] = MappingProxyType(
    {
        "answers": "ok",
        "resumes under a new id": "rotate",
        "starts a session of its own": "other_id",
        "names no session": "no_id",
        "names two sessions": "two_ids",
        "starts a session of its own and fails": "other_id_fails",
        "names two sessions and fails": "two_ids_fail",
        "refuses the session": "refuse",
        "refuses the session after naming a decoy": "refuse_decoy",
        "refuses the session with exit code 0": "refuse_exit_zero",
        "says nothing and exits with 0": "refuse_silent",
        "refuses a new id as taken": "id_in_use",
        "finds the session damaged": "damaged",
        "is rate limited": "rate_limited",
        "is not authorised": "unauthorized",
        "gets a server error": "server_error",
        "has its history rejected": "bad_request",
        "finds the history too long": "prompt_too_long",
        "fails with a text about something not found": "not_found_text",
        "is killed after naming the session": "killed",
        "is killed before naming the session": "killed_early",
        "hangs after naming the session": "hang",
        "hangs before naming the session": "hang_early",
        "answers and saves nothing": "unsaved",
        "answers in prose about another session": "prose_id",
        "answers and leaves a newer foreign session": "decoy_beside",
        "answers and leaves an empty session": "empty_beside",
        "refuses its arguments": "usage_error",
        "fails with a general error": "generic_error",
        "fails without a word": "no_output",
    }
)

#: How a scenario says what a version command does.
VERSION_BEHAVIOURS: Mapping[str, VersionShape] = MappingProxyType(
    {
        "prints a banner around the version": "banner",
        "prints garbage": "garbage",
        "exits with 1": "exit_one",
        "hangs": "hang",
        "prints nothing": "empty",
    }
)

ORDINALS: Mapping[str, int] = MappingProxyType(
    {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5, "last": -1}
)

#: What happens to an issue in the end.
CLOSINGS: Mapping[str, Closing] = MappingProxyType(
    {
        "closed by merge": Closing.MERGED,
        "unassigned": Closing.UNASSIGNED,
        "closed without a merge": Closing.UNMERGED,
    }
)

MERGE_REQUEST_EVENTS: Mapping[str, MergeRequestEvent] = MappingProxyType(
    {
        "a failed pipeline": MergeRequestEvent.CI_FAILED,
        "a review": MergeRequestEvent.REVIEW,
        "a conflict": MergeRequestEvent.CONFLICT,
    }
)

#: Titles that cannot be written into a feature file, or would not be readable there.
TITLES: Mapping[str, str] = MappingProxyType(
    {
        "emoji only": "\N{ROCKET}\N{ROCKET} \N{FACE WITH TEARS OF JOY}",
        "Chinese": "\u4fee\u590d\u767b\u5f55\u9875\u9762",
        "Hebrew with marks": "\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd",
        "two dots": "bump a..b and ../../etc/passwd",
        "dot lock": "remove index.lock.lock",
        "trailing dot": "end of story.",
        "reflog syntax": "what is HEAD@{1} and @{u}",
        "leading dashes": "--help --delete -rf",
        "quotes": "say \"hello\" and 'bye' `now`",
        "control characters": "bell \x07 tab \t newline \n escape \x1b[31m null-ish \x01 delete \x7f",
        "Git's own characters": "a~b^c:d?e*f[g\\h i",
        "5000 characters": "word " * 1000,
        "5000 dashes": "-" * 5000,
        "empty": "",
        "spaces only": "   \t  ",
        "combining marks": "Zalgo e\u0301\u0300\u0320 o\u0308 text",
        "right-to-left override": "abc \u202e def",
        "zero-width": "a\u200bb\u200dc\ufeffd",
        "half a surrogate pair": "bad \ud800 half",
        "a cut at a dash": "abcdefghij abcdefghij abcdefghij abcdef - tail",
    }
)

SENTENCES.parameter("adapter", [adapter.value for adapter in AdapterId], AdapterId)
SENTENCES.parameter("phase", [phase.value for phase in ISSUE_PHASES], Phase)
SENTENCES.parameter("reason", [reason.value for reason in FallbackReason], FallbackReason)
SENTENCES.parameter("outcome", [outcome.value for outcome in RunOutcome], RunOutcome)
SENTENCES.parameter("behaviour", list(BEHAVIOURS), BEHAVIOURS.__getitem__)
SENTENCES.parameter("version_behaviour", list(VERSION_BEHAVIOURS), VERSION_BEHAVIOURS.__getitem__)
SENTENCES.parameter("ordinal", list(ORDINALS), ORDINALS.__getitem__)
SENTENCES.parameter("closing", list(CLOSINGS), CLOSINGS.__getitem__)
SENTENCES.parameter("event", list(MERGE_REQUEST_EVENTS), MERGE_REQUEST_EVENTS.__getitem__)
SENTENCES.parameter("scope", ["organization", "project"], str)
SENTENCES.parameter("title", list(TITLES), TITLES.__getitem__)
SENTENCES.parameter("tracker_answer", ["404", "500", "503", "401", "403", "429", "timeout"], str)
SENTENCES.parameter("party", ["the issue", "the other issue", "the twin issue", "the merge request"], str)
SENTENCES.parameter("profile", list(PROFILES), str)
SENTENCES.parameter("course_scope", ["the scope", "the other scope"], str)
SENTENCES.parameter("on_or_off", ["on", "off"], "on".__eq__)


def _pattern(name: str, pattern: str, convert: Callable[[str], object]) -> None:
    SENTENCES.parameters.define_parameter_type(
        ParameterType(name, pattern, object, convert, False, False)  # noqa: FBT003 -- the library's signature
    )


_pattern("requirements", r"[A-Z]+-\d+(?: and [A-Z]+-\d+)*", lambda text: tuple(text.split(" and ")))
_pattern("judgement", r".+", Within)
