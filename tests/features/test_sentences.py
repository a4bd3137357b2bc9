"""The register of sentences: what it refuses, and that its short way to a definition never misses one."""

from __future__ import annotations

import re
from collections.abc import Generator

import pytest
from cucumber_expressions.ast import Node, NodeType
from cucumber_expressions.expression_parser import CucumberExpressionParser
from cucumber_expressions.parameter_type import ParameterType
from hypothesis import given, settings
from hypothesis import strategies as st

from tck_driver.errors import KitError
from tck_features import steps
from tck_features.sentences import (
    SENTENCES,
    AmbiguousSentenceError,
    Definition,
    Sentences,
    UndefinedSentenceError,
    Within,
)

assert steps  # importing them is what fills the register


def nothing(world: object) -> None:
    """Do nothing."""


def one_argument(world: object, value: object) -> None:
    """Do nothing with something."""


@pytest.fixture
def register() -> Sentences:
    """An empty register."""
    return Sentences()


# --- definitions -----------------------------------------------------------------------------------------------------


def test_a_coroutine_is_refused_with_its_place(register: Sentences) -> None:
    async def step(world: object) -> None:
        """Would be made and never run."""

    with pytest.raises(KitError, match=rf"{re.escape(__file__)}:\d+ is a coroutine or a generator; make it an"):
        register.then("all is well")(step)
    assert register.definitions == []


def test_a_generator_is_refused_with_its_place(register: Sentences) -> None:
    def step(world: object) -> Generator[object]:
        yield world

    with pytest.raises(KitError, match=rf"{re.escape(__file__)}:\d+ is a coroutine or a generator"):
        register.given("all is well")(step)


def test_a_sentence_is_defined_once_for_its_kind_and_may_be_of_another_kind_too(register: Sentences) -> None:
    register.given("it rains")(nothing)
    register.when("it rains")(nothing)
    with pytest.raises(
        AmbiguousSentenceError, match=rf"given 'it rains' at {re.escape(__file__)}:\d+ is defined already"
    ):
        register.given("it rains")(one_argument)
    assert len(register.definitions) == 2


def test_a_definition_leaves_its_function_as_it_is(register: Sentences) -> None:
    assert register.when("it rains")(nothing) is nothing
    (known,) = register.definitions
    assert known.origin == f"{__file__}:{nothing.__code__.co_firstlineno}"


# --- looking up ------------------------------------------------------------------------------------------------------


def test_a_sentence_is_found_by_its_kind_with_its_arguments_converted(register: Sentences) -> None:
    register.parameter("size", ["big", "very big"], len)
    register.given("a {size} issue {int}")(one_argument)
    call = register.find("given", "a very big issue 7")
    assert call.arguments == (8, 7)
    assert call.definition.function is one_argument
    assert register.find("given", "a very big issue 7") is call
    with pytest.raises(UndefinedSentenceError, match=r"^no step is defined for: Then a very big issue 7$"):
        register.find("then", "a very big issue 7")


def test_an_undefined_sentence_is_named(register: Sentences) -> None:
    register.given("it rains")(nothing)
    for text in ("it snows", "it rains today", "It rains", "it  rains", ""):
        with pytest.raises(UndefinedSentenceError, match=f"^no step is defined for: Given {text}$"):
            register.find("given", text)


def test_a_sentence_that_two_definitions_match_is_refused_with_both_places(register: Sentences) -> None:
    register.then("it is {word}")(nothing)
    register.then("it is {int}")(one_argument)
    assert register.find("then", "it is red").definition.function is nothing
    with pytest.raises(AmbiguousSentenceError) as caught:
        register.find("then", "it is 7")
    places = [definition.origin for definition in register.definitions]
    assert str(caught.value) == f"{places[0]} and {places[1]} both match: Then it is 7"


def test_signs_of_regular_expressions_in_a_word_are_only_signs(register: Sentences) -> None:
    register.parameter("thing", ["a.b", "a|b", "(a)", "a+", "a", "a\\b"], str)
    register.given("there is {thing}")(one_argument)
    for value in ("a.b", "a|b", "(a)", "a+", "a", "a\\b"):
        assert register.find("given", f"there is {value}").arguments == (value,)
    with pytest.raises(UndefinedSentenceError):
        register.find("given", "there is axb")


def test_a_step_that_gives_something_back_is_a_mistake(register: Sentences) -> None:
    def step(world: object) -> bool:
        return world is not None

    register.then("all is well")(step)
    with pytest.raises(KitError, match=r"the step at .*test_sentences\.py:\d+ gives back True; steps record"):
        register.find("then", "all is well")(object())
    register.then("nothing is said")(nothing)
    register.find("then", "nothing is said")(object())


# --- the short way ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "beginning"),
    [
        ("it rains", "it "),  # the last word could go on
        ("the {word} rains", "the "),
        ("{word} rains", ""),
        ("a(n) issue", ""),
        ("there is/are {int}", "there "),
        ("there are {int} minute(s)", "there are "),
        (r"it is \{odd\}", "it is "),
        ("", ""),
    ],
)
def test_a_definitions_beginning_is_its_whole_words_before_the_first_sign(source: str, beginning: str) -> None:
    assert Definition("given", source, nothing, "here").beginning == beginning


def _texts(sentences: Sentences, node: Node) -> st.SearchStrategy[str]:
    """Give texts that a part of an expression matches."""
    match node.ast_type:
        case NodeType.TEXT:
            return st.just(node.text)
        case NodeType.PARAMETER:
            kind = sentences.parameters.lookup_by_type_name(node.text)
            return st.one_of(*(st.from_regex(regexp, fullmatch=True) for regexp in kind.regexps))
    parts = [_texts(sentences, part) for part in node.nodes]
    if node.ast_type is NodeType.ALTERNATION:
        return st.one_of(*parts)
    whole = st.tuples(*parts).map("".join)
    return st.just("") | whole if node.ast_type is NodeType.OPTIONAL else whole


def sentences_of(definition: Definition) -> st.SearchStrategy[str]:
    return _texts(SENTENCES, CucumberExpressionParser().parse(definition.source))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.data())
def test_no_sentence_that_matches_a_definition_is_passed_over(data: st.DataObject) -> None:
    definition = data.draw(st.sampled_from(SENTENCES.definitions))
    text = data.draw(sentences_of(definition))
    assert SENTENCES.expression(definition).match(text) is not None
    assert text.startswith(definition.beginning)


@pytest.mark.parametrize("definition", SENTENCES.definitions, ids=lambda one: f"{one.kind} {one.source}")
def test_every_definition_is_found_by_one_of_its_own_sentences(definition: Definition) -> None:
    found: list[str] = []

    @settings(max_examples=1, deadline=None, derandomize=True, database=None)
    @given(sentences_of(definition))
    def draw(text: str) -> None:
        found.append(text)

    draw()
    assert SENTENCES.find(definition.kind, found[-1]).definition is definition


def test_a_sentence_within_another_is_found_with_it_and_refused_as_any_other(register: Sentences) -> None:
    register.then("it rains")(nothing)
    register.then("as {int} says, {within}")(nothing)
    register.parameters.define_parameter_type(ParameterType("within", ".+", object, Within, False, False))  # noqa: FBT003 -- the library's signature

    outer, inner = register.calls("then", "as 7 says, it rains")
    assert (outer.arguments, inner.definition.source) == ((7, Within("it rains")), "it rains")
    with pytest.raises(UndefinedSentenceError, match="Then it snows"):
        [*register.calls("then", "as 7 says, it snows")]
