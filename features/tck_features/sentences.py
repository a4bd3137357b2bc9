"""The register of sentences: which sentence of a scenario means which function.

Sentences are Cucumber expressions. A function is called with the scenario's world and what the expression captured; it
must be an ordinary function, since a coroutine would be made and never run. A sentence that two definitions match is a
mistake of the kit and refused.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from cucumber_expressions.expression import CucumberExpression
from cucumber_expressions.parameter_type import ParameterType
from cucumber_expressions.parameter_type_registry import ParameterTypeRegistry

from tck_driver.errors import KitError

#: What stands before the first sign that means something in a Cucumber expression, or before a word with alternatives.
_BEFORE_SIGNS = re.compile(r"(?:[^{(/\\ ]+ )*")

Kind = Literal["given", "when", "then"]
StepFunction = Callable[..., object]
F = TypeVar("F", bound=StepFunction)


@dataclass(frozen=True, slots=True)
class Definition:
    """One sentence and its function. `origin` is file and line of the function."""

    kind: Kind
    source: str
    function: StepFunction
    origin: str

    @property
    def beginning(self) -> str:
        """The words that every sentence of this definition begins with."""
        return _BEFORE_SIGNS.match(self.source)[0]  # type: ignore[index] # pyright: ignore[reportOptionalSubscript] -- it matches the empty text


@dataclass(frozen=True, slots=True)
class Call:
    """A sentence that was understood: the function and its arguments after the world."""

    definition: Definition
    arguments: tuple[object, ...]

    def __call__(self, world: object) -> None:
        """Do it. A step that gives something back is a mistake: nobody would look at it."""
        result = self.definition.function(world, *self.arguments)
        if result is not None:
            raise KitError(f"the step at {self.definition.origin} gives back {result!r}; steps record expectations")


@dataclass(frozen=True, slots=True)
class Within:
    """A sentence that judges, as it stands within another one."""

    text: str


class UndefinedSentenceError(KitError):
    """No definition matches a sentence."""


class AmbiguousSentenceError(KitError):
    """More than one definition matches a sentence."""


@dataclass(slots=True)
class Sentences:
    """All definitions. `find` is cached, as scenarios repeat their sentences."""

    parameters: ParameterTypeRegistry = field(default_factory=ParameterTypeRegistry)
    definitions: list[Definition] = field(default_factory=list[Definition])
    _expressions: dict[str, CucumberExpression] = field(default_factory=dict[str, CucumberExpression])
    _found: dict[tuple[Kind, str], Call] = field(default_factory=dict[tuple[Kind, str], Call])

    def parameter(self, name: str, values: Sequence[str], convert: Callable[[str], object]) -> None:
        """Define a word that sentences may hold: `{name}`, one of `values`."""
        ordered = sorted(values, key=len, reverse=True)
        self.parameters.define_parameter_type(
            ParameterType(name, "|".join(_literal(value) for value in ordered), object, convert, False, False)  # noqa: FBT003 -- the library's signature
        )

    def _define(self, kind: Kind, source: str) -> Callable[[F], F]:
        def register(function: F) -> F:
            code = inspect.unwrap(function).__code__
            origin = f"{code.co_filename}:{code.co_firstlineno}"
            if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
                raise KitError(f"the step at {origin} is a coroutine or a generator; make it an ordinary function")
            if any(known.kind == kind and known.source == source for known in self.definitions):
                raise AmbiguousSentenceError(f"{kind} {source!r} at {origin} is defined already")
            self.definitions.append(Definition(kind, source, function, origin))
            return function

        return register

    def given(self, source: str) -> Callable[[F], F]:
        """Define a sentence about what was before."""
        return self._define("given", source)

    def when(self, source: str) -> Callable[[F], F]:
        """Define a sentence about what happens."""
        return self._define("when", source)

    def then(self, source: str) -> Callable[[F], F]:
        """Define a sentence about what must be so afterwards."""
        return self._define("then", source)

    def expression(self, definition: Definition) -> CucumberExpression:
        """Give the expression of a definition, which is made when it is needed first: there are many of them."""
        if definition.source not in self._expressions:
            self._expressions[definition.source] = CucumberExpression(definition.source, self.parameters)
        return self._expressions[definition.source]

    def find(self, kind: Kind, text: str) -> Call:
        """Find the one definition of a sentence. Raises `UndefinedSentenceError` or `AmbiguousSentenceError`."""
        known = self._found.get((kind, text))
        if known is not None:
            return known
        calls: list[Call] = []
        for definition in self.definitions:
            if definition.kind != kind or not text.startswith(definition.beginning):
                continue
            arguments = self.expression(definition).match(text)
            if arguments is not None:
                calls.append(Call(definition, tuple(argument.value for argument in arguments)))  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType, reportUnknownVariableType] -- the library has no types
        if not calls:
            raise UndefinedSentenceError(f"no step is defined for: {kind.capitalize()} {text}")
        if len(calls) > 1:
            places = " and ".join(call.definition.origin for call in calls)
            raise AmbiguousSentenceError(f"{places} both match: {kind.capitalize()} {text}")
        self._found[kind, text] = calls[0]
        return calls[0]

    def calls(self, kind: Kind, text: str) -> Iterator[Call]:
        """Find the definition of a sentence, and of every sentence that stands within it."""
        call = self.find(kind, text)
        yield call
        for argument in call.arguments:
            if isinstance(argument, Within):
                yield from self.calls("then", argument.text)


def _literal(value: str) -> str:
    """Escape what a regular expression would take for its own, but no spaces."""
    return "".join(f"\\{letter}" if letter in r".^$*+?{}[]\|()" else letter for letter in value)


#: The register that the kit's steps are in.
SENTENCES = Sentences()
given, when, then = SENTENCES.given, SENTENCES.when, SENTENCES.then
