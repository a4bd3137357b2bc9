"""The one template engine of all pages: what is put into a template is escaped, and what it lacks is an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from jinja2 import Environment


def template_engine(folder: str, filters: Mapping[str, Callable[..., object]]) -> Environment:
    """Return an engine for the templates of a folder of this package, with what they may call."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 -- slow to import, for pages alone

    engine = Environment(
        loader=PackageLoader("tck_reports", folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    cast("dict[str, Callable[..., object]]", engine.filters).update(filters)
    return engine
