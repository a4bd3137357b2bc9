"""Marked requirements: the forms in which documents give their requirements ids, and where the text of each stands.

::

    - **REQ-1**: The client MUST …            label
    The client MUST … {#REQ-1}                braces
    <!-- req: retry.once -->                  comment
    r[retry.once]                             rule
    #### Requirement 1.2.3                    numbered heading, the text in a block quote under it
    | REQ-1 | The client MUST … |             first cell of a row

Some of these mean nothing else. Others also occur where no requirement is meant: ``**SHA-256**`` is a hash. Those count
only where the document uses them as one uses ids; see :func:`used`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tck_spec.keywords import keywords_in
from tck_spec.passages import Passage, collapse
from tck_spec.references import area_of

__all__ = ["BY_PATTERN", "FORMS", "Form", "Marker", "Part", "Where", "is_family", "used"]

#: An id with capitals and a number, such as ``REQ-1``, ``FR-AUTH-012`` or ``R12``.
_ID: Final = (
    r"(?P<id>(?:[A-Z][A-Z0-9]{0,19}(?:[-_.][A-Z0-9]{1,20}){0,4}?[-_]|[A-Z][A-Z0-9]{1,19}\.|(?:R|RQ|REQ|FR|NFR|SR|UR)"
    r"|[Rr]eq(?:uirement)?[-_. ])"
    r"[0-9]{1,5}[a-z]?)(?![\w.-]*\w)"
)
#: "(security)", "(since 2.1)": but "(MUST)" is part of the text.
_REMARK: Final = r"(?:\s?\((?!MUST|SHALL|SHOULD|MAY|REQUIRED|RECOMMENDED|OPTIONAL)[^()\n]{0,40}\))?"
_TAG: Final = r"(?:<[a-z]{1,8}\s[^<>\n]{0,300}>\s*(?:</[a-z]{1,8}>\s*)?)?"

#: Where a marker is looked for: at the start of a passage, as its first line, anywhere in it, in a heading, in an HTML
#: comment, in a tag at the start, or as the first cell of a row.
Where = Literal["start", "line", "anywhere", "heading", "comment", "tag", "cell"]


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write an id."""

    name: str
    pattern: re.Pattern[str]
    where: Where
    #: Whether it counts only where the document uses it as ids are used.
    weak: bool
    #: Whether its text is a whole sentence, so that three words are too few.
    sentence: bool = True


FORMS: Final = (
    Form(
        "comment",
        re.compile(
            r"<!--\s*req(?:uirement)?(?:-?id)?\s*[:=]\s*(?P<id>[^\s<>:,]{1,100}(?::[^\s<>:,]{1,100})?)\s*-->",
            re.IGNORECASE,
        ),
        "comment",
        weak=False,
    ),
    Form(
        "rule",
        re.compile(r"r\[(?P<id>[A-Za-z_][\w:-]{0,99}(?:\.[\w:-]{1,99}){0,20})\][ \t]*(?=\n|\Z)"),
        "line",
        weak=False,
        sentence=False,
    ),
    Form(
        "numbered heading",
        re.compile(r"(?:Conditional\s+)?(?P<id>Requirement\s+\d+(?:\.\d+){1,9}[a-z]?)(?=\s|:|\Z)"),
        "heading",
        weak=False,
    ),
    Form("heading", re.compile(rf"\[?{_ID}\]?(?=[\s:.]|\Z)"), "heading", weak=True),
    Form(
        "label",
        re.compile(
            rf"{_TAG}(?:(?:\*\*|__)[\[(]?{_ID}[\])]?\s?[:.]?(?:\*\*|__)(?:{_REMARK}[:.])?[:.]?"
            rf"|\[{_ID.replace('<id>', '<b>')}\](?![(\[:])"
            rf"|`?{_ID.replace('<id>', '<c>')}`?{_REMARK}(?::|\s[—–-])(?=\s))"
        ),
        "start",
        weak=True,
    ),
    Form("braces", re.compile(rf"\{{:?\s?#{_ID}\s?\}}"), "anywhere", weak=True),
    Form(
        "anchor",
        re.compile(rf"<[a-z]{{1,8}}\s[^<>]{{0,200}}?\b(?:id|name)\s?=\s?[\"']?{_ID}[\"']?[\s/>]"),
        "tag",
        weak=True,
    ),
    Form("cell", re.compile(rf"\[?{_ID}\]?\Z"), "cell", weak=True),
)
#: The ids that a pattern of the author's finds.
BY_PATTERN: Final = Form("pattern", re.compile(r"(?!)"), "start", weak=False)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: What looks like an area with a number and is the name of a standard, an algorithm or a figure.
_FAMILIES: Final = _words(
    "AES ANSI ASCII BASE BCP BLAKE CHACHA CRC CVE CWE DES DIN ECMA ED EN ES FIG FIGURE FIPS GH GHSA HMAC HS HTTP HTTPS "
    "IEC IEEE IPV ISO ITU JSR LATIN MD ML NIST OAUTH OCI P PEP PKCS PR PS RFC RIPEMD RS RSA SEC SECP SEP SHA SHAKE SHS "
    "SP STD TABLE TLS SSL TODO UAX UCS UTC UTF USB UTS WEBSOCKET X XML YAML SOC PCI CC CAP CIP EIP ERC BIP KEP ADR LTS "
    "GPL LGPL AGPL APACHE MPL BSD CPU GPU ISSUE STEP SECTION APPENDIX CHAPTER VERSION V AUTHOR DRAFT HTML CSS"
)
#: Areas that say themselves what they are.
_PLAIN: Final = _words("R RQ REQ REQS REQUIREMENT FR NFR SR UR")
#: How many ids an area has to have.
_SEVERAL: Final = 2

