"""The real CLIs for the kit's images: where they are, or how they come from npm, and how each is pointed at a model."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tck_driver.vocabulary import AdapterId
from tck_fakes.images import RealCli
from tck_fakes.images.inside import MODEL
from tck_fakes.images.real_image import CLI
from tck_kit.faults import UsageFault
from tck_kit.probe.configured import CONFIGURED, Place
from tck_kit.probe.npm import PACKAGES, install
from tck_simulator.adapters.base import HOME

#: Program → adapter, in the order in which they are shown.
ADAPTER_OF: Final[Mapping[str, AdapterId]] = {each.program: adapter for adapter, each in CONFIGURED.items()}
#: The word for all of them.
ALL: Final = "all"
#: A folder that holds the CLIs under their names.
VARIABLE: Final = "TCK_CLIS"
_CACHE: Final = "/opt/cache"
#: Copilot unpacks 235 MB at its first start; it does so once, when its image is made.
_UNPACK: Final = f"mkdir /tmp/home && HOME=/tmp/home XDG_CACHE_HOME={_CACHE} {CLI}/copilot --version"
_PREPARE: Final[Mapping[str, tuple[str, ...]]] = {
    "copilot": ("/bin/sh", "-c", f"{_UNPACK} && chmod -R a+rX {_CACHE} && rm -r /tmp/home")
}


def chosen(words: Sequence[str]) -> tuple[AdapterId, ...]:
    """Give the adapters that the words of a command name, each once; none named are all."""
    if not words or ALL in words:
        return tuple(ADAPTER_OF.values())
    return tuple(dict.fromkeys(ADAPTER_OF[word] for word in words))


def found(adapter: AdapterId, given: Path | None, version: str, folder: Path) -> RealCli:
    """Find a CLI in the folder that was given, or that `TCK_CLIS` names, or have npm install it below `folder`."""
    program = CONFIGURED[adapter].program
    named = os.environ.get(VARIABLE)
    place = given or (Path(named) if named else None)
    if place is None:
        return _configured(adapter, Path(install(adapter, version, folder).words[-1]))
    for path in (place / program, place / "node_modules" / ".bin" / program):
        if path.exists():
            return _configured(adapter, path.resolve())
    where = "--clis" if given else VARIABLE
    raise UsageFault(f"{place} holds no {program}", where, f"npm install --prefix {place} {PACKAGES[adapter].name}")


def _configured(adapter: AdapterId, path: Path) -> RealCli:
    known = CONFIGURED[adapter]
    place = Place(Path(HOME), MODEL, Path(_CACHE))
    return RealCli(
        program=known.program,
        version=_version(path, PACKAGES[adapter].name),
        place=path,
        environment=known.environment(place),
        files=known.files(place),
        prepare=_PREPARE.get(known.program, ()),
    )


def _version(path: Path, package: str) -> str:
    """Read the version off the package's own description."""
    for folder in path.parents:
        for description in (folder / "node_modules" / package / "package.json", folder / "package.json"):
            try:
                told = json.loads(description.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                continue
            if told.get("name") == package:
                return str(told.get("version", "unknown"))
    return "unknown"
