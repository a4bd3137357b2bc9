"""The models that the server says it has, in each vendor's form. Any other name is answered too."""

from __future__ import annotations

from typing import Final

from tck_fakes.modelserver.asked import Protocol
from tck_fakes.modelserver.wire import CONTEXT, Json

#: Names that mean nothing to any CLI.
NAMES: Final = ("tck-large", "tck-small")
_CREATED, _CREATED_AT = 1_700_000_000, "2023-11-14T22:13:20Z"


def models(protocol: Protocol) -> Json:
    """Give the list."""
    listed = [model(protocol, name) for name in NAMES]
    if protocol == "messages":
        return {"data": listed, "has_more": False, "first_id": NAMES[0], "last_id": NAMES[-1]}
    return {"object": "list", "data": listed}


def model(protocol: Protocol, name: str) -> Json:
    """Give one of them, or of others."""
    if protocol == "messages":
        return {
            "type": "model",
            "id": name,
            "display_name": name,
            "created_at": _CREATED_AT,
            "max_input_tokens": CONTEXT,
            "max_tokens": 64_000,
        }
    return {"id": name, "object": "model", "created": _CREATED, "owned_by": "session-tck"}
