"""Families of profiles: those that are shown with mailboxes, and those that are shown with courses.

An engine is of one kind or of the other, and so is every scenario. A run is about one family, so that what is required
of the other kind never stands in its report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tck_driver.courses import PROFILES
from tck_kit.faults import UsageFault
from tck_reports.records import PROFILE_OF_STATUS, profiles_named


@dataclass(frozen=True, slots=True)
class Family:
    """Profiles whose scenarios have the same kind of engine, by what it is shown with."""

    name: str
    profiles: tuple[str, ...]

    def holds(self, profile: str) -> bool:
        """Tell whether a profile is of this family."""
        return profile in self.profiles


#: The profiles of engines with a mailbox for each issue; what an ordinary run is about.
MAILBOXES = Family("mailboxes", tuple(PROFILE_OF_STATUS.values()))
#: The profiles of the annex, for engines of any kind.
COURSES = Family("courses", PROFILES)
FAMILIES: tuple[Family, ...] = (MAILBOXES, COURSES)
#: Every profile of the specification that this kit has scenarios for.
GRADED_PROFILES: tuple[str, ...] = tuple(profile for family in FAMILIES for profile in family.profiles)


def profiles_asked(choices: Sequence[str]) -> tuple[str, ...]:
    """Give the profiles that `--profile` stands for, each once. Raises `UsageFault` where they are of two families."""
    named = {profile for choice in choices for profile in profiles_named(choice)}
    chosen = tuple(profile for profile in GRADED_PROFILES if profile in named)
    if len({family_of(profile).name for profile in chosen}) > 1:
        raise UsageFault(
            "no engine is run by mailboxes and by courses at once",
            " ".join(f"--profile {choice}" for choice in dict.fromkeys(choices)),
            f"run {' and '.join(MAILBOXES.profiles)} apart from {', '.join(COURSES.profiles)}",
        )
    return chosen


def family_of(profile: str) -> Family:
    """Give the family of a graded profile. Raises `KeyError` for any other."""
    for family in FAMILIES:
        if family.holds(profile):
            return family
    raise KeyError(profile)
