"""What each shape of a stand-in CLI comes to: which ids were reported, whether the model spoke, whether it refused.

The witness says which shape a start took and what it reported. Whether that was a refusal is read from §16.5.4: the
stand-ins say in each shape what the real CLIs were measured to say, and these texts are in its second table or not.
"""

from __future__ import annotations

from tck_driver.bench import Script
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import CliAnswered, CliStarted
from tck_features.model.facts import DECLARES, is_id

#: The CLI says that it has no such session, or cannot load it.
_REFUSALS: dict[str, frozenset[str]] = {
    "refuse": DECLARES,
    "refuse_decoy": DECLARES,
    "refuse_exit_zero": DECLARES,
    "refuse_silent": frozenset({AdapterId.OPENCODE}),
    "damaged": DECLARES,
}
#: Shapes that end before any session is looked for, and say nothing of one.
_EARLY: frozenset[str] = frozenset({"id_in_use", "usage_error", "generic_error", "no_output", "killed_early"})
#: Shapes that mean something only where a resume was asked for; a fresh start answers in the ordinary way.
_OF_RESUMES: frozenset[str] = frozenset({*_REFUSALS, "rotate"})
#: Shapes that say all that they have to say at their end.
_LATE: frozenset[str] = frozenset({*_REFUSALS, *_EARLY, "hang_early", "no_id"})
#: The exit code of a process that was killed.
_KILLED = 137


def refuses(answer: CliAnswered, asked: str | None, *, silent: bool) -> bool:
    """Say whether a start was a recognised refusal; `silent`: this session makes its CLI end without a word."""
    if asked is None:
        return False
    if answer.shape in _REFUSALS:
        return answer.adapter in _REFUSALS[answer.shape]
    return gave_up(answer) and not silent


def gave_up(answer: CliAnswered) -> bool:
    """Say whether a CLI, whatever it was told to do, did not find its session, or could not read or begin one."""
    if answer.exit_code == _KILLED or answer.shape in _EARLY or answer.shape in _REFUSALS:
        return False
    # opencode can find only when it writes that its database is none.
    unread = answer.adapter == AdapterId.OPENCODE and not answer.saved and not answer.reported_ids
    return answer.session_id is None or (unread and answer.exit_code != 0)


def reported(answer: CliAnswered, asked: str | None, *, refused: bool) -> tuple[str, ...]:
    """Give the reported ids of §16.5.4: those that match, in events other than the one that announces a refusal."""
    ids = tuple(native_id for native_id in answer.reported_ids if is_id(answer.adapter, native_id))
    # claude puts the asked id into the very event in which it says that it did not find it.
    return tuple(native_id for native_id in ids if native_id != asked) if refused else ids


def speaks(answer: CliAnswered) -> bool:
    """Say whether the model had a turn, as far as §16.5.4 asks for it: every shape that ends well has one."""
    return answer.exit_code == 0 and answer.session_id is not None and answer.shape not in _REFUSALS


def names_early(cli: CliStarted, script: Script) -> bool | None:
    """Say whether a CLI that is still at work has named its session by now; None where that cannot be told.

    Of one that was asked for a session, whether it has named that one. claude and codex name it before they call the
    model, opencode with the model's first step, copilot at its end.
    """
    adapter, asked = cli.adapter, cli.asked_id
    shape, at_once = script.shape, script.duration_ms == 0
    if (shape in _OF_RESUMES and asked is None) or (shape == "id_in_use" and cli.chosen_id is None):
        # It means nothing for what was asked.
        shape = "ok"
    if shape == "odd_id" and not _odd_is_one(adapter, script, asked):
        return False
    if adapter == AdapterId.COPILOT or (shape in _LATE and (at_once or shape != "hang_early")):
        return False
    if shape == "hang" and at_once:
        return True
    if shape == "hang_early":
        return None
    if adapter == AdapterId.OPENCODE:
        return None if shape == "hang" else False
    return True if asked is None else None


def _odd_is_one(adapter: str, script: Script, asked: str | None) -> bool:
    """Say whether the text that a CLI was told to report is an id, and the asked one where one was asked for."""
    return is_id(adapter, script.reported_id) and asked in {None, script.reported_id}
