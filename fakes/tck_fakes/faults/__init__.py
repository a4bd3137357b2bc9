"""Engines that are wrong on purpose, each in one named way: the proof that the scenarios can fail."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tck_fakes.faults import naming
from tck_fakes.faults.fault import Fault, FaultyEngine, Kind, Sabotage
from tck_fakes.faults.register import entered

#: Every fault by its name.
FAULTS: Mapping[str, Fault] = MappingProxyType({one.name: one for one in entered()})

__all__ = ["FAULTS", "Fault", "FaultyEngine", "Kind", "Sabotage", "naming"]
