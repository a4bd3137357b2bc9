"""Text of a trace that is the same wherever a run was made: folders have a name in place of a path, secrets are hidden.

All of it works on a line as it is written, since a path is spelled there as it is anywhere else.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from tck_reports.plain import REDACTED

#: What stands for the scenario's folder, and for the place that it really is where a link leads there.
PLACE, REAL = "{place}", "{place~}"
_NAMED: Final = re.compile(r"\{place([}:~])(\}?)")
_TELLING: Final = re.compile(r"TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|PRIVATE_?KEY|CREDENTIAL", re.IGNORECASE)
#: A shorter value would take ordinary words with it.
_SHORTEST: Final = 8
#: The password in `scheme://user:password@host`, as a report finds it.
_URL_PASSWORD: Final = re.compile(r"(?<=://)([^\s/:@]{0,200}):([^\s/@]{1,500})(?=@)")


def secrets_of(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Give the values that variables call secret by their name, longest first."""
    found = {value for name, value in environment.items() if _TELLING.search(name) and len(value) >= _SHORTEST}
    return tuple(sorted(found, key=len, reverse=True))


class Words:
    """Turns lines of one scenario into what a trace holds, and back into what is so in this folder."""

    def __init__(self, place: Path, secrets: Iterable[str] = ()) -> None:
        """Speak of this folder."""
        self._path = _spelled(str(place))
        self._real = _spelled(os.path.realpath(place))
        # The longer one first: it may hold the other.
        named = {self._path: PLACE} if self._real == self._path else {self._path: PLACE, self._real: REAL}
        self._named = sorted(named.items(), key=lambda one: len(one[0]), reverse=True)
        self._secrets = tuple(_spelled(one) for one in secrets)
        self._bytes = [(os.fsencode(json.loads(f'"{path}"')), name.encode()) for path, name in self._named]

    def told(self, line: str) -> str:
        """Give a line as the trace has it."""
        line = line.replace("{place", "{place:")
        for path, name in self._named:
            line = line.replace(path, name)
        for secret in self._secrets:
            line = line.replace(secret, REDACTED)
        return line

    def stable(self, content: bytes) -> bytes:
        """Give a file's bytes without the folder that it lies in."""
        for path, name in self._bytes:
            content = content.replace(path, name)
        return content

    def heard(self, line: str) -> str:
        """Give a line of a trace as it is here."""
        return _NAMED.sub(self._here, line) if "{place" in line else line

    def _here(self, found: re.Match[str]) -> str:
        if found[1] == ":":
            return f"{{place{found[2]}"
        if found[1] == "}":
            return f"{self._path}{found[2]}"
        return self._real if found[2] else found[0]


def _spelled(text: str) -> str:
    """Spell a text as it stands within a line."""
    return json.dumps(text)[1:-1]


def hidden(value: Any) -> Any:  # noqa: ANN401 -- whatever JSON can say
    """Replace the passwords in URLs, as a report does."""
    if isinstance(value, str):
        return _URL_PASSWORD.sub(rf"\1:{REDACTED}", value) if "://" in value and "@" in value else value
    if isinstance(value, list):
        return [hidden(one) for one in value]  # pyright: ignore[reportUnknownVariableType] -- whatever JSON can say
    if isinstance(value, dict):
        return {name: hidden(one) for name, one in value.items()}  # pyright: ignore[reportUnknownVariableType] -- the same
    return value  # pyright: ignore[reportUnknownVariableType] -- the same
