"""A difference as a comment on a change: the verdict first, details folded, and a mark by which a bot finds its own.

Whatever an engine or a specification supplied stands in code spans, where nobody is called, nothing is linked, and no
markup is obeyed. A comment on GitHub has room for 65,536 characters; rows are left out, and counted, until it fits.
"""

import re
from collections.abc import Iterator
from typing import Final

from tck_reports.difference.sections import Row, Section, between, headline, sections, totals, verdict
from tck_reports.difference.values import Difference
from tck_reports.outcomes import ExitCode
from tck_reports.plain import visible

#: Bytes, which are never fewer than the characters that the limit counts.
ROOM: Final = 65_000
MARK: Final = "session-tck diff"
_SIGNS: Final = {ExitCode.CONFORMANT: "✅", ExitCode.NONCONFORMANT: "❌", ExitCode.INCOMPLETE: "⚠️"}
_PROFILES: Final = 20
#: Rows of a section and characters of a text, each time the comment is too long for what was tried before.
_TIGHTER: Final = ((100, 300), (40, 200), (15, 120), (5, 80), (0, 40))


def mark(difference: Difference, name: str | None = None) -> str:
    """Return the line by which a bot finds the comment that it made before: one for each engine, or for each name."""
    told = re.sub(r"[^\w .+]+", "-", name or difference.new.engine, flags=re.ASCII).strip("-. ")[:80]
    return f"<!-- {MARK}: {told} -->"


def render(difference: Difference, name: str | None = None) -> str:
    """Return the whole comment; `name` tells it from others on the same change."""
    text = ""
    for rows, characters in _TIGHTER:
        text = "\n".join([mark(difference, name), *_Writer(rows, characters).lines(difference)]) + "\n"
        if len(text.encode()) <= ROOM:
            break
    return text


class _Writer:
    """Writes with so many rows a section, and so many characters of each text."""

    def __init__(self, rows: int, characters: int) -> None:
        self._rows = rows
        self._characters = characters

    def lines(self, difference: Difference) -> Iterator[str]:
        yield f"### {_SIGNS[difference.exit_code]} {headline(difference)}"
        yield ""
        yield between(difference, self._code)
        yield ""
        for one in difference.caveats:
            word = "**Not comparable**" if one.spoils else "Note"
            before, now = (self._code(text) if text else "no" for text in (one.old, one.new))
            yield f"- {word}, {one.subject}: {before} → {now}; {one.effect}"
        if difference.caveats:
            yield ""
        yield "| profile | before | now |"
        yield "|---|---|---|"
        for judgement in difference.verdicts[:_PROFILES]:
            before, now = verdict(judgement)
            # A code span in a table ends at a bar that is not escaped.
            profile = self._code(judgement.profile).replace("|", "\\|")
            yield f"| {profile} | {before} | {now if before == now else f'**{now}**'} |"
        yield ""
        yield f"Checks: {totals(difference)}."
        yield ""
        for section in sections(difference):
            yield from self._section(section)

    def _section(self, section: Section) -> Iterator[str]:
        title = f"{section.title} ({len(section.rows)})"
        if section.leading:
            yield from (f"**{title}**", "")
        else:
            yield from (f"<details><summary>{title}</summary>", "")
        for row in section.rows[: self._rows]:
            yield self._row(row)
        if len(section.rows) > self._rows:
            yield f"- and {len(section.rows) - self._rows} more"
        yield ""
        if not section.leading:
            yield from ("</details>", "")

    def _row(self, row: Row) -> str:
        told = "; ".join(self._code(text) for text in row.quoted)
        return f"- {self._code(row.id)} {row.told}{f': {told}' if told else ''}"

    def _code(self, text: str) -> str:
        flat = " ".join(visible(text).split())
        if len(flat) > self._characters:
            flat = f"{flat[: self._characters]}…"
        if not flat:
            return "–"
        fence = "`" * (1 + max((len(run) for run in re.findall("`+", flat)), default=0))
        inside = f" {flat} " if flat[0] == "`" or flat[-1] == "`" else flat
        return f"{fence}{inside}{fence}"
