"""A part that a real container needs and that is not here: what is missing, and how to get it."""

from __future__ import annotations


class MissingPartError(Exception):
    """Something outside the kit is missing. The user can get it; nothing is said of any engine under test."""

    def __init__(self, what: str, cure: str) -> None:
        """Keep both halves: commands show them apart, tests as one line."""
        super().__init__(f"{what}; {cure}")
        self.what = what
        self.cure = cure
