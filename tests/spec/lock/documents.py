"""Documents that Hypothesis draws: sections with statements of which no two are alike."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hypothesis import strategies as st

from tck_spec import parse
from tck_spec.lock.records import Lock
from tck_spec.lock.updating import Update, new_lock, update
from tck_spec.settings import Form
from tck_spec.statements import find_statements

FORM = Form()
_NOUNS = ("pot", "kettle", "cup", "lid", "tray", "spoon", "leaf", "stove", "sieve", "jug", "bowl", "towel")
_VERBS = ("warm", "rinse", "count", "polish", "carry", "stack", "label", "weigh", "cover", "lend", "mend", "hide")
_WHEN = ("at dawn", "by noon", "in winter", "on Sundays", "after rain", "before dusk", "in silence", "with care")
_KEYS = ("MUST", "SHOULD", "MAY", "MUST NOT")


@dataclass(frozen=True)
class Part:
    """A section: its title and its statements."""

    title: str
    statements: tuple[str, ...]


def written(parts: list[Part], *, numbered: bool = True, refer: bool = True) -> str:
    """Return a document, in which every section names the one before it."""
    text = "# Tea\n"
    for number, part in enumerate(parts, start=1):
        text += f"\n## {f'{number} ' if numbered else ''}{part.title}\n"
        text += "".join(f"\n{one}\n" for one in part.statements)
        if refer and numbered and number > 1:
            text += f"\nThe {part.title.lower()} MUST be kept apart, as Section {number - 1} says of others.\n"
    return text


@st.composite
def documents(draw: st.DrawFn) -> list[Part]:
    """Draw the sections of a document."""
    nouns = draw(st.lists(st.sampled_from(_NOUNS), min_size=1, max_size=6, unique=True))
    parts: list[Part] = []
    for noun in nouns:
        verbs = draw(st.lists(st.sampled_from(_VERBS), min_size=0, max_size=4, unique=True))
        who = draw(st.sampled_from(("cook", "guest", "waiter")))
        key, when = draw(st.sampled_from(_KEYS)), draw(st.sampled_from(_WHEN))
        statements = [f"The {who} {key} {verb} the {noun} {when}." for verb in verbs]
        parts.append(Part(f"{noun.capitalize()}s", tuple(statements)))
    return parts


def held(lock: Lock | None, text: str, answers: dict[str, str] | None = None) -> Update:
    """Hold a text against a lock, or write its first one."""
    spec = parse(text, "tea.md")
    return update(lock or new_lock(spec, FORM, "tea.md"), spec, find_statements(spec, FORM), answers)


def ids(lock: Lock) -> dict[str, str]:
    """Return the id of each text."""
    return {lock.reading(one): one.id for one in lock.active}


def with_statement(parts: list[Part], index: int, statement: str) -> list[Part]:
    """Return the sections with one statement more."""
    part = parts[index]
    return [*parts[:index], replace(part, statements=(*part.statements, statement)), *parts[index + 1 :]]
