"""What a user asked to be checked: files, or the kit's own specification with its scenarios, under which settings.

It can be asked again and again, as a watcher does, and with texts laid over the files, as a fixer does.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from tck_kit import assets
from tck_kit.authors.checked import (
    Checked,
    absolute,
    check_files,
    files_of,
    graded,
    in_order,
    settings_for,
    sourced,
)
from tck_kit.faults import UsageFault
from tck_spec.errors import SpecificationError
from tck_spec.files import file_library
from tck_spec.findings import SEVERITY_NAMES, Finding, Severity, did_you_mean
from tck_spec.library import Library, Lone
from tck_spec.rules import RULES, check, severities
from tck_spec.settings import DIALECTS, Settings

if TYPE_CHECKING:
    from tck_kit.scenarios import ScenarioFault
    from tck_spec.specification import Specification

__all__ = ["Asked", "near"]

#: The rule of faults of the scenarios themselves.
_SCENARIO_FAULT: Final = "SCN001"
_NOTHING: Final[Mapping[Path, str]] = MappingProxyType({})
_LEVELS: Final[Mapping[str, Severity | Literal["on"] | None]] = {
    **{name: level for level, name in SEVERITY_NAMES.items()},
    "on": "on",
    "off": None,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """The options of a check, as they were given."""

    files: tuple[Path, ...] = ()
    config: Path | None = None
    specification: Path | None = None
    features: Path | None = None
    anchors: str | None = None
    #: Each as ``CODE=SEVERITY``.
    rules: tuple[str, ...] = ()
    all_rules: bool = False
    mermaid: bool = True

    def settings(self) -> Settings:
        """Read the settings file, and let the options win over it; raises `UsageFault`."""
        settings = settings_for(self.config, Path.cwd())
        rules: dict[str, Severity | Literal["on"] | None] = {}
        if self.all_rules:
            rules |= {rule.code: "on" for rule in RULES if not rule.on}
        rules |= settings.rules
        for code, level in self._rules():
            rules.pop(code, None)
            rules[code] = level
        return replace(
            settings,
            rules=rules,
            anchors=settings.anchors if self.anchors is None else _anchors(self.anchors),
            mermaid=settings.mermaid and self.mermaid,
        )

    def _rules(self) -> Iterator[tuple[str, Severity | Literal["on"] | None]]:
        for option in self.rules:
            code, equals, word = option.partition("=")
            if not equals or word not in _LEVELS:
                raise UsageFault(
                    f"'{word}' is no severity" if equals else "it gives no severity",
                    f"--rule {option}",
                    f"write {code or 'CODE'}= and one of {', '.join(_LEVELS)}",
                )
            try:
                severities(Settings(rules={code: None}))
            except SpecificationError as error:
                raise UsageFault(error.what, f"--rule {option}", error.cure) from error
            yield code, _LEVELS[word]

    def check(self, overlay: Mapping[Path, str] = _NOTHING) -> Checked:
        """Check what was asked for; raises `UsageFault`."""
        settings = self.settings()
        if self.files and self.specification is not None:
            raise UsageFault("files are named as well", f"--specification {self.specification}", "give one of them")
        if self.specification is not None and self.features is None:
            return check_files([self.specification], settings, overlay=overlay)
        configured = _configured(settings)
        if self.specification is not None or not (self.files or configured):
            return _with_scenarios(self.specification, self.features, settings)
        paths = self.files or configured
        features = self.features
        if features is None and settings.features is not None and _cover(paths, configured, settings):
            features = near(settings.features)
        scenarios = None
        if features is not None:
            from tck_kit.authors.covering import covered  # noqa: PLC0415 -- only where there are scenarios

            scenarios = partial(covered, features, settings)
        return check_files(paths, settings, overlay=overlay, scenarios=scenarios)

    def named(self, settings: Settings) -> Sequence[Path]:
        """Return the files and folders that are looked at; empty for the kit's own."""
        if self.specification is not None:
            return [self.specification]
        return self.files or _configured(settings)


def near(path: Path) -> Path:
    """Return a path as one would write it here: relative, if it is below the working directory."""
    below = os.path.relpath(path)
    return path if below.split(os.sep, 1)[0] == os.pardir else Path(below)


def _anchors(option: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in option.split(",") if name.strip())
    for name in names or ("",):
        if name not in DIALECTS:
            cure = did_you_mean(name, DIALECTS) or f"known are {', '.join(DIALECTS)}"
            raise UsageFault(f"'{name}' is no known dialect", f"--anchors {option}", cure)
    return names


def _configured(settings: Settings) -> tuple[Path, ...]:
    """Return the files of the settings; a pattern that nothing fits is as wrong as a file that is not there."""
    return tuple(near(path) for path in files_of((), settings)) if settings.files else ()


def _with_scenarios(path: Path | None, features: Path | None, settings: Settings) -> Checked:
    """Check a specification of requirements for engines, or the kit's own, with the scenarios that prove it."""
    from tck_kit.authors.covering import reviewed_elsewhere  # noqa: PLC0415 -- only where there are scenarios
    from tck_kit.catalogue import coverage_findings, read_catalogue  # noqa: PLC0415 -- loads every step

    catalogue = read_catalogue(path, features, family=None)
    spec = replace(catalogue.specification, source=str(near(Path(catalogue.specification.source))))
    folder = near(catalogue.suite.folder)
    missing = [_below(one, folder) for one in coverage_findings(catalogue)]
    unknown = any(one.rule == "COV002" for one in missing)
    # A tag that names no requirement is said once: by COV002.
    elsewhere = [one for one in missing if one.source is not None]
    elsewhere += (_scenario(fault, folder) for fault in catalogue.suite.faults if not (fault.kind == "tag" and unknown))
    elsewhere += reviewed_elsewhere(spec, replace(catalogue.suite, folder=folder), settings)
    library = _library(spec, settings, own=path is None)
    own = check(spec, settings, library, [one for one in missing if one.source is None])
    findings = in_order([*sourced(spec.source, own), *graded(elsewhere, settings)], [spec.source])
    return Checked((spec,), tuple(findings), settings, (spec.source,))


def _library(spec: Specification, settings: Settings, *, own: bool) -> Library:
    """Return the files around a specification; the kit's own, once installed, has left them behind."""
    return Lone((spec,)) if own and assets.installed() else file_library((spec,), settings)


def _below(one: Finding, folder: Path) -> Finding:
    return one if one.source is None else replace(one, source=str(folder / one.source))


def _scenario(fault: ScenarioFault, folder: Path) -> Finding:
    path, _, line = fault.place.rpartition(":")
    if not line.isdecimal():
        path, line = fault.place, "1"
    return Finding(_SCENARIO_FAULT, "E", int(line), 1, fault.message, source=str(folder / path))


def _cover(paths: Sequence[Path], configured: Sequence[Path], settings: Settings) -> bool:
    """Tell whether all documents are looked at that the settings name: a part of them says nothing of coverage."""
    looked = {absolute(path) for path in files_of(paths, settings)}
    return looked.issuperset(absolute(path) for path in files_of(configured, settings))
