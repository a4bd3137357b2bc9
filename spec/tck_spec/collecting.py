"""Collecting: which files a check is about, given what was named on the command line or in the settings.

A file that is named is taken whatever it is called. Of a folder its Markdown files are, except in folders that hold
other people's work: hidden ones, dependencies, virtual environments. Nothing that is named may be missing, because a
check of nothing is no pass.
"""

from __future__ import annotations

import os
import re
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tck_spec.errors import SpecificationError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tck_spec.settings import Settings

__all__ = ["collect"]

_EXTENSIONS: Final = frozenset({".md", ".markdown"})
_SKIPPED: Final = frozenset({"node_modules", "venv", "__pycache__", "site-packages"})
#: The file that makes a folder a virtual environment, whatever the folder is called.
_ENVIRONMENT: Final = "pyvenv.cfg"
_WILD: Final = re.compile(r"[*?\[]")
_PATTERN: Final = re.compile(r"\*\*/|\*\*|\*|\?|\[[^\]/]+\]|.", re.DOTALL)


def collect(paths: Sequence[Path], settings: Settings) -> list[Path]:
    """Return the files to check, each once, in the order in which they were named, those of a folder by name.

    Without `paths` the settings say which. Raises `SpecificationError` for what does not exist or holds no Markdown.
    """
    found: dict[str, Path] = {}
    exclude = [_expression(pattern) for pattern in settings.exclude]
    named = [(path, Path(), str(path)) for path in paths]
    named = named or [(Path(name), settings.root, f"{settings.path}: check.files: {name}") for name in settings.files]
    for path, base, where in named:
        before = len(found)
        taken = 0
        for one in _named(path, base, where):
            # What is named itself is wanted, whatever is excluded from folders.
            if one == base / path or not _excluded(one, settings.root, exclude):
                found.setdefault(os.path.realpath(one), one)
                taken += 1
        if len(found) == before and not taken:
            if _WILD.search(str(path)):
                raise SpecificationError("nothing fits this pattern", where, "mend it, or take it away")
            raise SpecificationError("there is no Markdown below this folder", where, "name another, or a file")
    return list(found.values())


def _named(path: Path, base: Path, where: str) -> Iterator[Path]:
    full = base / path
    if full.is_dir():
        yield from _walk(full)
    elif full.exists() or not _WILD.search(str(path)):
        if not os.path.lexists(full):
            raise SpecificationError("there is no such file or folder", where, _near(full))
        yield full
    else:
        yield from _matching(path, base)


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the Markdown files below a folder.

    Links are not followed: those to folders may be loops, and a file behind one is either met anyway or lies elsewhere.
    """
    for path in _files(folder):
        if path.suffix.lower() in _EXTENSIONS:
            yield path


def _files(folder: Path) -> Iterator[Path]:
    for here, folders, names in os.walk(folder, onerror=_unlistable):
        folders[:] = sorted(name for name in folders if not _skipped(Path(here, name)))
        for name in sorted(names):
            path = Path(here, name)
            if not name.startswith(".") and path.is_file() and not path.is_symlink():
                yield path


def _unlistable(error: OSError) -> None:
    what = f"cannot be looked into ({error.strerror})"
    raise SpecificationError(what, str(error.filename), "change its permissions, or exclude it") from error


def _skipped(folder: Path) -> bool:
    return folder.name.startswith(".") or folder.name in _SKIPPED or (folder / _ENVIRONMENT).exists()


def _matching(pattern: Path, base: Path) -> Iterator[Path]:
    """Yield the files that a pattern names, or that lie in folders that it names."""
    parts = pattern.parts
    plain = next(index for index, part in enumerate(parts) if _WILD.search(part))
    start = base.joinpath(*parts[:plain])
    expression = re.compile(_translate("/".join(parts[plain:])) + r"(?P<inside>/.*)?", re.DOTALL)
    for path in _files(start) if start.is_dir() else ():
        match = expression.fullmatch(path.relative_to(start).as_posix())
        if match and (not match["inside"] or path.suffix.lower() in _EXTENSIONS):
            yield path


def _translate(pattern: str) -> str:
    """Return the regular expression of a pattern in which ``**`` reaches over folders and ``*`` does not."""
    known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = (match.group() for match in _PATTERN.finditer(pattern))
    return "".join(known.get(part) or (_class(part) if len(part) > 1 else re.escape(part)) for part in parts)


def _class(part: str) -> str:
    inside = part[1:-1].replace("\\", r"\\")
    return f"[^{inside[1:]}]" if inside.startswith("!") else f"[{inside}]".replace("[^", r"[\^")


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    """Return what is excluded by a pattern: paths from the root, or any name of that form where it has no slash."""
    bare = pattern.removeprefix("./").rstrip("/")
    anywhere = "(?:.*/)?" if "/" not in bare else ""
    try:
        return re.compile(anywhere + _translate(bare.lstrip("/")) + "(?:/.*)?", re.DOTALL)
    except re.error:
        return re.compile(re.escape(bare))


def _excluded(path: Path, root: Path, expressions: Sequence[re.Pattern[str]]) -> bool:
    if not expressions:
        return False
    full = Path(os.path.normpath(path.absolute()))
    above = Path(os.path.normpath(root.absolute()))
    name = (full.relative_to(above) if full.is_relative_to(above) else full).as_posix()
    return any(expression.fullmatch(name) for expression in expressions)


def _near(path: Path) -> str:
    try:
        names = sorted(os.listdir(path.parent))[:2000]  # noqa: PTH208 - names alone
    except (OSError, ValueError):
        return "check the path"
    near = get_close_matches(path.name, names, n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else "check the path"
