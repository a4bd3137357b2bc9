"""Faults of the look-up: where the id to resume is taken from, and how a CLI is asked for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tck_driver.vocabulary import AdapterId, FallbackReason, MailboxRef
from tck_fakes.faults.changed import gives, instead, set_run
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.inside import first, layout_of, store_of
from tck_fakes.faults.register import Real, fault
from tck_simulator import resolution, run
from tck_simulator.adapters import ADAPTERS, Adapter, Call, Invocation
from tck_simulator.adapters.claude_code import ClaudeCode
from tck_simulator.adapters.codex import Codex
from tck_simulator.adapters.copilot import Copilot
from tck_simulator.adapters.opencode import OpenCode
from tck_simulator.contract import LlmResult
from tck_simulator.engine import Engine
from tck_simulator.live import LiveRun
from tck_simulator.outcomes import Judgement
from tck_simulator.resolution import PriorRun, Resolution, Situation
from tck_simulator.rows import Mailbox, Session
from tck_simulator.run import RunSequence
from tck_simulator.settings import Effective
from tck_simulator.store import Store

#: What session resolution gives: what was decided, and the name of the session directory.
Resolved = tuple[Resolution, str | None]

# --- RESUME-3: the latest row of mailbox and adapter that has an id --------------------------------------------------


@fault("first-session-for-ever", "RESUME-3", Kind.WRONG_VALUE, "resumes the first session of an issue, not the latest")
def _first_session_for_ever(sabotage: Sabotage) -> None:
    def candidate(situation: Situation) -> PriorRun | None:
        mine = (one for one in reversed(situation.prior) if one.adapter is situation.adapter)
        return next((one for one in mine if one.native_id is not None), None)

    sabotage.replace(resolution, "_candidate", lambda _: candidate)


@fault("last-run-only", "RESUME-3", Kind.MISSING_EFFECT, "looks at the run before and no further back")
def _last_run_only(sabotage: Sabotage) -> None:
    def candidate(found: PriorRun | None, situation: Situation) -> PriorRun | None:
        return found if found in situation.prior[:1] else None

    sabotage.replace(resolution, "_candidate", gives(candidate))


@fault(
    "over-with-another-kind", "RESUME-3", Kind.WRONG_SCOPE, "begins again after a run of an agent that has no sessions"
)
def _over_with_another_kind(sabotage: Sabotage) -> None:
    over: set[MailboxRef] = set()

    def resolve(resolved: Resolved, _: RunSequence, mailbox: Mailbox, *__: object) -> Resolved:
        decided, directory = resolved
        if not decided.session:
            over.add(mailbox.ref)
        if decided.resume_id is None or mailbox.ref not in over:
            return resolved
        return replace(decided, resume_id=None, reason=FallbackReason.NO_PRIOR_SESSION), directory

    sabotage.replace(RunSequence, "_resolve", gives(resolve))


@fault("hidden-by-a-null", "RESUME-3", Kind.WRONG_VALUE, "begins again where the agent's last run has no id")
def _hidden_by_a_null(sabotage: Sabotage) -> None:
    def candidate(found: PriorRun | None, situation: Situation) -> PriorRun | None:
        mine = next((one for one in situation.prior if one.adapter is situation.adapter), None)
        return None if mine is None or mine.native_id is None else found

    sabotage.replace(resolution, "_candidate", gives(candidate))


@fault("id-of-whoever-was-last", "RESUME-3", Kind.WRONG_SCOPE, "asks an agent for the session of another one")
def _id_of_whoever_was_last(sabotage: Sabotage) -> None:
    def candidate(situation: Situation) -> PriorRun | None:
        return next((one for one in situation.prior if one.native_id is not None), None)

    sabotage.replace(resolution, "_candidate", lambda _: candidate)


@fault("ids-in-memory", "RESUME-3", Kind.ONCE, "knows only the sessions that it has seen since its start")
def _ids_in_memory(sabotage: Sabotage) -> None:
    old: set[int] = set()

    def begin(engine: Engine) -> None:
        old.update(row.id for row in store_of(engine).sessions())

    def prior(made: PriorRun, row: Session) -> PriorRun:
        return replace(made, native_id=None) if row.id in old else made

    sabotage.replace(Engine, "begin", first(begin))
    sabotage.replace(run, "_prior", gives(prior))


@fault(
    "session-by-number", "RESUME-3", Kind.WRONG_SCOPE, "looks a session up by the number of the issue, in any project"
)
def _session_by_number(sabotage: Sabotage) -> None:
    looking: list[int] = []

    def resolve(real: Real, sequence: RunSequence, mailbox: Mailbox, *rest: object) -> object:
        looking.append(mailbox.ref.iid)
        try:
            return real(sequence, mailbox, *rest)
        finally:
            looking.pop()

    def sessions(real: Real, store: Store, mailbox_id: int | None = None) -> object:
        if mailbox_id is None or not looking:
            return real(store, mailbox_id)
        alike = {one.id for one in store.mailboxes() if one.ref.iid == looking[-1] and one.open}
        return [row for row in real(store) if row.mailbox_id in alike]

    sabotage.replace(RunSequence, "_resolve", instead(resolve))
    sabotage.replace(Store, "sessions", instead(sessions))


@fault(
    "sessions-of-all-times",
    "RESUME-3",
    Kind.WRONG_MOMENT,
    "counts the sessions that an issue had before it was reopened",
)
def _sessions_of_all_times(sabotage: Sabotage) -> None:
    looking: list[MailboxRef] = []

    def resolve(real: Real, sequence: RunSequence, mailbox: Mailbox, *rest: object) -> object:
        looking.append(mailbox.ref)
        try:
            return real(sequence, mailbox, *rest)
        finally:
            looking.pop()

    def sessions(real: Real, store: Store, mailbox_id: int | None = None) -> object:
        if mailbox_id is None or not looking:
            return real(store, mailbox_id)
        same = {one.id for one in store.mailboxes() if one.ref == looking[-1]}
        return [row for row in real(store) if row.mailbox_id in same]

    sabotage.replace(RunSequence, "_resolve", instead(resolve))
    sabotage.replace(Store, "sessions", instead(sessions))


@fault("id-remembered", "RESUME-3", Kind.EXTRA_EFFECT, "asks for the id that it remembers, whatever its table says")
def _id_remembered(sabotage: Sabotage) -> None:
    known: dict[int, str] = {}

    def result(made: LlmResult, _: RunSequence, live: LiveRun, *__: object) -> LlmResult:
        if made.session_id is not None:
            known[live.run] = made.session_id
        return made

    def prior(made: PriorRun, row: Session) -> PriorRun:
        return replace(made, native_id=known.get(row.id, made.native_id)) if row.native_session_id else made

    sabotage.replace(RunSequence, "result", gives(result))
    sabotage.replace(run, "_prior", gives(prior))


# --- RESUME-4: nothing that the container can write ------------------------------------------------------------------


def _ids_below(state: Path, adapter: Adapter) -> Iterator[str]:
    """Give the ids that stand in the names of session files, the newest file first."""
    files = [path for path in state.rglob("*") if path.is_file() and not path.is_symlink()]
    for path in sorted(files, key=lambda one: one.stat().st_mtime_ns, reverse=True):
        yield from (found[0] for found in adapter.id_pattern.finditer(str(path.relative_to(state))))


def _id_in(file: Path, adapter: Adapter) -> str | None:
    """Give the first id that stands in a file, None where there is no file or no id in it."""
    text = file.read_text("utf-8", "replace") if file.is_file() else ""
    found = adapter.id_pattern.search(text)
    return None if found is None else found[0]


@fault(
    "newest-file-decides", "RESUME-4", Kind.WRONG_VALUE, "resumes the session whose file is the newest in the directory"
)
def _newest_file_decides(sabotage: Sabotage) -> None:
    def resolve(
        resolved: Resolved, sequence: RunSequence, _: Mailbox, __: Effective, adapter: Adapter | None, *___: object
    ) -> Resolved:
        decided, directory = resolved
        if adapter is None or directory is None or decided.resume_id is None:
            return resolved
        newest = next(_ids_below(layout_of(sequence).state(directory, adapter.id), adapter), decided.resume_id)
        return replace(decided, resume_id=newest), directory

    sabotage.replace(RunSequence, "_resolve", gives(resolve))


@fault("index-decides", "RESUME-4", Kind.WRONG_SCOPE, "believes an index of sessions that lies in the state directory")
def _index_decides(sabotage: Sabotage) -> None:
    def resolve(
        resolved: Resolved, sequence: RunSequence, _: Mailbox, __: Effective, adapter: Adapter | None, *___: object
    ) -> Resolved:
        decided, directory = resolved
        if adapter is None or directory is None or decided.resume_id is None:
            return resolved
        named = _id_in(layout_of(sequence).state(directory, adapter.id) / "sessions-index.json", adapter)
        return replace(decided, resume_id=named or decided.resume_id), directory

    sabotage.replace(RunSequence, "_resolve", gives(resolve))


@fault(
    "note-in-the-worktree",
    "RESUME-4",
    Kind.EXTRA_EFFECT,
    "takes over the id from a note that the agent left in its worktree",
)
def _note_in_the_worktree(sabotage: Sabotage) -> None:
    def clear(sequence: RunSequence, live: LiveRun, _: object) -> None:
        named = None if live.adapter is None else _id_in(live.worktree / ".session-id", live.adapter)
        if named is not None and live.state is not None:
            set_run(store_of(sequence), live.run, native_session_id=named)

    sabotage.replace(RunSequence, "clear", first(clear))


@fault(
    "rebuilt-from-the-disk",
    "RESUME-4",
    Kind.WRONG_MOMENT,
    "reads the ids from the state directories when it starts again",
)
def _rebuilt_from_the_disk(sabotage: Sabotage) -> None:
    def begin(engine: Engine) -> None:
        store, layout = store_of(engine), layout_of(engine)
        for mailbox in store.mailboxes(only_open=True):
            rows = [row for row in store.sessions(mailbox.id) if row.native_session_id is not None]
            if not rows or mailbox.session_dir is None:
                continue
            adapter = ADAPTERS[AdapterId(rows[-1].adapter_id)]
            newest = next(_ids_below(layout.state(mailbox.session_dir, adapter.id), adapter), None)
            if newest is not None:
                set_run(store, rows[-1].id, native_session_id=newest)

    sabotage.replace(Engine, "begin", first(begin))


# --- RESUME-10: by its id, never as the most recent one and never by its name ----------------------------------------


@fault("claude-continues", "RESUME-10", Kind.WRONG_VALUE, "asks claude for the most recent session")
def _claude_continues(sabotage: Sabotage) -> None:
    def resume(made: Invocation, *_: object) -> Invocation:
        return replace(made, argv=tuple("--continue" if "--resume=" in word else word for word in made.argv))

    sabotage.replace(ClaudeCode, "resume", gives(resume))


@fault("copilot-by-name", "RESUME-10", Kind.WRONG_VALUE, "asks copilot for the session by its name")
def _copilot_by_name(sabotage: Sabotage) -> None:
    def resume(made: Invocation, _: Copilot, call: Call, native_id: str) -> Invocation:
        by_name = f"--resume={call.label}"
        return replace(made, argv=tuple(by_name if word == f"--resume={native_id}" else word for word in made.argv))

    sabotage.replace(Copilot, "resume", gives(resume))


@fault("codex-last-from-then-on", "RESUME-10", Kind.ONCE, "asks codex by id once, and later for the last session")
def _codex_last_from_then_on(sabotage: Sabotage) -> None:
    asked: set[str] = set()

    def resume(made: Invocation, _: Codex, call: Call, native_id: str) -> Invocation:
        if asked:
            at = made.argv.index("resume")
            return replace(made, argv=(*made.argv[: at + 1], "--last", "--", call.prompt))
        asked.add(native_id)
        return made

    sabotage.replace(Codex, "resume", gives(resume))


@fault("opencode-continues", "RESUME-10", Kind.WRONG_SCOPE, "asks opencode for the last session of the directory")
def _opencode_continues(sabotage: Sabotage) -> None:
    def resume(made: Invocation, *_: object) -> Invocation:
        return replace(made, argv=tuple("--continue" if "--session=" in word else word for word in made.argv))

    sabotage.replace(OpenCode, "resume", gives(resume))


# --- RESUME-12: a new id after a resume ------------------------------------------------------------------------------


@fault("old-id-for-ever", "RESUME-12", Kind.WRONG_VALUE, "keeps asking for the id that a cli has replaced")
def _old_id_for_ever(sabotage: Sabotage) -> None:
    def judge(made: Judgement, _: object, asked: str | None, *__: object, **___: object) -> Judgement:
        return replace(made, native_id=asked) if made.resumed else made

    sabotage.replace(run, "judge", gives(judge))


@fault("follows-once", "RESUME-12", Kind.ONCE, "follows a session to a new id once, and not again")
def _follows_once(sabotage: Sabotage) -> None:
    followed: list[str | None] = []

    def judge(made: Judgement, _: object, asked: str | None, *__: object, **___: object) -> Judgement:
        if not made.resumed or made.native_id == asked:
            return made
        if not followed:
            followed.append(asked)
        return made if asked in followed else replace(made, native_id=asked)

    sabotage.replace(run, "judge", gives(judge))
