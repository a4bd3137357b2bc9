"""The matrix for a terminal: a line for each engine, with the verdicts of its newest version."""

from typing import IO, TYPE_CHECKING, Final

from tck_reports.matrix.model import Engine, Site
from tck_reports.terminal import STYLES

if TYPE_CHECKING:
    from rich.text import Text

#: So many engines are listed; the site has all of them.
LISTED: Final = 30
#: Of more profiles the verdicts stand in one column, a line each.
MOST_COLUMNS: Final = 2


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
    # What no engine is held against together would be columns of nothing.
    columns = site.profiles if len(site.profiles) <= MOST_COLUMNS else ("verdict",)
    for head in columns:
        table.add_column(Text(head))
    for engine in site.engines[:LISTED]:
        newest = engine.newest
        verdicts = [_verdict(engine, profile) for profile in site.profiles]
        if len(columns) < len(verdicts):
            verdicts = [_verdicts(engine)]
        table.add_row(Text(engine.title), Text(newest.version), Text(newest.spec_version), *verdicts)
    console.print(table)
    if len(site.engines) > LISTED:
        rest = len(site.engines) - LISTED
        console.print(Text(f"and {rest} more {'engine' if rest == 1 else 'engines'}", "dim"))


def _verdicts(engine: Engine) -> "Text":
    from rich.text import Text  # noqa: PLC0415 - as above

    if engine.newest.absence is not None:
        return Text(engine.newest.absence, STYLES["indeterminate"])
    return Text("\n").join(
        Text.assemble(f"{profile} ", _verdict(engine, profile)) for profile in engine.newest.verdicts
    )


def _verdict(engine: Engine, profile: str) -> "Text":
    from rich.text import Text  # noqa: PLC0415 - as above

    verdict = engine.newest.verdicts.get(profile)
    if verdict is None:
        return Text("–", "dim")
    return Text(f"{verdict.result} {verdict.numerator}/{verdict.denominator}", STYLES[verdict.result])
