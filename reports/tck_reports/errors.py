"""The mistakes a report can meet outside itself: each says what is wrong, where, and what to do.

- `ReportReadError`: a report that is no file, no JSON, not of the schema, or changed after it was written.
- `ReportWriteError`: a folder that cannot be written, a full disk.
"""

from dataclasses import dataclass


@dataclass(eq=False)
class ReportWriteError(Exception):
    """A report could not be written; nothing half-written is left behind."""

    what: str
    where: str
    cure: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}; {self.cure}"


@dataclass(eq=False)
class ReportReadError(Exception):
    """A report could not be read, or says something that it cannot stand for."""

    what: str
    where: str
    cure: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}; {self.cure}"
