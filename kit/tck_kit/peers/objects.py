"""The objects of a git repository, each of them held against the name that it goes by.

A name is the digest of what an object says, and a commit names all that is below it. Git trusts what lies in a folder
on the same machine; here nothing is taken that is not what the pin stands for, and files are written as they were
committed, whatever filters the caller has set up for work of their own.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, cast

from tck_kit.faults import UsageFault
from tck_kit.peers.programs import cure, end, environment

#: Bytes of a name, as it stands in a tree.
_NAME: Final = 20
_FOLDER, _LINK, _OTHER_REPOSITORY = b"40000", b"120000", b"160000"
#: What files may be, and what everybody may do with them then: those who run a peer did not fetch it.
_FILES: Final = {b"100644": 0o644, b"100664": 0o644, b"100755": 0o755}
_FOLDERS: Final = 0o755
#: No entry of a tree goes by these, unless somebody wants to write elsewhere.
_NEVER: Final = frozenset({b"", b".", b"..", b".git"})


@dataclass(frozen=True, slots=True)
class Objects:
    """Reads the objects of a repository one by one. `where` is what a message calls it."""

    asked: IO[bytes]
    told: IO[bytes]
    complaints: IO[bytes]
    where: str

    def tree_of(self, commit: str) -> str:
        """Give the tree of a commit. Raises `UsageFault` where it is not there, or is not what its name says."""
        held = self._read(commit, b"commit")
        if held is None:
            raise self._fault("the commit is not in there", "name a newer copy with --from")
        return held.partition(b"\n")[0].removeprefix(b"tree ").decode("ascii")

    def lay_down(self, tree: str, place: Path) -> tuple[str, ...]:
        """Write all that is in a tree into an empty folder; give the files that are not there to be written.

        Raises `UsageFault` where an object is not what its name says, or a folder's own is not there; `OSError`.
        """
        lacking = tuple(self._laid(tree, place, ""))
        said = self._complaints()
        # What cannot be read is there, and is called missing all the same.
        if lacking and said:
            raise self._fault(f"git could not read it: {end(said)}", "name another copy with --from")
        return lacking

    def _laid(self, tree: str, place: Path, above: str) -> Iterator[str]:
        held = self._read(tree, b"tree")
        if held is None:
            raise self._fault(f"the folder {above or '/'} is not in there", "name a newer copy with --from")
        for mode, name, own in _entries(held):
            shown, path = above + name.decode("utf-8", "backslashreplace"), place / os.fsdecode(name)
            if name in _NEVER or b"/" in name:
                raise self._fault(f"no file can be called {shown}", "name another copy with --from")
            if mode in {_FOLDER, _OTHER_REPOSITORY}:
                path.mkdir()
                path.chmod(_FOLDERS)
                if mode == _FOLDER:
                    yield from self._laid(own, path, f"{shown}/")
                continue
            text = self._read(own, b"blob")
            if text is None:
                yield shown
            elif mode == _LINK:
                path.symlink_to(os.fsdecode(text))
            else:
                with path.open("xb") as file:
                    file.write(text)
                path.chmod(_FILES.get(mode, 0o644))

    def _read(self, name: str, kind: bytes) -> bytes | None:
        """Give what an object says; None where there is none of this name."""
        # Nothing is held back: what git no longer hears is told by what it says.
        with suppress(BrokenPipeError):
            os.write(self.asked.fileno(), f"{name}\n".encode("ascii"))
        head = self.told.readline().split()
        if head[1:] == [b"missing"]:
            return None
        held = self.told.read(int(head[2])) if len(head) == 3 else b""  # noqa: PLR2004 -- its name, kind and size
        if not self.told.read(1):
            said = self._complaints()
            raise self._fault(f"git could not read it: {end(said)}", cure(said, "name another copy with --from"))
        digest = hashlib.sha1(b"%s %d\0" % (kind, len(held)), usedforsecurity=False)
        digest.update(held)
        if digest.hexdigest() != name:
            raise self._fault(
                f"the {kind.decode()} {name} is not what its name says: it was changed, or is broken",
                "name another copy with --from",
            )
        return held

    def _complaints(self) -> str:
        self.complaints.seek(0)
        said = self.complaints.read().decode("utf-8", "replace")
        return " ".join(line for line in said.splitlines() if line.startswith(("error:", "fatal:")))

    def _fault(self, what: str, remedy: str) -> UsageFault:
        return UsageFault(what, self.where, remedy)


@contextmanager
def objects_of(repository: Path, where: str) -> Generator[Objects]:
    """Open the objects of a repository, named by its `.git`. No setting of the caller's speaks to it."""
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_NO_LAZY_FETCH": "1"}
    with (
        tempfile.TemporaryFile() as complaints,
        subprocess.Popen(
            ("git", "--git-dir", str(repository), "cat-file", "--batch"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env={**environment(), **settings},
        ) as git,
    ):
        try:
            yield Objects(cast("IO[bytes]", git.stdin), cast("IO[bytes]", git.stdout), complaints, where)
        finally:
            git.kill()


def _entries(tree: bytes) -> Iterator[tuple[bytes, bytes, str]]:
    """Yield the mode, the name, and the object of each entry of a tree."""
    at = 0
    while at < len(tree):
        ends = tree.index(b"\0", at)
        mode, _, name = tree[at:ends].partition(b" ")
        at = ends + 1 + _NAME
        yield mode, name, tree[ends + 1 : at].hex()
