"""What is said of a section number that no heading has any more."""

from __future__ import annotations

from tck_spec import parse
from tck_spec.lock.renumbering import renumbered

from .documents import held

OLD = "# Tea\n\n## 1 Pots\n\nPots are round.\n\n## 2 Lids\n\nLids fit.\n\n### 2.1 Handles\n\nHandles are cool.\n"
NEW = OLD.replace("## 2 Lids", "## 3 Lids").replace("2.1 Handles", "3.1 Handles")


def told(number: str, text: str, old: str = OLD) -> str:
    return renumbered(held(None, old).lock, parse(text, "tea.md"), number)


def test_a_section_with_another_number_is_named() -> None:
    assert told("2", NEW) == "section 2 is 3 ('Lids') now"
    assert told("2.1", NEW) == "section 2.1 is 3.1 ('Handles') now"


def test_a_section_without_a_number_is_named_by_its_title() -> None:
    assert told("2.1", NEW.replace("3.1 Handles", "Handles")) == "section 2.1 is 'Handles' now"


def test_a_section_that_is_gone_is_said_to_be() -> None:
    assert told("2", "# Tea\n\n## 1 Pots\n\nPots are round.\n") == "section 2 was 'Lids', which is no longer there"


def test_nothing_is_said_of_a_number_that_is_there_or_never_was() -> None:
    assert told("1", NEW) == ""
    assert told("7.9", NEW) == ""


def test_an_updated_lock_still_knows_the_old_number() -> None:
    lock = held(held(None, OLD).lock, NEW).lock
    assert [one.was for one in lock.sections if one.title == "Lids"] == [("2",)]
    assert renumbered(lock, parse(NEW, "tea.md"), "2") == "section 2 is 3 ('Lids') now"


def test_a_number_that_is_used_again_is_no_old_one() -> None:
    again = NEW.replace("## 3 Lids", "## 2 Cups\n\nCups are small.\n\n## 3 Lids")
    lock = held(held(None, OLD).lock, again).lock
    assert [one.was for one in lock.sections if one.title == "Lids"] == [()]
