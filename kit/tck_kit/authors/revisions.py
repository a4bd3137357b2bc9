"""Files as they were in a revision of a git repository.

git is asked for objects only, by an argument vector, with a limit on time and on what it may answer. Nothing in the
repository is executed, and nothing is fetched.
"""

from __future__ import annotations

import os
import posixpath
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tck_kit.faults import UsageFault

__all__ = ["MOST_BYTES", "Repository"]

#: A larger file is no specification.
MOST_BYTES: Final = 16 * 1024 * 1024
_SECONDS: Final = 60
#: Variables of git that somebody sets so that it works here at all.
_KEPT: Final = ("GIT_CONFIG", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM")
_OPTIONS: Final = (
    "--no-pager",
    "-c",
    "protocol.allow=never",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.quotePath=false",
)


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository, by a folder in it or by its git directory."""

    folder: Path

    def text(self, revision: str, file: str) -> str | None:
        """Return a file as it was in a revision; None where it was not there. Raises `UsageFault`."""
        commit = self.commit(revision)
        path = self._path(file)
        size = self._ask("cat-file", "-s", f"{commit}:{path}")
        if size is None:
            return None
        where = f"{revision}:{file}"
        if int(size) > MOST_BYTES:
            raise UsageFault(f"is larger than {MOST_BYTES // 1024 // 1024} MiB", where, "name a specification")
        data = self._ask("cat-file", "blob", f"{commit}:{path}")
        if data is None:
            raise UsageFault("is no file in this revision", where, "name a file")
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            raise UsageFault("is not UTF-8", where, "name a Markdown file") from None

    def commit(self, revision: str) -> str:
        """Return the full name of a commit; raises `UsageFault` for a revision that does not exist."""
        found = self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        if found is None:
            self._is_there()
            raise UsageFault("there is no such revision", revision, "name a commit, a branch or a tag")
        return found.decode("ascii", "replace").strip()

    def commits(self, file: str) -> list[str]:
        """Return the commits of the first parents that changed a file, the oldest first."""
        self._is_there()
        found = self._ask("rev-list", "--first-parent", "--reverse", "HEAD", "--", self._path(file))
        return (found or b"").decode("ascii", "replace").split()

    def _path(self, file: str) -> str:
        """Return a path from the root of the repository, as objects are named."""
        if Path(file).is_absolute():
            file = os.path.relpath(file, self.folder.absolute())
        prefix = (self._ask("rev-parse", "--show-prefix") or b"").decode("utf-8", "replace").strip()
        path = posixpath.normpath(posixpath.join(prefix, file.replace(os.sep, "/")))
        if path.startswith("../"):
            raise UsageFault("is outside of the repository", file, "name a file in it, or --repository")
        return path

    def _is_there(self) -> None:
        if self._ask("rev-parse", "--git-dir") is None:
            raise UsageFault("is no git repository", str(self.folder), "name one with --repository")

    def _ask(self, *arguments: str) -> bytes | None:
        """Return what git answers; None where it says no. Raises `UsageFault` where it cannot be asked."""
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(_KEPT)
        }
        environment |= {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
        try:
            done = subprocess.run(
                ["git", *_OPTIONS, *arguments],
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise UsageFault(f"git did not answer in {_SECONDS} s", str(self.folder), "try again") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UsageFault(
                f"git cannot be asked ({reason})", str(self.folder), "install git, or name files"
            ) from None
        if done.returncode and b"dubious ownership" in done.stderr:
            cure = f"run `git config --global --add safe.directory {self.folder.absolute()}` if you trust it"
            raise UsageFault("git does not trust this repository, which is somebody else's", str(self.folder), cure)
        return done.stdout if done.returncode == 0 else None
