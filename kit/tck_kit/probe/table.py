"""The cases of a probe, as one table: what each asks, why its answer matters to an engine, and what tries it.

Their order is that of records and pages. `fresh` and `resume` come first of what is run, since everything else rests on
a session that can be resumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from tck_driver.vocabulary import AdapterId
from tck_kit.probe.bench import Doing
from tck_kit.probe.cases import basics, kept, prompts, provider, refused, shared

_CLAUDE, _CODEX, _OPENCODE, _COPILOT = (
    AdapterId.CLAUDE_CODE,
    AdapterId.CODEX,
    AdapterId.OPENCODE,
    AdapterId.COPILOT,
)
#: The adapters whose CLIs can be probed.
PROBED: Final = (_CLAUDE, _CODEX, _OPENCODE, _COPILOT)


@dataclass(frozen=True, slots=True)
class Case:
    """One case. `lingers` names the adapters whose CLI takes its time over it, so that it runs beside the others."""

    name: str
    group: str
    asks: str
    matters: str
    does: Doing
    lingers: frozenset[AdapterId] = frozenset()
    slow: bool = False
    #: Belongs to the short list that older versions go through.
    older: bool = False


_STARTS = "a fresh leg is started by it, or the run fails"
_LOST = "history that is lost without an error is seen by nobody"
_FAILS = "a failure of the provider must be told from a session that is gone, which alone calls for a fresh leg"
_ALONE = "it says what two runs on one session come to, if an engine ever lets them"


def _lingers(*adapters: AdapterId) -> frozenset[AdapterId]:
    return frozenset(adapters)


_ROWS = (
    Case(
        "version",
        "basics",
        "Does the version command print a version on standard output, without waiting for anything?",
        "detection reads it (§16.6), and takes a CLI that prints none for one that cannot resume",
        basics.version,
        older=True,
    ),
    Case(
        "help",
        "basics",
        "Does it name its resume option in its help?",
        "an option that is no longer named may be about to go",
        basics.help_text,
        older=True,
    ),
    Case(
        "fresh",
        "basics",
        "Does a fresh start in an empty home make a session?",
        "every first run of an issue is one",
        basics.fresh,
        older=True,
    ),
    Case(
        "resume",
        "basics",
        "Does a resume by id, in another home with the session's state alone, send the model the earlier prompt?",
        "it is the whole of the feature (RESUME-2)",
        basics.resume,
        older=True,
    ),
    Case(
        "resume-again",
        "basics",
        "And a second resume, with all of it?",
        "an issue has many runs",
        basics.resume_again,
        older=True,
    ),
    Case(
        "choose-id",
        "id",
        "Can the caller choose the id of a fresh session?",
        "a run that is killed early has then named its session all the same",
        basics.choose_id,
    ),
    Case(
        "id-early",
        "id",
        "Is the id reported before the model answers?",
        "only then is it known when a run is cut off (RESUME-15)",
        basics.early_id,
    ),
    Case("label", "id", "Does it take a name for the session?", "the name is shown to people (NAME-7)", basics.label),
    Case(
        "label-dash",
        "id",
        "Does it take a name that looks like an option?",
        "names come from titles that anybody writes",
        basics.label_with_dash,
    ),
    Case(
        "label-long",
        "id",
        "Does it take a name as long as a branch's can be?",
        "a name that is refused ends the run",
        basics.label_long,
    ),
    Case(
        "prompt-dash",
        "prompt",
        "Does a prompt that begins like an option reach the model as it is?",
        "prompts quote what anybody writes (RESUME-16)",
        prompts.with_words("--help {mark}"),
    ),
    Case(
        "prompt-word",
        "prompt",
        "And one that begins with the name of a subcommand?",
        "the same",
        prompts.with_words("resume {mark}"),
    ),
    Case(
        "prompt-quotes",
        "prompt",
        "And one with spaces, quotes, a backslash and two lines?",
        "the agent reads the task from it",
        prompts.with_words('Say "{mark}" \\ twice.\nThen end.'),
    ),
    Case(
        "state-files",
        "state",
        "Which files does a session of two turns leave in its state?",
        "an engine that looks for a session's state finds them",
        shared.written,
    ),
    Case(
        "state-smallest",
        "state",
        "Which of them does a resume need?",
        "what has to be kept from run to run",
        kept.smallest,
    ),
    Case(
        "state-apart",
        "state",
        "Is what is kept free of keys, settings and credentials?",
        "what one run leaves is handed to the next one (ISOLATE-4)",
        kept.apart,
    ),
    Case(
        "unknown-id",
        "refusals",
        "What does it say to an id that nobody knows?",
        _STARTS,
        refused.id_of(lambda bench, _: bench.unknown_id()),
        older=True,
    ),
    Case(
        "id-short",
        "refusals",
        "To `x` in place of an id?",
        "what a CLI makes of odd ids is why an engine checks their form (ISOLATE-10)",
        refused.id_of(lambda _, __: "x"),
    ),
    Case(
        "id-path",
        "refusals",
        "To `../../etc/passwd`?",
        "the same",
        refused.id_of(lambda _, __: "../../etc/passwd"),
    ),
    Case("id-option", "refusals", "To `--help`?", "the same", refused.id_of(lambda _, __: "--help")),
    Case("id-empty", "refusals", "To no id at all?", "the same", refused.id_of(lambda _, __: "")),
    Case(
        "id-upper",
        "refusals",
        "To its own id in upper case?",
        "whether an id may be written differently",
        refused.id_of(lambda _, session: session.id.upper()),
    ),
    Case("state-gone", "refusals", "When the state's directory is gone?", _STARTS, refused.after(refused.gone)),
    Case(
        "state-empty",
        "refusals",
        "When it is there and empty, as an engine makes it before the mount?",
        _STARTS,
        refused.after(refused.nothing_in_it),
    ),
    Case(
        "transcript-gone",
        "refusals",
        "When the transcript is gone and everything else is there?",
        _STARTS,
        refused.after(refused.no_transcript),
    ),
    Case("transcript-empty", "refusals", "When it has no bytes?", _STARTS, refused.after(refused.empty)),
    Case(
        "transcript-cut-head",
        "refusals",
        "When only its first twentieth is left?",
        _STARTS,
        refused.after(refused.cut_in_the_head),
    ),
    Case(
        "transcript-cut-tail",
        "refusals",
        "When it is cut in the middle of its last prompt?",
        _LOST,
        refused.after(refused.cut_in_the_tail),
    ),
    Case(
        "transcript-line",
        "refusals",
        "When the line with its last prompt is destroyed?",
        _LOST,
        refused.after(refused.line_destroyed),
    ),
    Case("transcript-garbage", "refusals", "When it is no text at all?", _STARTS, refused.after(refused.garbage)),
    Case(
        "transcript-directory",
        "refusals",
        "When a directory stands in its place?",
        _STARTS,
        refused.after(refused.directory),
    ),
    Case(
        "state-read-only",
        "refusals",
        "When nothing in the state may be written?",
        _LOST,
        refused.forbidden(refused.read_only_state),
    ),
    Case(
        "transcript-read-only",
        "refusals",
        "When the transcript may not be written?",
        _LOST,
        refused.forbidden(refused.read_only_transcript),
    ),
    Case(
        "transcript-unreadable",
        "refusals",
        "When it may not be read?",
        "a file of another owner must not be taken for a session that is gone",
        refused.forbidden(refused.unreadable_transcript),
    ),
    Case(
        "state-unreadable",
        "refusals",
        "When the state's directory may not be entered?",
        "the same",
        refused.forbidden(refused.unreadable_state),
    ),
    Case(
        "fresh-read-only",
        "refusals",
        "When a fresh session cannot be saved?",
        _LOST,
        refused.fresh_in_forbidden,
    ),
    Case(
        "id-in-use",
        "sharing",
        "What does a fresh start under an id that is in use come to?",
        "an engine that repeats an id must know whether it gets the old session",
        shared.id_in_use,
    ),
    Case(
        "two-at-once",
        "sharing",
        "What do two resumes of one session at once come to?",
        _ALONE,
        shared.two_at_once,
        lingers=_lingers(_OPENCODE),
    ),
    Case(
        "beside-another",
        "sharing",
        "Does a resume beside a fresh session in the same home go well?",
        "issues of one home would disturb one another",
        shared.beside_another,
        lingers=_lingers(_OPENCODE),
    ),
    Case(
        "elsewhere",
        "sharing",
        "What does a resume in another working directory come to?",
        "it is why every run has the same one (RESUME-8)",
        shared.elsewhere,
        lingers=_lingers(_OPENCODE),
    ),
    Case(
        "killed-resume",
        "sharing",
        "Does a session go on whose resume was killed in the middle of an answer?",
        "runs are cut off by time limits, cancellations and crashes",
        shared.killed_resume,
    ),
    Case(
        "killed-fresh",
        "sharing",
        "And one that was killed in the middle of its first answer?",
        "the same",
        shared.killed_fresh,
    ),
    Case(
        "killed-id-again",
        "sharing",
        "And does a fresh start under the same id go well after that?",
        "a run that is repeated must not meet its own remains",
        shared.killed_id_again,
    ),
    Case(
        "model-401",
        "model",
        "When the model refuses the credential during a resume?",
        _FAILS,
        provider.failing("401"),
        lingers=_lingers(_CLAUDE),
    ),
    Case("model-403", "model", "When it forbids the model?", _FAILS, provider.failing("403")),
    Case("model-404", "model", "When there is no such model?", _FAILS, provider.failing("404")),
    Case(
        "model-529",
        "model",
        "When it is overloaded?",
        _FAILS,
        provider.failing("529"),
        lingers=_lingers(_CODEX, _OPENCODE, _COPILOT),
    ),
    Case(
        "model-overflow",
        "model",
        "When the history is longer than the model's context?",
        _FAILS,
        provider.failing("overflow"),
    ),
    Case(
        "model-cut",
        "model",
        "When every answer breaks off in the middle?",
        _FAILS,
        provider.failing("cut"),
        lingers=_lingers(*PROBED),
    ),
    Case("model-down", "model", "When nobody listens?", _FAILS, provider.failing("down"), slow=True),
    Case("model-429", "model", "When there are too many requests?", _FAILS, provider.failing("429"), slow=True),
    Case("model-500", "model", "When it has an error of its own?", _FAILS, provider.failing("500"), slow=True),
)

CASES: Final[Mapping[str, Case]] = MappingProxyType({one.name: one for one in _ROWS})
#: Case → why a change of its outcome matters.
MATTERS: Final[Mapping[str, str]] = MappingProxyType({one.name: one.matters for one in _ROWS})
#: Cases that everything else rests on: they are run first, and alone.
FIRST: Final = ("version", "help", "fresh", "resume")
