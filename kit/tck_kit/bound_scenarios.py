"""The module that pytest collects: every scenario of the worker's folder, and the three steps that pytest-bdd sees."""

from pytest_bdd import given, scenarios, then, when

from tck_features.library import LIBRARY
from tck_features.world import World
from tck_kit.binding import FOLDERS, AnySentence


@given(AnySentence("given"))
def given_sentence(tck_world: World, sentence: str) -> None:
    """Do what the sentence means."""
    LIBRARY.find("given", sentence)(tck_world)


@when(AnySentence("when"))
def when_sentence(tck_world: World, sentence: str) -> None:
    """Do what the sentence means."""
    LIBRARY.find("when", sentence)(tck_world)


@then(AnySentence("then"))
def then_sentence(tck_world: World, sentence: str) -> None:
    """Do what the sentence means."""
    LIBRARY.find("then", sentence)(tck_world)


scenarios(*(str(folder) for folder in FOLDERS))
