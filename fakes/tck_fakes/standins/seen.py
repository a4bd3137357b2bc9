"""What a stand-in needs of a file system: the one that a container would see, or the one that this process sees."""

from __future__ import annotations

from typing import Protocol


class View(Protocol):
    """A file system. All calls raise `OSError` as the kernel would."""

    def resolve(self, path: str) -> str:
        """Give the path under which this process can open what lies at `path`; it need not exist."""
        ...

    def exists(self, path: str) -> bool:
        """Tell whether something is there, links followed."""
        ...

    def is_file(self, path: str) -> bool:
        """Tell whether a regular file is there, links followed."""
        ...

    def is_dir(self, path: str) -> bool:
        """Tell whether a directory is there, links followed."""
        ...

    def names(self, path: str) -> list[str]:
        """Give the names in a directory, sorted."""
        ...

    def files(self, path: str) -> list[str]:
        """Give the paths of all regular files below a directory, sorted; each directory is looked into once."""
        ...

    def read(self, path: str) -> bytes:
        """Give a file's bytes. What is no regular file cannot be read."""
        ...

    def modified(self, path: str) -> int:
        """Give the time of a file's last change, nanoseconds."""
        ...

    def may_write(self, path: str) -> bool:
        """Tell whether a file may be written, or made where it is missing."""
        ...

    def make_dirs(self, path: str, mode: int = 0o777) -> None:
        """Make a directory, less the process's mask, and what is missing above it."""
        ...

    def give(self, path: str) -> None:
        """Let a directory be there from the start, as a container's working directory is."""
        ...

    def write(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Replace a file's content, or make the file; directories above it are made."""
        ...

    def append(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Add lines to a file's end, or make the file; a last line that was cut off is ended first."""
        ...

    def link(self, path: str, target: str) -> None:
        """Plant a symbolic link in place of whatever is there."""
        ...

    def hold(self, path: str) -> bool:
        """Take a lock for as long as this process lives; False where another one has it. Nobody else has a container.

        Where a lock cannot be made at all, nobody is kept out.
        """
        ...

    def touch(self, path: str, ahead_ns: int) -> None:
        """Move the time of a file's last change ahead."""
        ...
