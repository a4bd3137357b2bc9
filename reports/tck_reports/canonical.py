"""The digest of a report, and its JSON, by a faster way than the standard library's: the same bytes, or nothing.

Reading many reports is mostly this. `report.content_digest` says what the digest is; here it is computed by a library
in C, whose JSON differs from Python's in what is written outside ASCII and in the form of some numbers. The first is
put right, the second is looked for: where it may be, there is no answer, and the slow way decides.
"""

import codecs
from collections.abc import Mapping
from hashlib import sha256
from typing import Final

import orjson

from tck_reports.shape import Json

#: Escapes what is not ASCII as JSON does, with two escapes for what lies beyond 16 bits.
_ESCAPES: Final = "session-tck-json"
#: What stays as it is.
_ASCII: Final = bytes(range(0x7F))
#: So many different characters are replaced one after the other, which is faster than looking at each place.
_FEW: Final = 12
#: All digits as zeros, so that a number is found by its form.
_FORM: Final = bytes.maketrans(b"123456789", b"000000000")
#: No number that is written with an exponent has more characters before it.
_NEAR: Final = 40
_LONG: Final = b"0" * 16 + b"."
#: An exponent always has a sign.
_POWERS: Final = (b"0e-", b"0e+")
_SMALL: Final = b"0.0000"


def parsed(content: bytes) -> Json:
    """Return the value of some JSON, null where that has to be found out with Python's own parser.

    It may differ from Python's in integers of more than 64 bits only, and then has another digest.
    """
    try:
        return orjson.loads(content)
    except ValueError:
        return None


def as_written(value: Json, content: bytes) -> bool:
    """Whether some JSON is, to the byte, what `report.encode` writes of the value that was parsed from it.

    Then it says nothing twice: of a name that an object holds two times, a parser keeps one.
    """
    try:
        again = orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    except (TypeError, ValueError):
        return False
    return _in_ascii(again) == content


def quick_digest(report: Mapping[str, Json]) -> str | None:
    """Return `content_digest` of a report that was parsed from JSON, null where it has to be computed the slow way."""
    try:
        content = orjson.dumps(
            {name: value for name, value in report.items() if name != "digest"}, option=orjson.OPT_SORT_KEYS
        )
    except (TypeError, ValueError):  # lone surrogates, integers of more than 64 bits
        return None
    if _written_in_two_ways(content):
        return None
    return f"sha256:{sha256(_in_ascii(content)).hexdigest()}"


def _in_ascii(content: bytes) -> bytes:
    """Write what is not ASCII, and the delete character, as JSON's escapes; both stand inside texts only."""
    others = {*content.translate(None, _ASCII).decode("utf-8")}
    if len(others) > _FEW:
        return content.decode("utf-8").encode("ascii", _ESCAPES).replace(b"\x7f", b"\\u007f")
    for other in others:
        content = content.replace(other.encode("utf-8"), _escape(other).encode("ascii"))
    return content


def _written_in_two_ways(content: bytes) -> bool:
    """Whether there may be a number with an exponent, a very small, or a very large one; in a text that counts, too.

    A regular expression would take longer for this than all the rest.
    """
    if _SMALL in content:
        return True
    form = content.translate(_FORM)
    if _LONG in form:
        return True
    return any(_stands_as_a_number(form, power) for power in _POWERS)


def _stands_as_a_number(form: bytes, power: bytes) -> bool:
    at = form.find(power)
    while at >= 0:
        if form[max(0, at - _NEAR) : at].rstrip(b"0.-")[-1:] in {b":", b",", b"[", b""}:
            return True
        at = form.find(power, at + 1)
    return False


def _escaped(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return _escape(error.object[error.start : error.end]), error.end


def _escape(text: str) -> str:
    units = text.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


codecs.register_error(_ESCAPES, _escaped)
