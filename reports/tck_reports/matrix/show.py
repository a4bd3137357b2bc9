"""The matrix for a terminal: a line for each engine, with the verdicts of its newest version."""

from typing import IO, TYPE_CHECKING, Final

from tck_reports.matrix.model import Engine, Site
from tck_reports.terminal import STYLES

if TYPE_CHECKING:
    from rich.text import Text

#: So many engines are listed; the site has all of them.
LISTED: Final = 30


def write(site: Site, stream: IO[str], *, width: int | None = None, color: bool | None = None) -> None:
    """Write the table to a stream; width and colour are those of the terminal unless given."""
    from rich import box  # noqa: PLC0415 - slow to import, and only terminals need it
    from rich.console import Console  # noqa: PLC0415 - as above
    from rich.table import Table  # noqa: PLC0415 - as above
    from rich.text import Text  # noqa: PLC0415 - as above

    console = Console(
        file=stream, width=width, force_terminal=color, no_color=True if color is False else None, highlight=False
    )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in ("engine", "version", "specification"):
        # What tells two engines apart may stand at the end of their names.
        table.add_column(Text(head), overflow="fold")
    for head in site.profiles:
        table.add_column(Text(head))
    for engine in site.engines[:LISTED]:
        newest = engine.newest
        verdicts = [_verdict(engine, profile) for profile in site.profiles]
        table.add_row(Text(engine.title), Text(newest.version), Text(newest.spec_version), *verdicts)
    console.print(table)
    if len(site.engines) > LISTED:
        rest = len(site.engines) - LISTED
        console.print(Text(f"and {rest} more {'engine' if rest == 1 else 'engines'}", "dim"))


def _verdict(engine: Engine, profile: str) -> "Text":
    from rich.text import Text  # noqa: PLC0415 - as above

    verdict = engine.newest.verdicts.get(profile)
    if verdict is None:
        return Text("–", "dim")
    return Text(f"{verdict.result} {verdict.numerator}/{verdict.denominator}", STYLES[verdict.result])
