"""An answer in the form that a request wants by a JSON schema: wherever a text may stand, the reply does."""

from __future__ import annotations

import json
from functools import reduce
from typing import Any, Final, cast

from tck_fakes.modelserver.wire import Json

#: Where each protocol has the schema.
_PLACES: Final = (
    ("output_config", "format", "schema"),
    ("output_format", "schema"),
    ("text", "format", "schema"),
    ("response_format", "json_schema", "schema"),
)
_DEEPEST: Final = 20


def shaped(body: Json, text: str) -> str:
    """Give the text as it is, or as the JSON that the request wants."""
    for place in _PLACES:
        schema = reduce(_inside, place, cast("object", body))
        if isinstance(schema, dict):
            return json.dumps(_filled(cast("Json", schema), text, 0))
    return text


def _inside(value: object, field: str) -> object:
    return cast("Json", value).get(field) if isinstance(value, dict) else None


def _filled(schema: Json, text: str, depth: int) -> Any:  # noqa: ANN401 -- a value of the schema's type
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    kind: object = schema.get("type")
    if isinstance(kind, list):
        kind = cast("list[object]", kind)[0] if kind else None
    if kind == "object" or "properties" in schema:
        inside: object = schema.get("properties")
        if not isinstance(inside, dict) or depth > _DEEPEST:
            return {}
        return {
            name: _filled(cast("Json", one) if isinstance(one, dict) else {}, text, depth + 1)
            for name, one in cast("Json", inside).items()
        }
    simple: dict[object, Any] = {"array": [], "boolean": False, "integer": 0, "number": 0, "null": None}
    return simple.get(kind, text) if isinstance(kind, str) else text
