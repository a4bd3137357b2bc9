"""Tells each violation of the schema of `session-tck.toml` as a person would: where, what is wrong, what to do.

A JSON Schema's own words name neither line nor cure, and repeat whole values; here every keyword of the schema that can
be violated has a sentence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from pathlib import Path

    from jsonschema import ValidationError

from tck_kit.faults import UsageFault

#: So many are shown; who has more has misunderstood something.
MOST_SHOWN = 10
#: So many are looked for.
MOST_LOOKED_AT = 1000
_MOST_TOLD = 60
_DEEPEST_LOOKED_AT = 8
_TYPES = {
    "string": "a text in quotes",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list in brackets",
    "object": "a table",
}
_HEADER = re.compile(r"\s*\[\[?([^\[\]#]+)\]\]?\s*(?:#.*)?")
_KEYS = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_KEY = re.compile(r"""[\w-]+|"([^"]*)"|'([^']*)'""")

Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """One mistake in the file: at which key, what, and what to do."""

    keys: Keys
    what: str
    cure: str

    def __str__(self) -> str:
        """Give it without its line."""
        return f"{dotted(self.keys)} {self.what}; {self.cure}"


def refuse(path: Path, text: str, faults: Iterable[Fault]) -> None:
    """Raise `UsageFault` with all faults, in the order of their lines, where there is any."""
    some = dict.fromkeys(islice(faults, MOST_LOOKED_AT))
    if not some:
        return
    lines = _lines(text)
    found = sorted(some, key=lambda fault: (_line(lines, fault.keys) or 0, fault.keys))
    if len(found) == 1:
        line = _line(lines, found[0].keys)
        where = f"{path}:{line}" if line else str(path)
        raise UsageFault(f"{dotted(found[0].keys)} {found[0].what}", where, found[0].cure)
    shown = "".join(f"\n  line {_line(lines, fault.keys) or '?'}: {fault}" for fault in found[:MOST_SHOWN])
    more = f"\n  … and {len(found) - MOST_SHOWN} more" if len(found) > MOST_SHOWN else ""
    count = f"{len(found)} or more" if len(found) >= MOST_LOOKED_AT else str(len(found))
    raise UsageFault(f"{count} mistakes", str(path), f"mend them:{shown}{more}")


def told(violation: ValidationError) -> Iterator[Fault]:
    """Say what one violation of the schema is."""
    keys = tuple(f"[{key + 1}]" if isinstance(key, int) else key for key in violation.absolute_path)
    schema = cast("Mapping[str, object]", violation.schema)
    tell = _names if "propertyNames" in violation.absolute_schema_path else _TELLERS[str(violation.validator)]
    yield from tell(_Violation(keys, violation.instance, schema))


@dataclass(frozen=True, slots=True)
class _Violation:
    keys: Keys
    value: object
    schema: Mapping[str, object]

    def fault(self, what: str, cure: str) -> Iterator[Fault]:
        yield Fault(self.keys, what, cure)

    def table(self) -> Mapping[str, object]:
        return cast("Mapping[str, object]", self.value)


def _unknown_keys(found: _Violation) -> Iterator[Fault]:
    known = list(cast("Mapping[str, object]", found.schema["properties"]))
    for key in found.table():
        if key not in known:
            yield Fault((*found.keys, key), "is not known", suggestion(key, known))


def _type(found: _Violation) -> Iterator[Fault]:
    named = found.schema["type"]
    types = [named] if isinstance(named, str) else cast("Sequence[str]", named)
    return found.fault(
        f"is {_kind(found.value)}", f"it must be {' or '.join(_TYPES[one] for one in types)}{_such(found)}"
    )


def _enum(found: _Violation) -> Iterator[Fault]:
    if not isinstance(found.value, str):
        return iter(())
    known = cast("Sequence[str]", found.schema["enum"])
    return found.fault(f"is {shown(found.value)}", suggestion(found.value, known))


def _range(found: _Violation) -> Iterator[Fault]:
    least, most = found.schema["minimum"], found.schema["maximum"]
    return found.fault(f"is {shown(found.value)}", f"it must be from {least} to {most}")


def _form(found: _Violation) -> Iterator[Fault]:
    what = "is empty" if found.value in ("", []) else f"is {shown(found.value)}, which does not fit"
    return found.fault(
        what, f"it must be {_TYPES['string'] if isinstance(found.value, str) else 'a list'}{_such(found)}"
    )


def _names(found: _Violation) -> Iterator[Fault]:
    return found.fault(f"has the name {shown(found.value)}, which does not fit", "give another name")


