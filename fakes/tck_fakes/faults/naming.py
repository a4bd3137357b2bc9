"""Faults of naming: how the name of a branch and session is made, kept and used."""

from __future__ import annotations

from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.register import Real, fault
from tck_simulator import naming


@fault("slug-of-60", "NAME-8", Kind.WRONG_VALUE, "cuts a slug at 60 characters in place of 40")
def _slug_of_60(sabotage: Sabotage) -> None:
    sabotage.replace(naming, "SLUG_LENGTH", lambda _: 60)


@fault("slug-once", "NAME-8", Kind.ONCE, "makes the first slug of a scenario right, and leaves the others out")
def _slug_once(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        made: list[str] = []

        def slug(title: str) -> str:
            made.append(title)
            return str(real(title)) if len(made) == 1 else ""

        return slug

    sabotage.replace(naming, "slug", make)
