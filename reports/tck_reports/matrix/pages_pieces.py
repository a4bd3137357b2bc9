"""Small pieces of markup that every page of the site is put together from: signs, verdicts, days, little lines.

A site of many reports has some hundred thousand cells, so what stands in a table is made of texts that are looked up
and joined; whatever is not known beforehand goes through `safe`.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from html import escape
from typing import Final

from markupsafe import Markup

from tck_reports.formats.html_parts import LOOKS
from tck_reports.matrix.model import ABSENT, SIGNS, ProfileVerdict, Row
from tck_reports.outcomes import MEANINGS, Outcome

#: Longer texts of an engine are cut on pages; the data behind them has the whole.
LONGEST: Final = 280
LONGEST_NAME: Final = 80
RESULT_LOOKS: Final[Mapping[str, str]] = {"conformant": "good", "nonconformant": "bad", "indeterminate": "open"}
#: What the look of an outcome says to a reader, and its sign.
LEGEND: Final = (
    ("good", "✓", "passed"),
    ("bad", "✕", "did not pass"),
    ("open", "?", "not run, so undecided"),
    ("none", "–", "not counted: declined, not applicable, or excluded with a reason"),
)

#: The look of each sign, and its word.
LOOK_OF: Final[Mapping[str, str]] = {sign: LOOKS[outcome] for outcome, sign in SIGNS.items()} | {ABSENT: "absent"}
WORD_OF: Final[Mapping[str, str]] = {sign: outcome.replace("_", " ") for outcome, sign in SIGNS.items()} | {
    ABSENT: "not asked"
}
MEANING_OF: Final[Mapping[str, str]] = {sign: MEANINGS[outcome].explanation for outcome, sign in SIGNS.items()} | {
    ABSENT: "not in the specification or the profiles that were run"
}
#: One letter per look, so that a row of cells can be counted as a text.
INITIALS: Final = str.maketrans({sign: look[0] if look != "absent" else ABSENT for sign, look in LOOK_OF.items()})
PASSED: Final = SIGNS[Outcome.PASSED]
#: What an outcome rests on.
EVIDENCE: Final[Mapping[str, str]] = {"w": "witnessed", "r": "reported", "-": ""}

_LITTLE: Final = 200
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def look_of(sign: str, *, firm: bool) -> str:
    """Return the look by which an outcome is counted: what passed in a run that was not whole is undecided."""
    return LOOK_OF[sign] if firm or sign != PASSED else "open"


def whole(row: Row) -> bool:
    """Whether the run was whole, so that its passes may look like passes."""
    return row.complete and not row.obstacles and row.shard is None


def cell(sign: str, *, firm: bool = True, words: str = "") -> str:
    """Return a cell of a table: a sign with a word for who does not see it; what passed in half a run is pale."""
    classes = f"c {LOOK_OF[sign]}" if firm or sign != PASSED else "c good frail"
    return f'<td class="{classes}"><i>{words or WORD_OF[sign]}</i></td>'


#: The cell of each sign, in a run that was whole and in one that was not.
CELLS: Final[Mapping[bool, Mapping[str, str]]] = {
    firm: {sign: cell(sign, firm=firm) for sign in LOOK_OF} for firm in (True, False)
}


def _badge(sign: str, *, firm: bool) -> Markup:
    look = LOOK_OF[sign] if firm or sign != PASSED else "good frail"
    return Markup(f'<span class="badge {look}">{WORD_OF[sign]}</span>')  # noqa: S704 -- both come from the tables above


#: The word of an outcome with its sign, in a run that was whole and in one that was not.
BADGES: Final[Mapping[bool, Mapping[str, Markup]]] = {
    firm: {sign: _badge(sign, firm=firm) for sign in LOOK_OF} for firm in (True, False)
}


def badge(sign: str, *, firm: bool = True) -> Markup:
    """Return the word of an outcome with its sign."""
    return BADGES[firm][sign]


def safe(text: str, longest: int = LONGEST) -> str:
    """Return a text of anybody's as markup that shows it, cut where it is long."""
    return escape(cut(text, longest))


def cut(text: str, longest: int = LONGEST) -> str:
    """Return the beginning of a text."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def named(text: str) -> Markup:
    """Return a name of an engine's, kept from turning the text around it."""
    return Markup(f"<bdi>{safe(text, LONGEST_NAME)}</bdi>")  # noqa: S704 -- `safe` has escaped it


