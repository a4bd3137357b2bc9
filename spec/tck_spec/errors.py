"""What a user is told when a specification cannot be read at all."""

from __future__ import annotations

__all__ = ["SpecificationError"]


class SpecificationError(Exception):
    """A user's mistake that leaves no specification to talk about: exit status 2, never a traceback.

    Faults *inside* a readable specification are findings, not errors; see :mod:`tck_spec.findings`.
    """

    def __init__(self, what: str, where: str, cure: str) -> None:
        """Keep the three parts apart, so that a caller can lay them out its own way."""
        super().__init__(what, where, cure)
        #: What is wrong, without the place.
        self.what = what
        #: The path, or the name under which a text was handed over.
        self.where = where
        #: What the user can do about it.
        self.cure = cure

    def __str__(self) -> str:
        return f"{self.where}: {self.what}; {self.cure}"
