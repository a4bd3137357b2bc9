"""Git itself as the judge of branch names, asked for many at once."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path


def accepted(names: Sequence[str], folder: Path) -> set[str]:
    """Give those names that `git check-ref-format --branch` accepts and prints unchanged (NAME-9).

    `folder` lies in no repository, where `--branch` would look shorthands up. A name with a zero byte can be no
    argument of a program, and so no branch.
    """
    askable = [name for name in dict.fromkeys(names) if "\0" not in name]
    done = subprocess.run(
        ["xargs", "-0", "-n", "1", "git", "check-ref-format", "--branch"],
        input="".join(f"{name}\0" for name in askable).encode(),
        capture_output=True,
        check=False,
        cwd=folder,
        env={"PATH": os.environ["PATH"], "GIT_CEILING_DIRECTORIES": str(folder.parent), "HOME": str(folder)},
    )
    return set(done.stdout.decode().split("\n")) & set(askable)
