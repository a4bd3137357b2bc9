"""How ids are made."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tck_spec.lock.minting import document_key, mint, mint_section, tag_of

TEXT = "the cook must warm the pot"


def test_an_id_is_the_document_and_six_digits() -> None:
    assert mint("tea", TEXT, "pots", 0, ()) == "TEA-60DDHW"


def test_the_same_words_give_the_same_id_and_others_another() -> None:
    ids = {mint(*case, ()) for case in (("tea", TEXT, "pots", 0), ("tea", TEXT, "pots", 0))}
    assert len(ids) == 1
    for other in (
        ("cup", TEXT, "pots", 0),
        ("tea", TEXT + "s", "pots", 0),
        ("tea", TEXT, "lids", 0),
        ("tea", TEXT, "pots", 1),
    ):
        ids.add(mint(*other, ()))
    assert len(ids) == 5


def test_a_taken_id_grows_by_two() -> None:
    first = mint("tea", TEXT, "pots", 0, ())
    second = mint("tea", TEXT, "pots", 0, {first})
    third = mint("tea", TEXT, "pots", 0, {first, second})
    assert (len(second) - len(first), len(third) - len(second)) == (2, 2)
    assert second.startswith(first)
    assert third.startswith(second)


def test_there_is_always_another_id() -> None:
    taken: set[str] = set()
    for _ in range(60):
        taken.add(mint("tea", TEXT, "pots", 0, taken))
    assert len(taken) == 60


def test_a_section_has_an_id_of_its_own_kind() -> None:
    assert re.fullmatch(r"tea#S-[0-9A-HJKMNP-TV-Z]{5}", mint_section("tea", "pots", "", 0, ()))


def test_a_key_is_made_of_whatever_the_document_is_called() -> None:
    assert document_key("My Spec_v1.md") == "my-spec-v1-md"
    assert document_key("§") == "doc"
    assert len(document_key("x" * 1000)) < 60


def test_a_tag_can_stand_in_a_feature_file() -> None:
    assert tag_of("A2A-K3F9QZ") == "a2a-k3f9qz"
    assert tag_of("of:Requirement 1.2.3") == "requirement-1.2.3"


@given(st.text(max_size=50), st.text(max_size=50), st.text(max_size=20), st.integers(0, 1000))
def test_every_id_is_spelt_with_digits_that_nobody_misreads(document: str, text: str, title: str, count: int) -> None:
    key = document_key(document)
    prefix, _, digits = mint(key, text, title, count, ()).rpartition("-")
    assert prefix == key.upper()
    assert re.fullmatch("[0-9A-HJKMNP-TV-Z]{6}", digits)
