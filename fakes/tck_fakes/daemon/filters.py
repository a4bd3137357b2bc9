"""Filters by which containers are listed and pruned."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from tck_fakes.container import Container
from tck_fakes.daemon.described import status_of
from tck_fakes.daemon.errors import DaemonError, UnknownError

_FILTERS: dict[str, Callable[[Container, str], bool]] = {
    "name": lambda live, value: any(re.search(value, name) for name in (live.name, f"/{live.name}")),
    "id": lambda live, value: live.long_id.startswith(value),
    "status": lambda live, value: status_of(live) == value,
    "ancestor": lambda live, value: live.request.image == value,
    "exited": lambda live, value: live.phase == "exited" and str(live.exit_code) == value,
}
#: Filters that docker has and the stand-in has not.
_LACKING = frozenset(("before", "expose", "health", "isolation", "is-task", "network", "publish", "since", "volume"))
_INVALID = 400


def passes(live: Container, asked: Sequence[tuple[str, str]]) -> bool:
    """Tell whether a container meets the filters: all labels, and one of each other kind."""
    check_filters(asked)
    labels = dict(live.request.labels)
    for kind in {name for name, _ in asked}:
        values = [value for name, value in asked if name == kind]
        if kind == "label":
            pairs = [value.partition("=") for value in values]
            fits = all(name in labels and (not equals or labels[name] == value) for name, equals, value in pairs)
        else:
            fits = any(_FILTERS[kind](live, value) for value in values)
        if not fits:
            return False
    return True


def check_filters(asked: Sequence[tuple[str, str]]) -> None:
    """Refuse filters that there are none of. Raises `DaemonError` and `UnknownError`."""
    for kind, value in asked:
        if kind in _LACKING:
            raise UnknownError(f"the filter {kind} for containers")
        if kind != "label" and kind not in _FILTERS:
            raise DaemonError(_INVALID, f"invalid filter '{kind}'")
        if kind == "name":
            try:
                re.compile(value)
            except re.error:
                raise DaemonError(_INVALID, f"invalid filter 'name={value}'") from None
