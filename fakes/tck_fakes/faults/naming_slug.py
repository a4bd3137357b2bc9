"""Faults of the slug: how the words of a name come out of a title, for Git and for every machine."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

from tck_fakes.faults.changed import gives, instead
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.inside import clock_of
from tck_fakes.faults.register import Real, fault
from tck_simulator import naming, run
from tck_simulator.rows import Mailbox
from tck_simulator.run import RunSequence

_ASCII_LOWER = str.maketrans({chr(code): chr(code + 32) for code in range(ord("A"), ord("Z") + 1)})

#: How long a name may be for somebody who thinks of lines on a screen.
_LONG_NAME = 80


def _plain(title: str) -> str:
    """Give a title after the first two steps of NAME-8, for faults of those that follow."""
    return re.sub("[\u0300-\u036f]+", "", unicodedata.normalize("NFD", title)).translate(_ASCII_LOWER)


# --- NAME-8: the slug, step by step ----------------------------------------------------------------------------------


@fault("slug-of-60", "NAME-8", Kind.WRONG_VALUE, "cuts a slug at 60 characters in place of 40")
def _slug_of_60(sabotage: Sabotage) -> None:
    sabotage.replace(naming, "SLUG_LENGTH", lambda _: 60)


@fault("slug-once", "NAME-8", Kind.ONCE, "makes the first slug of a scenario right, and leaves the others out")
def _slug_once(sabotage: Sabotage) -> None:
    made: list[str] = []

    def slug(real: Real, title: str) -> object:
        made.append(title)
        return real(title) if len(made) == 1 else ""

    sabotage.replace(naming, "slug", instead(slug))


@fault(
    "trimmed-too-early",
    "NAME-8",
    Kind.WRONG_MOMENT,
    "deletes dashes before it cuts, so that one can be left at the end",
)
def _trimmed_too_early(sabotage: Sabotage) -> None:
    def slug(title: str) -> str:
        return re.sub(r"[^a-z0-9]+", "-", _plain(title)).strip("-")[: naming.SLUG_LENGTH]

    sabotage.replace(naming, "slug", lambda _: slug)


@fault("letters-with-marks-lost", "NAME-8", Kind.MISSING_EFFECT, "takes a letter with an accent for no letter at all")
def _letters_with_marks_lost(sabotage: Sabotage) -> None:
    def slug(real: Real, title: str) -> object:
        return real("".join(one if one.isascii() else "-" for one in unicodedata.normalize("NFC", title)))

    sabotage.replace(naming, "slug", instead(slug))


@fault("compatible-letters", "NAME-8", Kind.EXTRA_EFFECT, "takes ligatures and other look-alikes apart into letters")
def _compatible_letters(sabotage: Sabotage) -> None:
    def slug(real: Real, title: str) -> object:
        return real(unicodedata.normalize("NFKD", title))

    sabotage.replace(naming, "slug", instead(slug))


@fault("dash-of-an-empty-slug", "NAME-8", Kind.WRONG_VALUE, "leaves the dash before an empty slug where it is")
def _dash_of_an_empty_slug(sabotage: Sabotage) -> None:
    def name(made: str, _: str, __: int, title: str) -> str:
        return made if naming.slug(title) else f"{made}-"

    sabotage.replace(run, "session_name", gives(name))


@fault("all-marks-deleted", "NAME-8", Kind.WRONG_SCOPE, "deletes marks of every kind, not only those of the first step")
def _all_marks_deleted(sabotage: Sabotage) -> None:
    def slug(real: Real, title: str) -> object:
        kept = (one for one in unicodedata.normalize("NFD", title) if unicodedata.category(one)[0] != "M")
        return real("".join(kept))

    sabotage.replace(naming, "slug", instead(slug))


@fault("case-folded", "NAME-8", Kind.EXTRA_EFFECT, "folds the case of a title, which makes two letters of some")
def _case_folded(sabotage: Sabotage) -> None:
    def slug(real: Real, title: str) -> object:
        return real(title.casefold())

    sabotage.replace(naming, "slug", instead(slug))


def _letters_that_stay(pattern: str) -> Real:
    """Make a slug in which other characters are taken for letters than the third step says."""

    def slug(title: str) -> str:
        return re.sub(pattern, "-", _plain(title))[: naming.SLUG_LENGTH].strip("-")

    return slug


@fault("underscores-stay", "NAME-8", Kind.WRONG_VALUE, "takes an underscore for a letter")
def _underscores_stay(sabotage: Sabotage) -> None:
    sabotage.replace(naming, "slug", lambda _: _letters_that_stay(r"[^a-z0-9_]+"))


@fault("digits-of-any-script", "NAME-8", Kind.WRONG_SCOPE, "leaves digits of other scripts in the slug")
def _digits_of_any_script(sabotage: Sabotage) -> None:
    sabotage.replace(naming, "slug", lambda _: _letters_that_stay(r"[^a-z\d]+"))


@fault("dashes-in-a-row", "NAME-8", Kind.MISSING_EFFECT, "makes a dash of each character in the place of one for all")
def _dashes_in_a_row(sabotage: Sabotage) -> None:
    sabotage.replace(naming, "slug", lambda _: _letters_that_stay("[^a-z0-9]"))


# --- NAME-9: what Git takes ------------------------------------------------------------------------------------------


@fault("dots-stay", "NAME-9", Kind.WRONG_VALUE, "leaves the dots of a title in its slug")
def _dots_stay(sabotage: Sabotage) -> None:
    def slug(title: str) -> str:
        return re.sub(r"[^a-z0-9.]+", "-", _plain(title))[: naming.SLUG_LENGTH].strip("-")

    sabotage.replace(naming, "slug", lambda _: slug)


@fault("slug-uncut", "NAME-9", Kind.MISSING_EFFECT, "makes a slug of the whole title, however long that is")
def _slug_uncut(sabotage: Sabotage) -> None:
    sabotage.replace(naming, "SLUG_LENGTH", lambda _: 5000)


@fault("question-marks", "NAME-9", Kind.WRONG_VALUE, "puts a question mark for each letter outside of ascii")
def _question_marks(sabotage: Sabotage) -> None:
    def slug(title: str) -> str:
        ascii_only = _plain(title).encode("ascii", "replace").decode("ascii")
        return re.sub(r"[^a-z0-9?]+", "-", ascii_only)[: naming.SLUG_LENGTH].strip("-")

    sabotage.replace(naming, "slug", lambda _: slug)


@fault("long-name-with-dots", "NAME-9", Kind.WRONG_SCOPE, "shortens a name of more than 80 bytes, with dots at its end")
def _long_name_with_dots(sabotage: Sabotage) -> None:
    def name(made: str, *_: object) -> str:
        return made if len(made) <= _LONG_NAME else f"{made[: _LONG_NAME - 3]}..."

    sabotage.replace(run, "session_name", gives(name))


# --- NAME-10: the same bytes everywhere ------------------------------------------------------------------------------


@fault(
    "letters-of-the-locale", "NAME-10", Kind.WRONG_VALUE, "makes lower-case letters as in turkey, where i has no dot"
)
def _letters_of_the_locale(sabotage: Sabotage) -> None:
    def slug(real: Real, title: str) -> object:
        return real(title.replace("I", "\N{LATIN SMALL LETTER DOTLESS I}"))

    sabotage.replace(naming, "slug", instead(slug))


@fault(
    "told-apart-by-a-digit", "NAME-10", Kind.EXTRA_EFFECT, "puts a number behind a slug that another issue has already"
)
def _told_apart_by_a_digit(sabotage: Sabotage) -> None:
    def name(made: str, _: str, __: int, title: str) -> str:
        taken.append(title)
        return made if taken.count(title) == 1 else f"{made}-{taken.count(title)}"

    taken: list[str] = []
    sabotage.replace(run, "session_name", gives(name))


@fault("day-in-the-name", "NAME-10", Kind.WRONG_MOMENT, "puts the day of the first run into the name")
def _day_in_the_name(sabotage: Sabotage) -> None:
    def name(real: Real, sequence: RunSequence, mailbox: Mailbox) -> object:
        if mailbox.branch_name is not None or mailbox.ref.kind != "issue":
            return real(sequence, mailbox)
        day = clock_of(sequence).now().strftime("%m%d")
        return real(sequence, replace(mailbox, title=f"{mailbox.title[:30]} {day}"))

    sabotage.replace(RunSequence, "_name", instead(name))


@fault(
    "project-in-the-name", "NAME-10", Kind.WRONG_SCOPE, "makes the slug of one title in another way for another project"
)
def _project_in_the_name(sabotage: Sabotage) -> None:
    def name(real: Real, sequence: RunSequence, mailbox: Mailbox) -> object:
        return real(sequence, replace(mailbox, title=f"{mailbox.ref.project[:3]} {mailbox.title}"))

    sabotage.replace(RunSequence, "_name", instead(name))
