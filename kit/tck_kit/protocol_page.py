"""Makes `docs/driver-protocol.md` out of the schemas, the tables in the code, and an exchange with the simulator.

`python -m tck_kit.protocol_page docs/driver-protocol.md` writes it; a test makes it anew and compares.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from jinja2 import Environment, PackageLoader, StrictUndefined

from tck_driver import schemas
from tck_driver.capabilities import ACCESS, FEATURES
from tck_driver.connection import CONTROL, DEADLINES
from tck_driver.courses import COURSE_FEATURES
from tck_driver.transport import MOST_BYTES
from tck_kit.protocol_example import Exchange, exchanges

Schema = Mapping[str, Any]
_COMMON = "common.json#/$defs/"


@dataclass(frozen=True, slots=True)
class Field:
    """One row of a table of fields; `name` has dots and brackets for what lies within."""

    name: str
    form: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Method:
    """One chapter of the page."""

    name: str
    summary: str
    seconds: float
    schema: str
    params: Sequence[Field]
    result: Sequence[Field]
    examples: Sequence[Exchange]


def fields(schema: Schema, prefix: str = "") -> Iterator[Field]:
    """Give the fields of an object, and of objects within it that have no name of their own."""
    required = set(schema.get("required", ()))
    for name, part in schema.get("properties", {}).items():
        shown = f"{prefix}{name}"
        optional = "" if name in required else " (may be left out)"
        yield Field(shown, form(part) + optional, meaning(part))
        if part.get("type") == "object" and "properties" in part:
            yield from fields(part, f"{shown}.")
        items: Schema = part["items"] if isinstance(part.get("items"), dict) else {}
        if items.get("type") == "object" and "properties" in items:
            yield from fields(items, f"{shown}[].")


def form(part: Schema) -> str:
    """Say in a few words what a value looks like."""
    if "$ref" in part:
        return f"[{part['$ref'].removeprefix(_COMMON)}](#{part['$ref'].removeprefix(_COMMON)})"
    if "const" in part:
        return f"`{part['const']}`"
    if "enum" in part:
        return " or ".join(f"`{word}`" for word in part["enum"])
    if "anyOf" in part:
        return " or ".join(form(one) for one in part["anyOf"])
    kind = part.get("type", "any value")
    if kind == "array":
        return f"list of {form(part['items']) if isinstance(part.get('items'), dict) else 'pairs'}"
    return str(kind) if isinstance(kind, str) else " or ".join(cast("list[str]", kind))


def meaning(part: Schema) -> str:
    """Give the description of a value, or of what it refers to."""
    if "description" in part:
        return str(part["description"])
    if "$ref" in part:
        return str(common()[part["$ref"].removeprefix(_COMMON)].get("description", ""))
    return ""


def common() -> Mapping[str, Schema]:
    """Give the values that several messages share."""
    shared: Mapping[str, Schema] = schemas.schema("common")["$defs"]
    return shared


def _methods(recorded: Sequence[Exchange]) -> Iterator[Method]:
    for name, file in schemas.METHODS.items():
        schema = schemas.schema(file)
        parts = schema["$defs"]
        result = parts["result"]
        if "$ref" in result:
            result = common()[result["$ref"].removeprefix(_COMMON)]
        yield Method(
            name,
            schema["description"],
            DEADLINES.get(name, CONTROL),
            file,
            list(fields(parts["params"])),
            list(fields(result)),
            [one for one in recorded if one.method == name],
        )


def page() -> str:
    """Make the page."""
    recorded = exchanges()
    environment = Environment(
        loader=PackageLoader("tck_kit", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 -- it makes Markdown out of our own schemas
    )
    environment.filters["cell"] = lambda text: str(text).replace("|", "\\|")
    return environment.get_template("driver-protocol.md.j2").render(
        methods=list(_methods(recorded)),
        unknown=[one for one in recorded if one.method not in schemas.METHODS],
        common={name: (part, list(fields(part))) for name, part in common().items()},
        payloads={name: (part, list(fields(_resolved(part)))) for name, part in _parts("stimulus-send", "payloads")},
        rows={name: (part, list(fields(_resolved(part)))) for name, part in _parts("state-query", "rows")},
        features=FEATURES,
        access=ACCESS,
        course_features=COURSE_FEATURES,
        acts={name: (part, list(fields(part))) for name, part in _parts("course-cast", "acts")},
        base=schemas.BASE,
        most_bytes=MOST_BYTES,
        form=form,
    )


def _parts(file: str, name: str) -> list[tuple[str, Schema]]:
    parts: Mapping[str, Schema] = schemas.schema(file)["$defs"][name]
    return list(parts.items())


def _resolved(part: Schema) -> Schema:
    return common()[part["$ref"].removeprefix(_COMMON)] if "$ref" in part else part


def main() -> None:
    """Write the page to the file that is named."""
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
