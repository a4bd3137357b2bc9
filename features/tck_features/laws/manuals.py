"""What the laws know of each CLI: ids, places, options, and when a session's name is given as a label (§16.5.1)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from tck_driver.vocabulary import AdapterId
from tck_features.laws.versions import Version, version_in
from tck_features.world import STATE_PATHS

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)


class _Free:
    """Says that the specification leaves something open."""


#: Both a label and none are right.
FREE: Final = _Free()


@dataclass(frozen=True, slots=True)
class Manual:
    """One CLI. Options are those that belong to sessions: of a fresh start, each with a value; and of all starts."""

    native_id: re.Pattern[str]
    state_path: str | None
    fresh_options: tuple[str, ...] = ()
    session_options: tuple[str, ...] = ()
    #: A label is given from this version on, up to the second one it must not be; between the two it is as may be.
    label_from: Version | None = None
    no_label_to: Version | None = None
    longest_label: int | None = None
    labels: bool = False
    #: From which version on it is verified to resume.
    verified_from: Version | None = None


def _version(text: str) -> Version:
    found = version_in(text)
    assert found is not None  # noqa: S101 -- written below, by us
    return found


MANUALS: Mapping[str, Manual] = MappingProxyType(
    {
        AdapterId.CLAUDE_CODE.value: Manual(
            native_id=_UUID,
            state_path=STATE_PATHS[AdapterId.CLAUDE_CODE],
            fresh_options=("--session-id", "--name", "-n"),
            session_options=(
                *("--session-id", "--resume", "-r", "--continue", "-c", "--name", "-n", "--fork-session"),
            ),
            verified_from=_version("1.0.124"),
            labels=True,
            label_from=_version("2.1.197"),
            no_label_to=_version("2.0.54"),
        ),
        AdapterId.CODEX.value: Manual(
            native_id=_UUID,
            state_path=STATE_PATHS[AdapterId.CODEX],
            session_options=("resume", "fork", "--last"),
            verified_from=_version("0.122.0"),
        ),
        AdapterId.OPENCODE.value: Manual(
            native_id=re.compile(r"ses_[0-9A-Za-z]{26}", re.ASCII),
            state_path=STATE_PATHS[AdapterId.OPENCODE],
            fresh_options=("--title",),
            session_options=("--session", "-s", "--continue", "-c", "--title", "--fork"),
            verified_from=_version("1.15.3"),
            labels=True,
            label_from=_version("1.15.3"),
        ),
        AdapterId.COPILOT.value: Manual(
            native_id=_UUID,
            state_path=STATE_PATHS[AdapterId.COPILOT],
            fresh_options=("--session-id", "--name", "-n"),
            session_options=("--session-id", "--resume", "--continue", "--name", "-n"),
            verified_from=_version("1.0.73"),
            labels=True,
            label_from=_version("1.0.73"),
            longest_label=100,
        ),
        AdapterId.GROK_BUILD.value: Manual(
            native_id=re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{7,63}", re.ASCII),
            state_path=None,
            session_options=("--resume", "--session", "--session-id", "--continue", "--name"),
        ),
    }
)


def label_due(manual: Manual, version: Version | None, name: str) -> str | _Free | None:
    """Give the label that a fresh session of this name has to get in an installation, None for none (NAME-7)."""
    if not manual.labels:
        return None
    if manual.longest_label is not None and len(name) > manual.longest_label:
        return None
    if version is None:
        return FREE
    if manual.label_from is not None and version >= manual.label_from:
        return name
    return None if manual.no_label_to is not None and version <= manual.no_label_to else FREE
