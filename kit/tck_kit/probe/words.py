"""The closed sets of words that a capability record is made of: what a start came to, and what was seen of it.

A record is compared with another one, by an engine's CI and by a test of the stand-ins. So what a CLI did is said in
words that stay the same as long as it does the same, and the CLI's own texts are kept beside them and decide nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Outcome(StrEnum):
    """What a case came to."""

    FRESH = "fresh session"
    RESUMED = "resumed"
    RENAMED = "resumed under a new id"
    IN_PART = "resumed with turns missing"
    FORGOT = "confirmed without its history"
    ELSEWHERE = "did its work in another session"
    NAMELESS = "did its work, in a session unknown"
    MIXED = "was sent what another session had heard"
    REFUSED = "refused"
    REJECTED = "ended by an error that is no refusal"
    FAILED = "failed within the session"
    FAILED_NAMELESS = "failed, in a session unknown"
    SILENT = "failed without a word"
    IDLE = "ended well without asking the model"
    HUNG = "did not end"
    BOTH = "both turns kept"
    ONE = "both ended well, one turn lost"
    NEITHER = "both turns lost"
    SECOND_REFUSED = "the second one was turned away"
    YES = "yes"
    NO = "no"
    NOT_OFFERED = "not offered"
    UNREACHED = "could not be tried"


#: Outcome → what it means, for the page of the adapters and for people.
MEANINGS: Final[Mapping[Outcome, str]] = MappingProxyType(
    {
        Outcome.FRESH: "exit code 0, an answer, and a request that held this prompt and none before it",
        Outcome.RESUMED: "exit code 0, the asked id and no other, and the model was sent every earlier prompt",
        Outcome.RENAMED: "the same, under one new id",
        Outcome.IN_PART: "as resumed, but a part of what was said before did not reach the model",
        Outcome.FORGOT: "the asked id and exit code 0, and the model was sent nothing of what came before",
        Outcome.ELSEWHERE: "exit code 0 and another id: a new session, by the CLI's own choice",
        Outcome.NAMELESS: "exit code 0, the model was asked, and no id or several of them were named",
        Outcome.MIXED: "a prompt of another session was sent to the model before this one's own",
        Outcome.REFUSED: "the model was not asked, the id not confirmed, and the output has a shape by which this CLI "
        "refuses; an engine starts a fresh leg",
        Outcome.REJECTED: "an exit code other than 0, the model was not asked, and the text is no refusal that §16.5.4 "
        "knows",
        Outcome.FAILED: "an exit code other than 0 or no answer, and the asked id was named: it was found",
        Outcome.FAILED_NAMELESS: "the same after the model was asked, and no id or another one was named",
        Outcome.SILENT: "an exit code other than 0 and not a word on either stream",
        Outcome.IDLE: "exit code 0, and the model was never asked",
        Outcome.HUNG: "still there at the end of its time; the kit ended it",
        Outcome.BOTH: "the next resume sends the model both prompts",
        Outcome.ONE: "the next resume sends the model one of the two prompts",
        Outcome.NEITHER: "the next resume sends the model none of the two prompts",
        Outcome.SECOND_REFUSED: "one does its work, and the other ends at once with an error of its own",
        Outcome.YES: "it is so",
        Outcome.NO: "it is not so",
        Outcome.NOT_OFFERED: "this CLI has no such option",
        Outcome.UNREACHED: "what the case needs did not come about",
    }
)


@dataclass(frozen=True, slots=True)
class FactKind:
    """One thing that can be seen of a case: what it is, and why a change of it matters, None where it does not."""

    meaning: str
    matters: str | None = None


#: The names of facts, in the order in which a record has them.
FACTS: Final[Mapping[str, FactKind]] = MappingProxyType(
    {
        "exit": FactKind("the exit code; null where the kit had to end it", "engines read the exit code"),
        "id": FactKind(
            "the id that was reported: `asked`, `chosen`, `own`, `another`, `several` or `none`",
            "an engine stores this id and tells a confirmed resume by it",
        ),
        "history": FactKind(
            "how much of what was said before the model was sent: `all`, `some`, `none`, or `not asked`",
            "whether the session really goes on",
        ),
        "judged": FactKind(
            "what the reference engine makes of exit code and output, by §16.5.4",
            "it decides whether a fresh leg follows, and what is recorded",
        ),
        "saved": FactKind("whether the prompt stands in the state afterwards", "a turn that is not saved is lost"),
        "then": FactKind("what the next resume came to", "whether the session is still good for the next run"),
        "second": FactKind("what the other of the two starts came to", "what a run beside another one gets"),
        "prompt": FactKind("whether the prompt reached the model letter by letter", "the agent works on another task"),
        "unanswered": FactKind(
            "whether a prompt without an answer is sent again: `kept` or `lost`", "a retry says it twice"
        ),
        "reported": FactKind("where the id stands in the output", "the adapter reads it there"),
        "needs": FactKind("the files without which a resume fails", "what has to be kept from run to run"),
        "holds": FactKind(
            "settings and credentials found in what is kept", "what is shared from run to run must hold no secret"
        ),
        "could_hold": FactKind(
            "tables for credentials in what is kept; they are there, and empty",
            "a log-in would be shared with every run",
        ),
        "lands": FactKind("the files in which a planted key was found", "where a secret goes"),
        "stream": FactKind("where the text was printed: `stdout` or `stderr`", "the engine reads one of the two"),
        "option": FactKind("the option that was found"),
        "beside": FactKind("what stands in the folder that holds the session state"),
        "written": FactKind("the files in the state after the start"),
        "requests": FactKind("how often the model was asked: 0, 1 or `several`"),
        "waits": FactKind("how much longer it took than a start that goes well: `within two minutes` or `longer`"),
        "events": FactKind("the kinds of events on standard output, each once, in their order"),
        "said": FactKind("what it said, without ids, paths and dates"),
        "argv": FactKind("the arguments, with words in place of ids, prompts and paths"),
    }
)
