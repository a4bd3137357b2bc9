"""Updates: what stands in the lock afterwards, and what somebody's answers make of what was open."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tck_spec.lock.changes import Kind
from tck_spec.lock.effects import EFFECTS, impact_of, suspects
from tck_spec.lock.file import format_lock
from tck_spec.lock.links import accepted, joined, linked, present, retirement, scenarios_of
from tck_spec.lock.minting import tag_of
from tck_spec.lock.records import Lock

from .documents import held, ids

POT = "The cook MUST warm the pot with water from the kettle."
SONG = "Every guest MAY sing until the lamps are out."


def tea(*statements: str, version: str = "1") -> str:
    return f"# Tea\n\nVersion: {version}\n\n## 1 Pots\n" + "".join(f"\n{one}\n" for one in statements)


def own(*requirements: tuple[int, str]) -> str:
    items = (f'- <a id="pot-{number}"></a>**POT-{number}** (agreed): {text}\n' for number, text in requirements)
    return "# Tea\n\n## 1 Pots\n\n" + "".join(items)


def with_links(lock: Lock, *texts: str) -> Lock:
    """Return a lock in which a scenario of its own shows each of these texts."""
    return linked(lock, {ids(lock)[text].lower(): [f"tea.feature::{text[:12]}"] for text in texts})


def test_a_new_requirement_says_which_version_brought_it() -> None:
    first = held(None, tea(POT)).lock
    second = held(first, tea(POT, SONG, version="2")).lock
    assert {one.text: one.since for one in second.active} == {POT: "1", SONG: "2"}


def test_what_is_gone_leaves_a_tombstone_with_its_text() -> None:
    first = held(None, tea(POT, SONG)).lock
    second = held(first, tea(POT)).lock
    assert [(one.state, one.text) for one in second.requirements if one.state != "active"] == [("gone", SONG)]
    assert retirement(second, tag_of(ids(first)[SONG])) == f"it is gone: {SONG}"
    assert retirement(second, "smoke") == ""


def test_a_text_that_comes_back_gets_a_new_id() -> None:
    first = held(None, tea(POT, SONG)).lock
    third = held(held(first, tea(POT)).lock, tea(POT, SONG)).lock
    old, new = ids(first)[SONG], ids(third)[SONG]
    assert new != old
    assert new.startswith(old)
    assert third.by_id[old].state == "gone"


def test_a_split_retires_the_id_and_names_what_came_of_it() -> None:
    whole = "The cook MUST warm the pot with hot water, rinse all cups in the sink, and count the spoons twice."
    parts = (
        "The cook MUST warm the pot with hot water.",
        "The cook MUST rinse all cups in the sink.",
        "The cook MUST count the spoons twice.",
    )
    first = with_links(held(None, tea(whole)).lock, whole)
    found = held(first, tea(*parts))
    retired = found.lock.by_id[first.active[0].id]
    assert (retired.state, retired.into) == ("split", tuple(ids(found.lock)[one] for one in parts))
    assert suspects(found.lock) == ((retired.id, "tea.feature::The cook MUS"),)
    (change,) = (one for one in found.changes if one.kind == "split")
    impact = impact_of(change, {retired.id: ["a"], retired.into[0]: ["b"]})
    assert (impact.effect, impact.scenarios, impact.uncovered) == ("suspect", ("a",), retired.into[1:])
    tags = " or ".join(f"@{tag_of(one)}" for one in retired.into)
    assert retirement(found.lock, tag_of(retired.id)) == f"it was split: tag the scenario with {tags}"


def test_a_merger_inherits_the_links_as_suspect() -> None:
    parts = ("The cook MUST warm the pot with hot water.", "The cook MUST rinse all cups in the sink.")
    whole = "The cook MUST warm the pot with hot water and rinse all cups in the sink."
    first = held(None, tea(*parts)).lock
    tags = {ids(first)[one].lower(): [f"tea.feature::{number}"] for number, one in enumerate(parts)}
    found = held(linked(first, tags), tea(whole))
    record = found.lock.by_id[ids(found.lock)[whole]]
    assert record.origin == tuple(sorted(ids(first).values()))
    assert suspects(found.lock) == ((record.id, "tea.feature::0"), (record.id, "tea.feature::1"))
    assert linked(found.lock, tags) == found.lock
    assert present(found.lock, tag_of(ids(first)[parts[0]])) == record.id
    assert retirement(found.lock, tag_of(ids(first)[parts[0]])) == ""


def test_an_edit_makes_scenarios_suspect_until_somebody_accepts() -> None:
    first = with_links(held(None, tea(POT, SONG)).lock, POT, SONG)
    assert not suspects(first)
    second = held(first, tea(POT.replace("warm", "heat"), SONG)).lock
    assert suspects(second) == ((ids(first)[POT], "tea.feature::The cook MUS"),)
    third, links = accepted(second, {ids(first)[POT]})
    assert (suspects(third), len(links)) == ((), 1)
    assert accepted(third) == (third, ())


def test_a_comma_leaves_a_scenario_reviewed_and_says_so() -> None:
    first = with_links(held(None, tea(POT)).lock, POT)
    second = held(first, tea(POT.replace("pot with", "pot, with"))).lock
    assert (suspects(second), [one.verdict for one in second.links]) == ((), ["editorial"])
    third, links = accepted(second, editorial=True)
    assert ([one.verdict for one in third.links], len(links)) == (["reviewed"], 1)


def test_accepting_what_is_editorial_leaves_what_is_suspect() -> None:
    first = with_links(held(None, tea(POT, SONG)).lock, POT, SONG)
    second = held(first, tea(POT.replace("warm", "heat"), SONG.replace("sing", "sing,"))).lock
    third, links = accepted(second, editorial=True)
    assert [one.requirement for one in links] == [ids(first)[SONG]]
    assert [one for one, _ in suspects(third)] == [ids(first)[POT]]


def test_another_context_makes_scenarios_suspect() -> None:
    text = "# Tea\n\n## 1 Pots\n\nIn the morning the cook MUST:\n\n- warm the pot,\n- open the window.\n"
    lock = held(None, text).lock
    first = linked(lock, {one.id.lower(): ["tea.feature::Morning"] for one in lock.active})
    second = held(first, text.replace("morning", "evening")).lock
    assert len(suspects(second)) == 2
    assert not suspects(accepted(second)[0])


def test_another_parser_makes_no_scenario_suspect() -> None:
    text = "# Tea\n\n## 1 Pots\n\nIn the morning the cook MUST:\n\n- warm the pot,\n- open the window.\n"
    lock = held(None, text).lock
    first = linked(lock, {one.id.lower(): ["tea.feature::Morning"] for one in lock.active})
    old = replace(first, header=replace(first.header, parser="0"))
    found = held(old, text.replace("morning", "evening"))
    assert {one.kind for one in found.changes} == {"unchanged"}
    assert not suspects(found.lock)
    assert found.lock.header.parser == first.header.parser


def test_a_link_goes_with_its_tag() -> None:
    lock = with_links(held(None, tea(POT)).lock, POT)
    assert linked(lock, {}).links == ()
    assert linked(lock, {"smoke": ["tea.feature::The cook MUS"]}).links == ()
    assert linked(lock, {tag_of(ids(lock)[POT]): ["tea.feature::The cook MUS"]}) == lock


ALIKE = "The cook MUST heat the pot on the stove with water."


def test_a_question_leaves_the_lock_as_it_was_until_it_is_answered() -> None:
    first = held(None, tea(POT)).lock
    found = held(first, tea(ALIKE))
    (asked,) = found.open
    assert (asked.kind, asked.others) == ("ask", (first.active[0].id,))
    assert [one.text for one in found.lock.active] == [POT]
    assert held(found.lock, tea(ALIKE)).open == found.open
    same = held(found.lock, tea(ALIKE), {asked.id: asked.others[0]})
    assert [(one.kind, one.id) for one in same.changes] == [("edited", first.active[0].id)]
    assert [(one.text, one.asked) for one in same.lock.active] == [(ALIKE, ())]
    other = held(found.lock, tea(ALIKE), {asked.id: ""})
    assert [one.kind for one in other.changes] == ["new", "gone"]
    assert [one.id for one in other.lock.active] == [asked.id]


def test_an_answer_of_an_id_that_nobody_asked_about_changes_nothing() -> None:
    first = held(None, tea(POT)).lock
    assert held(first, tea(ALIKE), {"TEA-XXXXXX": ""}) == held(first, tea(ALIKE))


def test_a_reused_id_stays_what_it_was_until_somebody_says_so() -> None:
    first = held(None, own((1, POT))).lock
    found = held(first, own((1, SONG)))
    assert [one.kind for one in found.open] == ["reused"]
    assert [one.text for one in found.lock.active] == [POT]
    answered = held(found.lock, own((1, SONG)), {found.open[0].id: found.open[0].id})
    assert [(one.kind, one.id) for one in answered.changes] == [("strength-changed", "tea:POT-1")]
    assert [one.text for one in answered.lock.active] == [SONG]


def test_a_retired_id_that_stands_there_again_needs_an_answer() -> None:
    second = held(held(None, own((1, POT), (2, SONG))).lock, own((1, POT))).lock
    found = held(second, own((1, POT), (2, SONG)))
    assert [(one.kind, one.id, bool(one.why)) for one in found.open] == [("reused", "tea:POT-2", True)]
    assert found.lock.by_id["tea:POT-2"].state == "gone"
    answered = held(second, own((1, POT), (2, SONG)), {"tea:POT-2": ""})
    assert answered.lock.by_id["tea:POT-2"].state == "active"
    assert not answered.open


def test_a_renumbered_requirement_keeps_its_old_id_as_an_alias() -> None:
    lock = held(None, own((1, POT))).lock
    first = linked(lock, {"pot-1": ["tea.feature::Warm"]})
    found = held(first, own((7, POT)))
    (record,) = found.lock.active
    assert (record.id, record.aliases) == ("tea:POT-7", ("tea:POT-1",))
    assert [(one.requirement, found.lock.suspect(one)) for one in found.lock.links] == [("tea:POT-7", False)]
    assert scenarios_of(found.lock, {"pot-1": ["a"], "pot-7": ["b"]}) == {"tea:POT-7": ["a", "b"]}
    gone = held(found.lock, own((9, SONG))).lock
    assert {one.id: one.state for one in gone.requirements} == {
        "tea:POT-1": "gone",
        "tea:POT-7": "gone",
        "tea:POT-9": "active",
    }


def test_a_requirement_can_be_joined_with_one_that_is_gone() -> None:
    first = with_links(held(None, tea(POT)).lock, POT)
    second = held(first, tea(SONG)).lock
    after = joined(second, ids(second)[SONG], ids(first)[POT])
    assert after is not None
    assert [(one.id, one.aliases) for one in after.requirements] == [(ids(second)[SONG], (ids(first)[POT],))]
    assert [(one.requirement, after.suspect(one)) for one in after.links] == [(ids(second)[SONG], True)]
    assert joined(second, ids(second)[SONG], ids(second)[SONG]) is None


def test_the_same_id_twice_is_taken_once() -> None:
    lock = held(None, own((1, POT), (1, SONG))).lock
    assert [one.text for one in lock.active] == [POT]


def test_equal_statements_have_ids_of_their_own() -> None:
    text = "# Tea\n\n## 1 Pots\n\nIt MUST be warm.\n\n## 2 Cups\n\nIt MUST be warm.\n\nIt MUST be warm.\n"
    lock = held(None, text).lock
    assert len({one.id for one in lock.active}) == 3
    fewer = held(lock, text.removesuffix("\nIt MUST be warm.\n"))
    assert [one.kind for one in fewer.changes] == ["unchanged", "unchanged", "gone"]


def test_a_section_that_comes_back_is_the_one_that_it_was() -> None:
    text = "# Tea\n\n## Pots\n\nPots are round.\n\n## Lids\n\nLids fit.\n"
    first = held(None, text).lock
    second = held(first, "# Tea\n\n## Lids\n\nLids fit.\n").lock
    assert [one.title for one in second.sections if one.state == "gone"] == ["Pots"]
    assert format_lock(held(second, text).lock) == format_lock(first)


def test_every_kind_has_an_effect() -> None:
    assert set(EFFECTS.values()) == {"nothing", "note", "suspect", "orphan", "uncovered", "open"}


@pytest.mark.parametrize(
    ("kind", "effect", "scenarios", "uncovered"),
    [
        ("unchanged", "nothing", ("a",), ()),
        ("moved", "nothing", ("a",), ()),
        ("editorial", "note", ("a",), ()),
        ("edited", "suspect", ("a",), ()),
        ("strength-changed", "suspect", ("a",), ()),
        ("context-changed", "suspect", ("a",), ()),
        ("gone", "orphan", ("a",), ()),
        ("new", "nothing", (), ()),
        ("merged", "suspect", ("a", "b"), ()),
        ("ask", "open", ("b", "a"), ()),
    ],
)
def test_a_change_does_this_to_scenarios(
    kind: Kind, effect: str, scenarios: tuple[str, ...], uncovered: tuple[str, ...]
) -> None:
    first = held(None, tea(POT)).changes[0]
    change = replace(first, kind=kind, id="X", others=("Y",))
    impact = impact_of(change, {"X": ["a"], "Y": ["b"]})
    assert (impact.effect, impact.scenarios, impact.uncovered) == (effect, scenarios, uncovered)


def test_a_new_requirement_without_a_scenario_is_uncovered() -> None:
    (change,) = held(None, tea(POT)).changes
    assert impact_of(change, {}).uncovered == (change.id,)
