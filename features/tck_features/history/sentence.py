"""Makes a sentence of a history: a function that reads an event from its words, played wherever the sentence stands."""

from __future__ import annotations

import functools
from collections.abc import Callable
from inspect import unwrap
from typing import TypeVar, cast

from cucumber_expressions.parameter_type import ParameterType

from tck_driver.errors import KitError
from tck_driver.vocabulary import Phase
from tck_features.history import spelling
from tck_features.history.events import Event
from tck_features.history.wording import BEGINNING, DAMAGES
from tck_features.sentences import SENTENCES, given, when
from tck_features.world import World

E = TypeVar("E", bound=Event)


def happens(source: str) -> Callable[[Callable[..., E]], Callable[..., E]]:
    """Define a sentence whose words the function below turns into an event; it may stand as a Given and as a When."""

    def register(read: Callable[..., E]) -> Callable[..., E]:
        @functools.wraps(read)
        def step(world: World, *arguments: object) -> None:
            if world.history is None:
                raise KitError(f"the history has no beginning; let the first sentence be: Given {BEGINNING}")
            world.history.one(read(*arguments))

        given(source)(step)
        when(source)(step)
        return read

    return register


def read(text: str) -> Event:
    """Give the event of a sentence. Raises `UndefinedSentenceError` where it is none."""
    call = SENTENCES.find("when", text)
    return cast("Event", unwrap(call.definition.function)(*call.arguments))


def _parameter(name: str, pattern: str, convert: Callable[[str], object]) -> None:
    SENTENCES.parameters.define_parameter_type(
        ParameterType(name, pattern, object, convert, False, False)  # noqa: FBT003 -- the library's signature
    )


_parameter("text", spelling.TEXT, spelling.unquoted)
_parameter("mailbox", spelling.MAILBOX, spelling.read_mailbox)
_parameter("project_address", spelling.PROJECT, spelling.read_project)
_parameter("duration", spelling.DURATION, spelling.read_duration)
_parameter("value", spelling.VALUE, spelling.read_value)
_parameter("holder", spelling.HOLDER, spelling.read_holder)
_parameter("binding", spelling.BINDING, spelling.read_binding)
_parameter("bindings", spelling.BINDINGS, spelling.read_bindings)
_parameter("scripts", spelling.SCRIPTS, spelling.read_scripts)
_parameter("run_phase", spelling.PHASE, Phase)
_parameter("damage", "|".join(DAMAGES), DAMAGES.__getitem__)
