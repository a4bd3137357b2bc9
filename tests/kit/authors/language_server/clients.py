"""A client of the language server: pygls' own, talking to a process, with what the server says put by."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, cast

from lsprotocol import types
from pygls.lsp.client import LanguageClient

#: The server as an editor starts it, and the same as a program, before which a test can put something.
COMMAND: Final = (sys.executable, "-m", "tck_kit.command_line", "lsp")
START: Final = """
import sys
from tck_kit.command_line import main
sys.argv = ["session-tck", "lsp"]
main()
"""

#: Longer than any answer takes on a machine that has other things to do.
PATIENCE: Final = 60.0


class Client:
    """One session."""

    def __init__(self) -> None:
        """Listen to what the server says by itself."""
        self.client = LanguageClient("tests", "1")
        self.published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.log: list[str] = []
        self.registered: list[str] = []
        self._register()

    def _register(self) -> None:
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.published.put_nowait(params)

        def logged(params: types.LogMessageParams) -> None:
            self.log.append(params.message)

        def registered(params: types.RegistrationParams) -> None:
            self.registered += [one.method for one in params.registrations]

        feature = cast("Any", self.client).feature
        feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(published)
        feature(types.WINDOW_LOG_MESSAGE)(logged)
        feature(types.CLIENT_REGISTER_CAPABILITY)(registered)

    async def diagnostics(self, uri: str, version: int | None = None) -> Sequence[types.Diagnostic]:
        """Wait for what is said of a text, of one version of it if one is named."""
        while True:
            said = await asyncio.wait_for(self.published.get(), PATIENCE)
            if said.uri == uri and (version is None or said.version == version):
                return said.diagnostics

    async def codes(self, uri: str, version: int | None = None) -> list[str]:
        return [str(one.code) for one in await self.diagnostics(uri, version)]

    def open(self, uri: str, text: str, language: str = "markdown", version: int = 1) -> None:
        item = types.TextDocumentItem(uri, language, version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, uri: str, version: int, *changes: types.TextDocumentContentChangeEvent) -> None:
        identifier = types.VersionedTextDocumentIdentifier(version, uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, changes))

    def close(self, uri: str) -> None:
        identifier = types.TextDocumentIdentifier(uri)
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(identifier))


def typed(line: int, column: int, text: str, *, length: int = 0) -> types.TextDocumentContentChangePartial:
    """Return a change in one line, in the client's way of counting."""
    place = types.Range(types.Position(line, column), types.Position(line, column + length))
    return types.TextDocumentContentChangePartial(place, text)


@asynccontextmanager
async def connected(
    *folders: Path,
    capabilities: types.ClientCapabilities | None = None,
    command: Sequence[str] = COMMAND,
    leave: bool = True,
) -> AsyncIterator[Client]:
    """Start a server and say hello; at the end say good-bye, and see that it goes as it should."""
    client = Client()
    await client.client.start_io(*command)
    await client.client.initialize_async(
        types.InitializeParams(
            capabilities=capabilities or types.ClientCapabilities(),
            workspace_folders=[types.WorkspaceFolder(one.as_uri(), one.name) for one in folders],
        )
    )
    client.client.initialized(types.InitializedParams())
    yield client
    if leave:
        await asyncio.wait_for(client.client.shutdown_async(None), PATIENCE)
        client.client.exit(None)
    await asyncio.wait_for(cast("Any", client.client).stop(), PATIENCE)
