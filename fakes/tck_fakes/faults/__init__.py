"""Engines that are wrong on purpose, each in one named way: the proof that the scenarios can fail."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tck_fakes.faults import (
    capability_declared,
    capability_detected,
    clean_ends,
    clean_kept,
    clean_removal,
    clean_sweeps,
    clean_unannounced,
    continuity_asking,
    continuity_going_on,
    contract,
    fallback_before_start,
    fallback_fresh_start,
    fallback_poisoned,
    fallback_reasons,
    fallback_refusals,
    fallback_shapes,
    fallback_silence,
    isolate_ids,
    isolate_mounts,
    isolate_place,
    isolate_runs,
    naming,
    naming_kept,
    naming_shown,
    naming_slug,
    off_runs,
    off_scopes,
    off_setting,
    record,
    redelegation,
    resume_prior,
    resume_prompt,
    resume_proof,
    resume_request,
    resume_turns,
    reuse,
)
from tck_fakes.faults.fault import Fault, FaultyEngine, Kind, Sabotage
from tck_fakes.faults.register import entered

#: The modules whose faults are in the catalogue.
MODULES = (
    capability_declared,
    capability_detected,
    clean_ends,
    clean_kept,
    clean_removal,
    clean_sweeps,
    clean_unannounced,
    continuity_asking,
    continuity_going_on,
    contract,
    fallback_before_start,
    fallback_fresh_start,
    fallback_poisoned,
    fallback_reasons,
    fallback_refusals,
    fallback_shapes,
    fallback_silence,
    isolate_ids,
    isolate_mounts,
    isolate_place,
    isolate_runs,
    naming,
    naming_kept,
    naming_shown,
    naming_slug,
    off_runs,
    off_scopes,
    off_setting,
    record,
    redelegation,
    resume_prior,
    resume_prompt,
    resume_proof,
    resume_request,
    resume_turns,
    reuse,
)

#: Every fault by its name.
FAULTS: Mapping[str, Fault] = MappingProxyType({one.name: one for one in entered()})

__all__ = ["FAULTS", "MODULES", "Fault", "FaultyEngine", "Kind", "Sabotage"]
