"""Our own sources, for images that run them: read from the installed packages, so a wheel serves as well."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable

#: What a program of ours inside a container may import; all of it does with the standard library alone.
PACKAGES = ("tck_driver", "tck_fakes", "tck_simulator")

Sources = Sequence[tuple[str, bytes]]


def sources() -> Sources:
    """Give every module of these packages, by its path."""
    return tuple(sorted(found for package in PACKAGES for found in _modules(files(package), package)))


def _modules(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        name = f"{path}/{entry.name}"
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _modules(entry, name)
        elif entry.name.endswith(".py"):
            yield name, entry.read_bytes()


def digest(*parts: str | Sources) -> str:
    """Tell apart what goes into an image by sixteen digits."""
    total = hashlib.sha256()
    for part in parts:
        pairs: Sources = (("", part.encode()),) if isinstance(part, str) else part
        for name, content in pairs:
            total.update(f"{name}\0{len(content)}\0".encode())
            total.update(content)
    return total.hexdigest()[:16]
