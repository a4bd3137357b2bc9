"""Showing what was found: in the format that was asked for, on standard output or in a file, and as an exit code."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from tck_kit import assets
from tck_kit.authors.checked import root_of
from tck_kit.faults import UsageFault
from tck_reports.outcomes import ExitCode

if TYPE_CHECKING:
    from tck_kit.authors.checked import Checked
    from tck_reports.findings.listing import Listing, RuleText
    from tck_spec.findings import Severity

__all__ = ["Shown", "colours", "listing_of", "say"]

_STANDARD_OUTPUT: Final = Path("-")
_PIECE: Final = 8_192
#: What makes a check fail unless it is strict.
ERRORS: Final[frozenset[Severity]] = frozenset(("E",))


@dataclass(frozen=True, slots=True)
class Shown:
    """How findings are to be shown."""

    form: str = "text"
    #: A file to write; None and ``-`` are standard output.
    output: Path | None = None
    color: bool = False
    context: bool = False
    #: The severities that make the check fail.
    failing: frozenset[Severity] = ERRORS

    def show(self, checked: Checked) -> int:
        """Write the findings, and return the exit code."""
        text = self.text(checked)
        if self.output is None or self.output == _STANDARD_OUTPUT:
            say(text)
        else:
            _write(self.output, text.encode("utf-8", "backslashreplace"))
            from tck_reports.findings.one_line import summary  # noqa: PLC0415 -- as below

            sys.stderr.write(f"{summary(listing_of(checked, self.failing))}\n")
        return self.code(checked)

    def text(self, checked: Checked) -> str:
        """Return the findings in the format."""
        from tck_reports.findings import render  # noqa: PLC0415 -- `--help` starts faster

        listing = listing_of(checked, self.failing, self._rules(checked))
        if self.form != "text":
            return render(self.form, listing)
        from tck_reports.findings.one_line import lines  # noqa: PLC0415 -- the same

        width = shutil.get_terminal_size().columns
        shown = lines(listing, color=self.color, context=self.context, width=width)
        return "".join(f"{line}\n" for line in shown)

    def code(self, checked: Checked) -> int:
        """Return the exit code."""
        failed = any(one.severity in self.failing for one in checked.findings)
        return ExitCode.NONCONFORMANT if failed else ExitCode.CONFORMANT

    def _rules(self, checked: Checked) -> dict[str, RuleText]:
        if self.form == "text":
            return {}
        from tck_kit.authors.rule_texts import rule_texts  # noqa: PLC0415 -- the text form does without
        from tck_spec.rules import severities  # noqa: PLC0415 -- the same

        return rule_texts(severities(checked.settings), pages=self.form == "sarif")


def listing_of(
    checked: Checked, failing: frozenset[Severity] = ERRORS, rules: dict[str, RuleText] | None = None
) -> Listing:
    """Return what the writers of formats take."""
    from tck_reports.findings.listing import Listing  # noqa: PLC0415 -- `--help` starts faster

    return Listing(
        findings=checked.findings,
        files=checked.files,
        texts={one.source: one.text for one in checked.documents},
        rules=rules or {},
        root=root_of(Path.cwd()),
        failing=failing,
        requirements=checked.requirements,
        sections=checked.sections,
        version=assets.version() if rules else "",
    )


def say(text: str) -> None:
    """Write to standard output in pieces: without a buffer behind it, a part of a large one may be lost in silence."""
    for start in range(0, len(text), _PIECE):
        sys.stdout.write(text[start : start + _PIECE])


def colours(wanted: bool | None, stream: TextIO) -> bool:  # noqa: FBT001 -- it is the value of an option
    """Tell whether to write in colours: as the option says, else on a terminal that has not asked for none."""
    if wanted is not None:
        return wanted
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def _write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; what is no file, such as a pipe, is written to as it is."""
    from tck_reports.files import write_whole  # noqa: PLC0415 -- only where a file is asked for

    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise UsageFault("is a folder", str(path), "name a file in it")
    if not target.parent.is_dir():
        raise UsageFault("there is no such folder", str(path.parent), "make it, or name another file")
    if not target.exists() or target.is_file():
        write_whole(target, content)
        return
    try:
        with target.open("wb") as stream:
            stream.write(content)
    except OSError as error:
        raise UsageFault(f"cannot be written ({error.strerror})", str(path), "name a file") from error