#: A part of a passage's plain text, or the text of a block of code.
Part = tuple[Passage, int, int] | str


@dataclass(frozen=True, slots=True)
class Marker:
    """One id where it is defined, and the text it marks."""

    id: str
    form: Form
    line: int
    column: int
    #: The parts of its text; none where the id has no text, or only names a section.
    parts: tuple[Part, ...]
    #: Index into the sections.
    section: int
    #: Index of the block it stands in.
    block: int
    #: The how-manieth paragraph of its section it stands in, from 1.
    paragraph: int = 1
    #: Whether it stands above a heading, and so names a section.
    names_section: bool = False
    #: The condition of a conditional requirement.
    condition: str = ""

    @property
    def area(self) -> str:
        """Its part before the number."""
        return area_of(self.id)

    @property
    def masked(self) -> str:
        """Its text with code masked."""
        return " ".join(part[0].masked[part[1] : part[2]] for part in self.parts if not isinstance(part, str))

    @property
    def text(self) -> str:
        """Its text without Markdown, white space collapsed."""
        return collapse(
            " ".join(part if isinstance(part, str) else part[0].text_between(*part[1:]) for part in self.parts)
        )


def is_family(identifier: str) -> bool:
    """Tell whether an id is the name of a standard or an algorithm, such as SHA-256."""
    return re.split(r"[^A-Z]", area_of(identifier).upper(), maxsplit=1)[0] in _FAMILIES


def used(markers: Sequence[Marker]) -> tuple[Marker, ...]:
    """Return the markers that are meant as ids.

    Those of the forms that mean nothing else are. Of the others, an area counts (``AUTH`` of ``AUTH-7``) if it is no
    well-known name such as SHA, if it has two ids or more or is called REQ or the like, and if half of its texts or
    more have a key word.
    """
    areas: dict[str, list[Marker]] = {}
    for marker in markers:
        if marker.form.weak:
            areas.setdefault(area_of(marker.id), []).append(marker)
    meant = {area for area, members in areas.items() if _is_used(area, members)}
    return tuple(one for one in markers if not one.form.weak or area_of(one.id) in meant)


def _is_used(area: str, members: Sequence[Marker]) -> bool:
    if is_family(members[0].id):
        return False
    if len({one.id for one in members}) < _SEVERAL and area.upper() not in _PLAIN:
        return False
    binding = sum(1 for one in members if any(keywords_in(one.masked)))
    return binding * 2 >= len(members)