def many(count: int, one: str) -> str:
    """Return a count with what is counted."""
    return f"{count} {one}{'' if count == 1 else 's'}"


def aside(wrong: int) -> str:
    """Say beside a count of engines how many are left out of it because they are wrong on purpose."""
    return f" ({wrong} wrong on purpose not counted)" if wrong else ""


def day(instant: str) -> str:
    """Return the day of an instant, such as 30 Nov 2026."""
    try:
        date = datetime.fromisoformat(instant)
    except ValueError:
        return cut(instant, 40)
    return f"{date.day} {_MONTHS[date.month - 1]} {date.year}"


@lru_cache(maxsize=4096)
def when(instant: str) -> Markup:
    """Return the day of an instant, which has the instant itself behind it."""
    exact = escape(cut(instant, 40))
    return Markup(f'<time datetime="{exact}">{escape(day(instant))}</time>')  # noqa: S704 -- escaped


def verdict(one: ProfileVerdict) -> Markup:
    """Return the verdict of a profile in the few words that fit into a table."""
    basis = " witnessed" if one.result == "conformant" and one.witnessed else ""
    return Markup(  # noqa: S704 -- the names are escaped, the rest are numbers and words of ours
        f'<span class="verdict {RESULT_LOOKS[one.result]}"><b>{safe(one.profile, 20)}</b> '
        f'<span class="unseen">{one.result}</span> {one.numerator}/{one.denominator}<small>{basis}</small></span>'
    )


def verdicts(row: Row) -> Markup:
    """Return the verdicts of all profiles of a row; of an engine that was never run, why not."""
    if row.absence is not None:
        return Markup('<span class="verdict open"><b>{}</b></span>').format(row.absence)
    said = Markup("").join(verdict(one) for one in row.verdicts.values())
    note = Markup() if whole(row) else Markup('<span class="verdict open"><b>incomplete</b></span>')
    return said + note


def share(row: Row) -> tuple[int, int]:
    """Return how many requirements passed, of how many that count, over all profiles."""
    own = row.verdicts.values()
    return sum(one.numerator for one in own), sum(one.denominator for one in own)


def by_version(rows: Iterable[Row], most: int) -> tuple[Row, ...]:
    """Return the row that speaks for each of the latest versions, the oldest first."""
    speaking: dict[str, Row] = {}
    for row in rows:
        speaking.setdefault(row.version, row)
    return tuple(speaking.values())[:most][::-1]


def line(points: Sequence[tuple[int, int]], words: str, *, width: int = 120, height: int = 28) -> Markup:
    """Return a little line of passed over counted, from the oldest to the newest; `words` say it to who cannot see.

    It is at the top where everything passed and at the bottom where nothing did, and both ends are drawn as well.
    """
    parts = [passed / counted if counted else 0.0 for passed, counted in points]
    room, right = height - 6, width - 6
    step = right / max(len(parts) - 1, 1)
    places = [(3 + at * step, 3 + room * (1 - part)) for at, part in enumerate(parts)]
    drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    # A large one shows each version, a little one the last.
    dots = places if width > _LITTLE else places[-1:]
    marks = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5"/>' for x, y in dots)
    return Markup(  # noqa: S704 -- numbers, and escaped words
        f'<svg class="line" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{escape(words)}"><path d="M0 3H{width}M0 {height - 3}H{width}"/>'
        f'<polyline points="{drawn}"/>{marks}</svg>'
    )


def course(rows: Sequence[Row]) -> str:
    """Say in words what a little line shows."""
    said = [f"{passed} of {counted} in {cut(row.version, 30)}" for row in rows for passed, counted in [share(row)]]
    shown = said if len(said) <= 6 else [*said[:3], "…", *said[-3:]]  # noqa: PLR2004 -- as many as can be listened to
    return f"passed over {len(rows)} versions: {', '.join(shown)}"


def trend(rows: Iterable[Row], most: int = 40) -> Markup:
    """Return the little line of an engine over its versions; nothing where there is one version only."""
    speaking = by_version(rows, most)
    if len(speaking) < 2:  # noqa: PLR2004 -- a line has two ends
        return Markup()
    return line([share(row) for row in speaking], course(speaking))
