"""`session-tck lsp`: the language server."""

from __future__ import annotations

from importlib.util import find_spec

import click

from tck_kit.faults import UsageFault


@click.command()
def lsp() -> None:
    """Serve an editor: findings while you type, completion, navigation, renaming and quick fixes.

    Speaks the language server protocol over standard input and output, for Markdown and .feature files. An editor
    starts it; there is nothing to type here. Exit code: 0 shut down by the editor, 1 ended without that, 2 usage.
    """
    for package in ("pygls", "lsprotocol"):
        if find_spec(package) is None:
            raise UsageFault(f"the package {package} is not installed", "lsp", "pip install 'session-tck[authors]'")
    from tck_kit.authors.language_server.server import run  # noqa: PLC0415 -- an optional package is needed for it

    run()