def _one_of(found: _Violation) -> Iterator[Fault]:
    if not isinstance(found.value, dict):
        return iter(())
    alternatives = cast("Sequence[Mapping[str, Sequence[str]]]", found.schema["oneOf"])
    names = [one["required"][0] for one in alternatives]
    there = [name for name in names if name in found.table()]
    what = f"has {' and '.join(there)}" if there else "names no engine"
    return found.fault(what, f"give exactly one of {', '.join(names)}{_such(found)}")


def _dependent(found: _Violation) -> Iterator[Fault]:
    needs = cast("Mapping[str, Sequence[str]]", found.schema["dependentRequired"])
    for key, needed in needs.items():
        if key in found.table() and not {*needed} <= {*found.table()}:
            yield Fault((*found.keys, key), "is of use to a command alone", f"take it out, or give {needed[0]}")


def _required(found: _Violation) -> Iterator[Fault]:
    needed = cast("Sequence[str]", found.schema["required"])
    return found.fault(
        f"lacks {', '.join(one for one in needed if one not in found.table())}", f"write it{_such(found)}"
    )


def _unique(found: _Violation) -> Iterator[Fault]:
    return found.fault("names the same twice", "take one out")


_TELLERS: Mapping[str, Callable[[_Violation], Iterator[Fault]]] = {
    "additionalProperties": _unknown_keys,
    "dependentRequired": _dependent,
    "enum": _enum,
    "maximum": _range,
    "minItems": _form,
    "minLength": _form,
    "minimum": _range,
    "oneOf": _one_of,
    "pattern": _form,
    "required": _required,
    "type": _type,
    "uniqueItems": _unique,
}


def suggestion(word: str, known: Iterable[str]) -> str:
    """Name what was probably meant, or all that is known."""
    by_lower = {one.lower(): one for one in known}
    near = get_close_matches(word.lower().replace("-", "_"), by_lower, 1) or get_close_matches(
        word.lower(), by_lower, 1
    )
    return f"did you mean {by_lower[near[0]]}?" if near else f"known are {', '.join(by_lower.values())}"


def shown(value: object) -> str:
    """Give a value as it stands in TOML, shortened."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = str(value)
    return text if len(text) <= _MOST_TOLD else f"{text[: _MOST_TOLD - 1]}…"


def dotted(keys: Keys) -> str:
    """Give the path of a key as it can be written in the file; positions in lists count from 1."""
    text = ""
    for key in keys:
        part = key if key.startswith("[") or re.fullmatch(r"[\w-]+", key, re.ASCII) else shown(key)
        text += part if not text or part.startswith("[") else f".{part}"
    return text or "the file"


def _such(found: _Violation) -> str:
    examples = cast("Sequence[object]", found.schema.get("examples", ()))
    return f", such as {_toml(examples[0])}" if examples else ""


def _toml(value: object) -> str:
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value).items()
        return f"{{{', '.join(f'{dotted((key,))} = {_toml(one)}' for key, one in pairs)}}}"
    return json.dumps(value, ensure_ascii=False)


def _kind(value: object) -> str:
    if isinstance(value, dict):
        return _TYPES["object"]
    if isinstance(value, list):
        return _TYPES["array"]
    return shown(value)


def _lines(text: str) -> dict[Keys, int]:
    """Find the first line of each key and of what is around it, by the look of the lines.

    Lines within a text of several lines may be taken for keys, which moves a number and nothing else.
    """
    found: dict[Keys, int] = {}
    entries: dict[Keys, int] = {}
    section: Keys = ()
    for number, line in enumerate(text.split("\n"), 1):
        if header := _HEADER.fullmatch(line):
            keys = section = _split(header[1])
            if line.lstrip().startswith("[["):
                entries[keys] = entries.get(keys, 0) + 1
                keys = section = (*keys, f"[{entries[keys]}]")
        elif match := _KEYS.match(line):
            keys = (*section, *_split(match[1]))
        else:
            continue
        for length in range(1, min(len(keys), _DEEPEST_LOOKED_AT) + 1):
            found.setdefault(keys[:length], number)
    return found


def _split(text: str) -> Keys:
    return tuple(one[1] or one[2] or one[0] for one in _KEY.finditer(text))


def _line(lines: Mapping[Keys, int], keys: Keys) -> int | None:
    """Give the line of a key, or that of the nearest one around it."""
    return next((lines[keys[:length]] for length in range(len(keys), 0, -1) if keys[:length] in lines), None)
