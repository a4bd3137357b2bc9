"""What every log of ours in SARIF 2.1.0 has: its envelope, its encoding, and messages that are nothing but text."""

import re
from collections.abc import Mapping
from typing import Any, Final

from tck_reports.escaped import encode

__all__ = ["FINGERPRINT", "TOOL", "log", "plain"]

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
TOOL: Final = "session-tck"
#: What our fingerprints are called; a new way to make them gets a new number.
FINGERPRINT: Final = "sessionTck/v1"
#: What a message of SARIF takes for a link or a place for an argument, and no message of ours means so.
_LINK: Final = re.compile(r"\[(?=[^\]]*\]\()")
_ARGUMENT: Final = re.compile(r"\{(\d+)\}")


def log(run: Mapping[str, Any]) -> str:
    """Return the whole text of a log with one run."""
    return encode({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def plain(text: str) -> str:
    """Return the text such that a message shows it as it is."""
    return _ARGUMENT.sub(r"{{\1}}", _LINK.sub(r"\\[", text))
