"""Rules that need more than a document: what finds them looks at scenarios as well.

They stand in the table so that they can be listed, switched off and excused as all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tck_spec.findings import Finding
    from tck_spec.rules.context import Context

__all__ = ["known_elsewhere"]


def known_elsewhere(_context: Context) -> Iterator[Finding]:
    """COV: coverage of requirements by scenarios, see :mod:`tck_spec.coverage`."""
    yield from ()
