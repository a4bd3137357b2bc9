"""What a turn is sent: the whole task, or only what the session does not know yet; and which answer is due."""

from __future__ import annotations

import json
import re

from tck_simulator.turns.continuation import Due

#: What the model has to answer, and an answer that has not that form.
ANSWER, INVALID = '{"done": true}', "I have done it, and say so in a sentence."
#: Finds the line that only a prompt with the whole task has.
FULL = r"(?m)^Task: "


def instructions_of(scope: str) -> str:
    """Give the instructions of a scope."""
    return f'Task: do what {scope} is about, with tests.\nAnswer with a JSON object, {{"done": true}}.'


def whole(due: Due, instructions: str) -> str:
    """Give the prompt that needs no memory."""
    return f"Scope: {due.scope}\n{instructions}\nTurn {due.generation}: begin, or go on where the folder shows it."


def rest(due: Due) -> str:
    """Give the prompt that is enough where the session remembers the task."""
    return f"Scope: {due.scope}\nTurn {due.generation}: go on."


def pattern_of(scope: str) -> str:
    """Give a regular expression that finds a scope's own prompts, and no other's."""
    return rf"(?m)^Scope: {re.escape(scope)}$"


def fit(answer: str) -> bool:
    """Say whether an answer has the form that is due."""
    try:
        value: object = json.loads(answer)
    except ValueError:
        return False
    return isinstance(value, dict) and value.get("done") is True  # pyright: ignore[reportUnknownMemberType] -- JSON
