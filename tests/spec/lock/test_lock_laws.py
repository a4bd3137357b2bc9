"""Laws of locks: what keeps every id, what gives the same on every branch, and that no id is given twice."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from tck_spec.lock.file import format_lock

from .documents import Part, documents, held, ids, with_statement, written

DOCUMENTS = documents()


@settings(max_examples=25)
@given(DOCUMENTS, st.randoms(use_true_random=False))
def test_sections_in_another_order_keep_every_id(parts: list[Part], chance: random.Random) -> None:
    shuffled = list(parts)
    chance.shuffle(shuffled)
    before = held(None, written(parts, refer=False)).lock
    found = held(before, written(shuffled, refer=False))
    assert {one.kind for one in found.changes} <= {"unchanged"}
    assert ids(found.lock) == ids(before)
    assert {one.id for one in found.lock.sections} == {one.id for one in before.sections}


@settings(max_examples=25)
@given(DOCUMENTS, st.integers(0, 6))
def test_new_numbers_change_no_requirement(parts: list[Part], place: int) -> None:
    before = held(None, written(parts)).lock
    place = min(place, len(parts))
    new = [*parts[:place], Part("Water", ("Water is wet.",)), *parts[place:]]
    numbers = {part.title: str(number) for number, part in enumerate(new, start=1)}
    text = "# Tea\n"
    for part in new:
        text += f"\n## {numbers[part.title]} {part.title}\n" + "".join(f"\n{one}\n" for one in part.statements)
        if part in parts[1:]:
            other = numbers[parts[parts.index(part) - 1].title]
            text += f"\nThe {part.title.lower()} MUST be kept apart, as Section {other} says of others.\n"
    found = held(before, text)
    assert {one.kind for one in found.changes} <= {"unchanged"}
    assert found.lock.requirements == before.requirements


@settings(max_examples=25)
@given(DOCUMENTS, st.randoms(use_true_random=False))
def test_white_space_and_quotes_change_nothing(parts: list[Part], chance: random.Random) -> None:
    text = written(parts).replace("The guest", 'The "guest"')
    before = held(None, text).lock
    lines = text.replace(' "', " \u201c").replace('" ', "\u201d ").split("\n")
    other = "\n".join(line.replace(" the ", chance.choice([" the ", "  the ", "\nthe "])) for line in lines) + "\n\n"
    found = held(before, other)
    assert {one.kind for one in found.changes} <= {"unchanged"}
    assert format_lock(found.lock) == format_lock(before)


@settings(max_examples=25)
@given(DOCUMENTS, DOCUMENTS)
def test_an_update_is_idempotent_and_settles_every_statement(old: list[Part], new: list[Part]) -> None:
    first = held(None, written(old)).lock
    once = held(first, written(new))
    twice = held(once.lock, written(new))
    assert format_lock(twice.lock) == format_lock(once.lock)
    assert [one.id for one in twice.open] == [one.id for one in once.open]
    assert set(once.places) == {one.id for one in once.lock.active}
    lost = {one.id for one in first.active} - {one.id for one in once.lock.requirements}
    assert not lost


@settings(max_examples=20)
@given(st.lists(DOCUMENTS, min_size=2, max_size=5))
def test_no_id_is_ever_given_again(versions: list[list[Part]]) -> None:
    lock = held(None, written(versions[0])).lock
    ever = {one.id for one in lock.requirements}
    for parts in versions[1:]:
        found = held(lock, written(parts))
        answers = {one.id: one.others[0] for one in found.open}
        found = held(lock, written(parts), answers) if answers else found
        fresh = {one.id for one in found.changes if one.kind == "new"}
        fresh |= {other for one in found.changes if one.kind == "split" for other in one.others}
        assert not fresh & ever
        assert ever <= {one.id for one in found.lock.requirements}
        ever |= {one.id for one in found.lock.requirements}
        lock = found.lock


@settings(max_examples=25)
@given(DOCUMENTS, st.integers(0, 5))
def test_two_branches_give_the_same_sentence_the_same_id(parts: list[Part], place: int) -> None:
    base = held(None, written(parts)).lock
    statement = "Whoever breaks the samovar MUST tell the owner within one day."
    index = min(place, len(parts) - 1)
    here = held(base, written(with_statement(parts, index, statement))).lock
    there = held(base, written(with_statement([*parts, Part("Ends", ("All is said.",))], index, statement))).lock
    assert ids(here)[statement] == ids(there)[statement]


@settings(max_examples=25)
@given(DOCUMENTS)
def test_the_same_text_gives_the_same_lock(parts: list[Part]) -> None:
    assert format_lock(held(None, written(parts)).lock) == format_lock(held(None, written(parts)).lock)


@settings(max_examples=25)
@given(DOCUMENTS, st.data())
def test_a_word_more_never_costs_an_id(parts: list[Part], data: st.DataObject) -> None:
    before = held(None, written(parts)).lock
    spots = [(i, j) for i, part in enumerate(parts) for j in range(len(part.statements))]
    if not spots:
        return
    i, j = data.draw(st.sampled_from(spots))
    longer = parts[i].statements[j].removesuffix(".") + " without haste."
    statements = (*parts[i].statements[:j], longer, *parts[i].statements[j + 1 :])
    new = [*parts[:i], Part(parts[i].title, statements), *parts[i + 1 :]]
    found = held(before, written(new))
    assert {one.kind for one in found.changes} <= {"unchanged", "edited", "ask"}
    assert {one.id for one in found.lock.active} == {one.id for one in before.active}
