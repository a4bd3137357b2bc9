"""The server: which function answers which message. What is answered is in the modules beside this one."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn, TypeVar, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from tck_kit import assets
from tck_kit.authors.language_server import symbols
from tck_kit.authors.language_server.actions import KINDS, Ability, actions
from tck_kit.authors.language_server.checking import Checking
from tck_kit.authors.language_server.completion import TRIGGERS, complete
from tck_kit.authors.language_server.desk import key_of, path_of
from tck_kit.authors.language_server.hover import hover
from tck_kit.authors.language_server.navigation import definition, references
from tck_kit.authors.language_server.positions import choose_encoding
from tck_kit.authors.language_server.renaming import NotRenamed, prepare, rename
from tck_kit.authors.language_server.stdio import Answered, Output, own_stdout, serve, start_reading
from tck_kit.authors.language_server.workspace import Workspace
from tck_spec.settings import SETTINGS_FILE

__all__ = ["run"]

_Answer = TypeVar("_Answer")

#: Files whose change can change what is found.
_WATCHED: Final = (f"**/{SETTINGS_FILE}", "**/*.md", "**/*.markdown", "**/*.feature", "**/*.jsonl")
_WATCH_ID: Final = "session-tck/files"

_INVALID_PARAMS: Final = -32602
_INVALID_REQUEST: Final = -32600
_NOT_INITIALIZED: Final = -32002
_REQUEST_FAILED: Final = -32803


class _Server(LanguageServer):
    """pygls' server, whose faults are told in the client's log instead of a window that somebody has to close."""

    def report_server_error(self, error: Exception, source: object) -> None:
        """Log a fault; pygls calls this for what happens outside of a request as well."""
        del source
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, f"{type(error).__name__}: {error}"))


def _plain(method: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a method as a function, on which pygls can leave its marks."""
    if not inspect.iscoroutinefunction(method):
        return lambda params: method(params)  # noqa: PLW0108 -- a method takes no marks

    async def answer(params: Any) -> object:  # noqa: ANN401 -- pygls hands the server over for a wider type
        return await method(params)

    return answer


