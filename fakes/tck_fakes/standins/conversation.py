"""The course of one CLI run, the same for all CLIs: load, save the prompt, call the model, save the answer, report.

Where a shape leaves this course is told here once; what the CLI says at that point is its own module's. Measured: the
prompt is in the history before the model answers, so a killed or failed run has left it there (`docs/specification.md`
§16.5).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from tck_driver.bench import Link, Shape, Write
from tck_fakes.standins.base import (
    KILLED,
    Account,
    Cli,
    Conversation,
    Event,
    Failure,
    Hang,
    Invocation,
    Line,
    Out,
    Request,
    Session,
    Spoken,
    Stop,
    Turn,
    Word,
)
from tck_fakes.standins.claude_dialogue import awaited, overture
from tck_fakes.standins.shapes import FAULTS, OF_RESUMES, REFUSALS, UNCONFIRMED, failure_of


def effective_shape(call: Invocation, asked: Request | Stop) -> Shape:
    """Give the shape that this start really takes: some mean nothing for what its arguments ask."""
    shape = call.script.shape
    if isinstance(asked, Stop):
        return "usage_error"
    if (shape in OF_RESUMES and not asked.resumes) or (shape == "id_in_use" and asked.chosen_id is None):
        return "ok"
    return shape


def dialogue(cli: Cli, call: Invocation, asked: Request, account: Account) -> Conversation:
    """Run a CLI whose prompt comes over its standard input, by a script that is known before."""
    heard = yield from overture(cli, call, asked)
    return 0 if heard is None else (yield from converse(cli, call, heard, account))


def converse(cli: Cli, call: Invocation, asked: Request | Stop, account: Account) -> Conversation:
    """Run the CLI to its end, and keep the account."""
    if isinstance(asked, Stop):
        return (yield from _stop(asked, account))
    shape = account.shape
    if shape == "killed_early":
        return (yield from _stop(Stop((), KILLED), account))
    if shape == "hang_early":
        yield Hang()
    session = cli.refusal(call, asked, shape) if shape in REFUSALS else _begun(cli, call, asked, account)
    if isinstance(session, Stop):
        return (yield from _stop(session, account))
    names = _names(cli, call, asked, session, account.shape)
    run = _Run(cli, call, account)
    code = yield from _turn(run, asked, session, account.shape, names)
    if asked.converses and code != KILLED:
        code = yield from _further(run, asked, session, names, code)
    return code


@dataclass(frozen=True, slots=True)
class _Run:
    """One start of a CLI, under way."""

    cli: Cli
    call: Invocation
    account: Account


def _further(run: _Run, asked: Request, session: Session, names: tuple[str, ...], code: int) -> Conversation:
    """Take the further prompts of a dialogue, all of which go well; the exit code is that of the last turn."""
    account = run.account
    run = replace(run, call=replace(run.call, script=replace(run.call.script, acts=())))
    while True:
        prompt = yield from awaited()
        if prompt is None:
            return code
        if isinstance(prompt, Stop):
            return (yield from _stop(prompt, account))
        said = (*session.spoken, Spoken("user", asked.prompt), Spoken("assistant", account.answer))
        session = replace(session, spoken=said, new=False, notes=())
        asked = replace(asked, prompt=prompt)
        if account.saved:
            account.saved = run.cli.begin(run.call, asked, session) is True
        code = yield from _turn(run, asked, session, "ok", names)


def _begun(cli: Cli, call: Invocation, asked: Request, account: Account) -> Session | Stop:
    """Open the session and save the prompt in it."""
    session = _open(cli, call, asked, account.shape)
    if isinstance(session, Stop):
        return session
    if session.id in call.poisoned and account.shape == "ok":
        account.shape = "bad_request"
    account.session_id, account.remembered = session.id, session.history
    saved = account.shape != "unsaved" and cli.begin(call, asked, session)
    if isinstance(saved, Stop):
        return saved
    account.saved = saved
    return session


def _turn(run: _Run, asked: Request, session: Session, shape: Shape, names: tuple[str, ...]) -> Conversation:
    """Let the model have its turn on an opened session, which is called by these names."""
    cli, call, account = run.cli, run.call, run.account
    yield from _say((*session.notes, *cli.opening(call, asked, names)), account)
    given = yield Turn((*session.spoken, Spoken("user", asked.prompt)), session.titled)
    word = given if isinstance(given, Word) else None
    if session.stalls:
        yield Hang()
    if shape in ("hang", "killed", *UNCONFIRMED):
        yield from _say(cli.midway(call, asked, names), account)
    if shape == "hang":
        yield Hang()
    _act(call)
    if shape == "killed":
        return KILLED
    failure = _failure(cli, call, session, shape, word)
    answer = word.answer if word is not None else None if failure is not None else call.script.answer
    yield from _say(() if failure is None else cli.retried(call, asked, names, failure), account)
    if _for_ever(cli, failure):
        yield Hang()
    if answer is None:
        yield from _say(cli.failed(call, asked, names, failure or Failure("cut")), account)
        return 1
    if shape == "prose_id":
        answer += f" For the record: session id: {cli.new(call, asked).id}, also called session id: management."
    account.answer = answer
    if account.saved:
        account.saved = cli.finish(call, session, answer)
    if shape in ("decoy_beside", "empty_beside"):
        cli.beside(call, session, empty=shape == "empty_beside")
    yield from _say(cli.closing(call, asked, names, answer, saved=account.saved), account)
    return 0 if account.saved else cli.unsaved_code


def _for_ever(cli: Cli, failure: Failure | None) -> bool:
    """Tell whether the CLI goes on calling a model that it cannot reach for as long as it is let."""
    return failure is not None and failure.kind == "down" and cli.outlasts


def _failure(cli: Cli, call: Invocation, session: Session, shape: Shape, word: Word | None) -> Failure | None:
    """Give what went wrong with the model: as a real one has told, or else as the script says."""
    if word is not None:
        return word.failure
    if shape == "bad_request":
        call.poisoned.add(session.id)
    return failure_of(cli.adapter, shape) if shape in FAULTS or shape in UNCONFIRMED else None


def _open(cli: Cli, call: Invocation, asked: Request, shape: Shape) -> Session | Stop:
    if shape in ("other_id", "other_id_fails"):
        return cli.new(call, asked)
    session = cli.open(call, asked)
    if shape == "rotate" and isinstance(session, Session):
        return replace(cli.new(call, asked), spoken=session.spoken)
    return session


def _names(cli: Cli, call: Invocation, asked: Request, session: Session, shape: Shape) -> tuple[str, ...]:
    if shape == "no_id":
        return ()
    if shape == "odd_id":
        return (call.script.reported_id or "",)
    if shape in ("two_ids", "two_ids_fail"):
        return (session.id, cli.new(call, asked).id)
    return (session.id,)


def _act(call: Invocation) -> None:
    for act in call.script.acts:
        try:
            match act:
                case Write(path, text):
                    call.view.write(path, text.encode())
                case Link(path, target):
                    call.view.link(path, target)
        except (OSError, ValueError):
            # The agent's own tool call fails; that ends neither its turn nor the CLI.
            continue


def _say(lines: Iterable[Line], account: Account) -> Iterator[Event]:
    for line in lines:
        if isinstance(line, Out) and line.named is not None and line.named not in account.reported:
            account.reported.append(line.named)
        yield line


def _stop(stop: Stop, account: Account) -> Conversation:
    yield Turn()
    yield from _say(stop.lines, account)
    return stop.exit_code
