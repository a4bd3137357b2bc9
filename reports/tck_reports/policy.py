"""What an engine declares of how it resumes, in words: the names are those of messages and reports."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

#: What each name is about. Specification: §30.7.
MEANINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "scope": "what a session is kept for",
        "identity": "whether the CLI reports the id of a session, or the engine assigns it",
        "valid": "from when on a session may be resumed",
        "fork": "what becomes of a resume that is answered under another id",
        "fallback": "where work goes on when a session is lost",
        "prompt": "what a resumed session is sent",
        "default": "whether it resumes when nobody has said anything",
        "switch": "by what resuming is turned on and off",
    }
)


def told(policy: Mapping[str, str | Sequence[str]]) -> Iterator[tuple[str, str, str]]:
    """Yield what is declared as name, value and meaning; a switch that there is none of is said as none."""
    for name, value in policy.items():
        words = value if isinstance(value, str) else ", ".join(value)
        yield name, words or "none", MEANINGS.get(name, "")