class Session:
    """One client's session: what it can do, and what answers it."""

    def __init__(self, stop: asyncio.Event) -> None:
        """Register what is answered."""
        self.server = _Server("session-tck", assets.version(), types.TextDocumentSyncKind.Incremental)
        self.checking = Checking(self.server.text_document_publish_diagnostics, self._log)
        self.capabilities = types.ClientCapabilities()
        self.ability = Ability()
        self.initialized = self.ended = False
        self._stop = stop
        self._register()

    def _log(self, kind: types.MessageType, message: str) -> None:
        self.server.window_log_message(types.LogMessageParams(kind, message))

    def handle(self, message: Mapping[str, object]) -> None:
        """Handle one message. Raises `Answered` for a request that cannot be handled at all."""
        method = message.get("method")
        if self.ended and method != types.EXIT:
            raise Answered(_INVALID_REQUEST, "the server has been shut down")
        if not self.initialized and method not in (types.INITIALIZE, types.EXIT):
            raise Answered(_NOT_INITIALIZED, "the server has not been initialized")
        if self.initialized and method == types.INITIALIZE:
            raise Answered(_INVALID_REQUEST, "the server has been initialized already")
        try:
            structured = self.server.protocol.structure_message(cast("dict[str, Any]", message))
        except JsonRpcException as error:
            self._log(types.MessageType.Warning, f"a message could not be understood: {method}")
            raise Answered(_INVALID_PARAMS, f"the parameters of {method} are not those of the protocol") from error
        self.server.protocol.handle_message(cast("Any", structured))

    # What keeps the desk

    def _register(self) -> None:
        server = self.server
        # These keep pygls' own copy of the texts, and end the process from within the loop.
        own = cast("dict[str, object]", cast("Any", server.protocol.fm).builtin_features)
        for name in (
            types.TEXT_DOCUMENT_DID_OPEN,
            types.TEXT_DOCUMENT_DID_CHANGE,
            types.TEXT_DOCUMENT_DID_CLOSE,
            types.EXIT,
        ):
            del own[name]
        for name, handler in (
            (types.INITIALIZE, self._initialize),
            (types.INITIALIZED, self._initialized),
            (types.SHUTDOWN, self._shutdown),
            (types.EXIT, self._exit),
            (types.TEXT_DOCUMENT_DID_OPEN, self._did_open),
            (types.TEXT_DOCUMENT_DID_CHANGE, self._did_change),
            (types.TEXT_DOCUMENT_DID_CLOSE, self._did_close),
            (types.TEXT_DOCUMENT_DID_SAVE, self._files_changed),
            (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, self._files_changed),
            (types.WORKSPACE_DID_CHANGE_CONFIGURATION, self._files_changed),
            (types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, self._folders_changed),
            (types.TEXT_DOCUMENT_HOVER, self._hover),
            (types.TEXT_DOCUMENT_DEFINITION, self._definition),
            (types.TEXT_DOCUMENT_REFERENCES, self._references),
            (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, self._outline),
            (types.TEXT_DOCUMENT_DOCUMENT_LINK, self._links),
            (types.TEXT_DOCUMENT_PREPARE_RENAME, self._prepare_rename),
            (types.TEXT_DOCUMENT_RENAME, self._rename),
            (types.WORKSPACE_SYMBOL, self._symbols),
        ):
            server.feature(name)(_plain(handler))
        offered = types.CompletionOptions(trigger_characters=list(TRIGGERS))
        server.feature(types.TEXT_DOCUMENT_COMPLETION, offered)(_plain(self._completion))
        done = types.CodeActionOptions(code_action_kinds=list(KINDS))
        server.feature(types.TEXT_DOCUMENT_CODE_ACTION, done)(_plain(self._actions))

    def _initialize(self, params: types.InitializeParams) -> None:
        self.initialized = True
        self.capabilities = params.capabilities
        self.ability = Ability(params.capabilities)
        general = params.capabilities.general
        encoding = choose_encoding(general.position_encodings if general else None)
        uris = [one.uri for one in params.workspace_folders or ()]
        if not uris and params.root_uri:
            uris = [params.root_uri]
        elif not uris and params.root_path:
            uris = [Path(params.root_path).absolute().as_uri()]
        folders = tuple(path for path in (path_of(key_of(uri)) for uri in uris) if path)
        self.checking.desk = replace(self.checking.desk, folders=folders, encoding=encoding)

    def _initialized(self, _params: types.InitializedParams) -> None:
        workspace = self.capabilities.workspace
        watched = workspace.did_change_watched_files if workspace else None
        if watched is not None and watched.dynamic_registration:
            watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            registration = types.Registration(_WATCH_ID, types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            self.server.client_register_capability(types.RegistrationParams([registration]))

    def _shutdown(self, _params: object) -> None:
        self.ended = True

    def _exit(self, _params: object) -> None:
        self._stop.set()

    def _did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        self.checking.desk = self.checking.desk.opened(params.text_document)
        self.checking.touch(key_of(params.text_document.uri))

    def _did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        self.checking.desk = self.checking.desk.changed(params.text_document, params.content_changes)
        self.checking.touch(key_of(params.text_document.uri))

    def _did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        self.checking.desk = self.checking.desk.closed(uri)
        self.checking.forget(uri, key_of(uri))
        self.checking.touch_all()

    def _files_changed(self, _params: object) -> None:
        self.checking.forget_files()

    def _folders_changed(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        gone = {key_of(one.uri) for one in params.event.removed}
        added = [path for path in (path_of(key_of(one.uri)) for one in params.event.added) if path]
        kept = [one for one in self.checking.desk.folders if str(one) not in gone]
        self.checking.desk = replace(self.checking.desk, folders=tuple(dict.fromkeys((*kept, *added))))
        self.checking.forget_files()

    # What answers questions

    async def _ask(self, question: Callable[[Workspace], _Answer]) -> _Answer:
        try:
            return await self.checking.ask(question)
        except NotRenamed as reason:
            raise JsonRpcException(str(reason), _REQUEST_FAILED) from reason

    def _markdown(self, formats: object) -> bool:
        """Tell whether a client shows Markdown where it lists these formats; one that lists none shows text."""
        return types.MarkupKind.Markdown in cast("list[types.MarkupKind]", formats or [])

    async def _hover(self, params: types.HoverParams) -> types.Hover | None:
        key = key_of(params.text_document.uri)
        findings = await self.checking.findings(key)
        text = self.capabilities.text_document
        markdown = self._markdown(text.hover.content_format if text and text.hover else None)
        return await self._ask(lambda workspace: hover(workspace, key, params.position, findings, markdown=markdown))

    async def _completion(self, params: types.CompletionParams) -> types.CompletionList:
        key = key_of(params.text_document.uri)
        text = self.capabilities.text_document
        item = text.completion.completion_item if text and text.completion else None
        markdown = self._markdown(item.documentation_format if item else None)
        return await self._ask(lambda workspace: complete(workspace, key, params.position, markdown=markdown))

    async def _definition(self, params: types.DefinitionParams) -> list[types.LocationLink] | list[types.Location]:
        key = key_of(params.text_document.uri)
        found = await self._ask(lambda workspace: definition(workspace, key, params.position))
        text = self.capabilities.text_document
        if text and text.definition and text.definition.link_support:
            return found
        return [types.Location(one.target_uri, one.target_selection_range) for one in found]

    async def _references(self, params: types.ReferenceParams) -> list[types.Location]:
        key = key_of(params.text_document.uri)
        declaration = params.context.include_declaration
        return await self._ask(lambda workspace: references(workspace, key, params.position, declaration=declaration))

    async def _actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        key = key_of(params.text_document.uri)
        findings = await self.checking.findings(key)
        only = None if params.context.only is None else [str(getattr(one, "value", one)) for one in params.context.only]
        return await self._ask(
            lambda workspace: actions(workspace, key, params.range, findings, only=only, ability=self.ability)
        )

    async def _outline(
        self, params: types.DocumentSymbolParams
    ) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
        key = key_of(params.text_document.uri)
        found = await self._ask(lambda workspace: symbols.outline(workspace, key))
        text = self.capabilities.text_document
        if text and text.document_symbol and text.document_symbol.hierarchical_document_symbol_support:
            return found
        return list(symbols.flat(found, params.text_document.uri))

    async def _symbols(self, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        return await self._ask(lambda workspace: symbols.requirements(workspace, params.query))

    async def _links(self, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
        key = key_of(params.text_document.uri)
        return await self._ask(lambda workspace: symbols.links(workspace, key))

    async def _prepare_rename(self, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        key = key_of(params.text_document.uri)
        return await self._ask(lambda workspace: prepare(workspace, key, params.position))

    async def _rename(self, params: types.RenameParams) -> types.WorkspaceEdit | None:
        key = key_of(params.text_document.uri)
        return await self._ask(lambda workspace: rename(workspace, key, params.position, params.new_name, self.ability))


def run() -> NoReturn:
    """Serve one client over the standard streams; exit with 0 where it said good-bye as the protocol asks, else 1."""
    try:
        code = asyncio.run(_serve(own_stdout()))
    except KeyboardInterrupt:
        code = 1
    sys.stderr.flush()
    # A check that is under way is of no use to anybody any more, and an ordinary end would wait for it.
    os._exit(code)


async def _serve(stream: BinaryIO) -> int:
    stop = asyncio.Event()
    session = Session(stop)
    output = Output(stream, stop.set)
    session.server.protocol.set_writer(output)
    checking = asyncio.ensure_future(session.checking.run())
    loop = asyncio.get_running_loop()
    for ending in (signal.SIGTERM, signal.SIGHUP):
        # An exception in the midst of anything could be taken for its own by whoever catches all.
        loop.add_signal_handler(ending, stop.set)
    reader = start_reading(loop, 0)
    try:
        await serve(reader, session.handle, output, stop)
    except ValueError as error:
        sys.stderr.write(f"session-tck lsp: what came in is no message of the protocol: {error}\n")
    finally:
        checking.cancel()
        session.checking.end()
    return 0 if session.ended else 1
