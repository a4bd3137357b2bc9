"""The server as a process, talked to by a client over its standard streams."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Final, cast

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tck_kit.authors.language_server.checking import settings_diagnostic
from tck_spec.specification import MOST_BYTES

from .clients import COMMAND, PATIENCE, START, connected, typed
from .rooms import FEATURE, SPECIFICATION

TEXT: Final = "# Tea\n\n## 1 Pots\n\n🫖 See §2.\n\n## 2 Cups\n"


def test_findings_come_while_somebody_types_and_go_when_the_text_is_closed(tmp_path: Path) -> None:
    uri = (tmp_path / "tea.md").as_uri()

    async def session() -> None:
        async with connected(tmp_path) as client:
            client.open(uri, TEXT)
            assert await client.diagnostics(uri, 1) == ()
            client.change(uri, 2, typed(4, 8, "9", length=1))
            (found,) = await client.diagnostics(uri, 2)
            assert (found.code, found.source, found.severity) == (
                "XREF001",
                "session-tck",
                types.DiagnosticSeverity.Error,
            )
            # The pot is two units of UTF-16.
            assert found.range == types.Range(types.Position(4, 7), types.Position(4, 9))
            client.close(uri)
            assert await client.diagnostics(uri) == ()

    asyncio.run(session())


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 9), ("utf-16", 7), ("utf-32", 6)])
def test_the_server_counts_as_the_client_asks_for(tmp_path: Path, encoding: str, column: int) -> None:
    uri = (tmp_path / "tea.md").as_uri()
    general = types.GeneralClientCapabilities(position_encodings=[encoding])

    async def session() -> None:
        async with connected(tmp_path, capabilities=types.ClientCapabilities(general=general)) as client:
            client.open(uri, TEXT)
            sign = 2 if encoding == "utf-8" else 1
            client.change(uri, 2, typed(4, column + sign, "9", length=1), typed(4, 0, "e\u0301 "))
            (found,) = await client.diagnostics(uri, 2)
            moved = column + (4 if encoding == "utf-8" else 3)
            assert found.range == types.Range(types.Position(4, moved), types.Position(4, moved + sign + 1))

    asyncio.run(session())


def test_of_many_changes_the_last_one_counts(tmp_path: Path) -> None:
    uri = (tmp_path / "tea.md").as_uri()

    async def session() -> None:
        async with connected(tmp_path) as client:
            client.open(uri, TEXT)
            for version in range(2, 60):
                client.change(uri, version, typed(4, 8, str(version % 9 + 1), length=1))
            versions: list[int] = []
            while not versions or versions[-1] != 59:
                said = await asyncio.wait_for(client.published.get(), PATIENCE)
                assert said.version is not None
                versions.append(said.version)
            assert versions == sorted(versions)
            assert len(versions) < 58
            assert [one.code for one in said.diagnostics] == ["XREF001"]
            assert "6" in said.diagnostics[0].message

    asyncio.run(session())


def test_a_document_and_its_scenarios_are_checked_with_each_other(tmp_path: Path) -> None:
    document, feature = (tmp_path / "tea.md").as_uri(), (tmp_path / "tea.feature").as_uri()

    async def session() -> None:
        async with connected(tmp_path) as client:
            client.open(document, SPECIFICATION)
            client.open(feature, FEATURE, "cucumber")
            assert await client.codes(feature) == []
            line = SPECIFICATION.split("\n").index(next(one for one in SPECIFICATION.split("\n") if "POT-1**" in one))
            column = SPECIFICATION.split("\n")[line].index("POT-1**") + 4
            client.change(document, 2, typed(line, column, "7", length=1))
            while await client.codes(feature) != ["COV002", "COV002"]:
                pass

    asyncio.run(session())


def test_a_change_of_the_settings_is_heard_of_and_checked_again(tmp_path: Path) -> None:
    uri, settings = (tmp_path / "tea.md").as_uri(), tmp_path / "session-tck.toml"
    text = TEXT.replace("§2", "§9")
    watched = types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
    workspace = types.WorkspaceClientCapabilities(did_change_watched_files=watched)
    event = types.FileEvent(settings.as_uri(), types.FileChangeType.Changed)

    async def session() -> None:
        async with connected(tmp_path, capabilities=types.ClientCapabilities(workspace=workspace)) as client:
            client.open(uri, text)
            assert await client.codes(uri) == ["XREF001"]
            assert client.registered == [types.WORKSPACE_DID_CHANGE_WATCHED_FILES]
            settings.write_text('[rules]\nXREF001 = "off"\n', encoding="utf-8")
            client.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
            assert await client.codes(uri) == []
            settings.write_text('[rules]\nXREF001 = "on"\nXREF01 = "off"\n', encoding="utf-8")
            client.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
            (fault,) = await client.diagnostics(settings.as_uri())
            assert "XREF01" in fault.message
            settings.write_text('[rules]\nXREF001 = "warning"\n', encoding="utf-8")
            client.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
            assert await client.diagnostics(settings.as_uri()) == ()
            (found,) = await client.diagnostics(uri)
            assert found.severity == types.DiagnosticSeverity.Warning

    asyncio.run(session())


def test_what_is_wrong_with_settings_is_shown_in_its_line() -> None:
    place = settings_diagnostic("/t/session-tck.toml", "/t/session-tck.toml:7: 'rules.X' is no setting; write Y")
    assert (place.range.start.line, place.message) == (6, "'rules.X' is no setting; write Y")
    place = settings_diagnostic("/t/s.toml", "/t/s.toml: is not TOML (Expected '=' (at line 3, column 2)); correct it")
    assert (place.range.start.line, place.message[:11]) == (2, "is not TOML")


def test_folders_come_and_go(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    (other / "tea.md").write_text(SPECIFICATION, encoding="utf-8")
    feature = (other / "tea.feature").as_uri()

    async def session() -> None:
        async with connected(one) as client:
            client.open(feature, FEATURE.replace("@slow", "@pot-7"), "cucumber")
            assert await client.codes(feature) == []
            folder = types.WorkspaceFolder(other.as_uri(), "other")
            event = types.WorkspaceFoldersChangeEvent(added=[folder], removed=[])
            client.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
            assert await client.codes(feature) == ["COV002"]
            event = types.WorkspaceFoldersChangeEvent(added=[], removed=[folder])
            client.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
            assert await client.codes(feature) == []

    asyncio.run(session())


def test_a_text_in_no_file_and_no_folder_is_checked_by_itself() -> None:
    async def session() -> None:
        async with connected() as client:
            client.open("untitled:Untitled-1", TEXT.replace("§2", "§9 and [x](y.md)"))
            assert await client.codes("untitled:Untitled-1") == ["XREF001"]

    asyncio.run(session())


def test_questions_are_answered_over_the_wire(tmp_path: Path) -> None:
    document, feature = (tmp_path / "tea.md").as_uri(), (tmp_path / "tea.feature").as_uri()
    (tmp_path / "tea.md").write_text(SPECIFICATION, encoding="utf-8")
    here = types.TextDocumentIdentifier(feature)
    there = types.TextDocumentIdentifier(document)
    tag = types.Position(2, 4)

    async def session() -> None:
        async with connected(tmp_path) as client:
            ask = client.client
            client.open(feature, FEATURE.replace("@slow", "@pot-9"), "cucumber")
            found = await client.diagnostics(feature)
            hover = await ask.text_document_hover_async(types.HoverParams(here, tag))
            assert hover is not None
            assert "The host MUST warm the pot." in str(hover.contents)
            assert isinstance(hover.contents, types.MarkupContent)
            assert hover.contents.kind == types.MarkupKind.PlainText
            (place,) = cast(
                "list[types.Location]", await ask.text_document_definition_async(types.DefinitionParams(here, tag))
            )
            assert (place.uri, place.range.start.line) == (document, 8)
            context = types.ReferenceContext(include_declaration=False)
            places = await ask.text_document_references_async(types.ReferenceParams(context, here, tag))
            assert places is not None
            assert len(places) == 5
            offered = await ask.text_document_completion_async(types.CompletionParams(here, types.Position(2, 3)))
            assert isinstance(offered, types.CompletionList)
            assert [one.label for one in offered.items] == ["@cup-1", "@pot-1", "@pot-2"]
            outline = await ask.text_document_document_symbol_async(types.DocumentSymbolParams(there))
            assert outline is not None
            assert [one.name for one in outline][:2] == ["Tea for two", "§1 Pots"]
            symbols = await ask.workspace_symbol_async(types.WorkspaceSymbolParams("cup"))
            assert symbols is not None
            assert [one.name[:5] for one in symbols] == ["POT-1", "CUP-1"][1:]
            links = await ask.text_document_document_link_async(types.DocumentLinkParams(here))
            assert links is not None
            assert [one.target for one in links] == [f"{document}#L9"] * 2
            actions = await ask.text_document_code_action_async(
                types.CodeActionParams(here, found[0].range, types.CodeActionContext(found))
            )
            assert actions == ()
            renamed = await ask.text_document_rename_async(types.RenameParams(here, tag, "pot-7"))
            assert renamed is not None
            assert renamed.changes is not None
            assert set(renamed.changes) == {document, feature}
            with pytest.raises(JsonRpcException, match=r"POT-2 is taken by line 10 of tea\.md") as refused:
                await ask.text_document_rename_async(types.RenameParams(here, tag, "pot-2"))
            assert refused.value.code == -32803

    asyncio.run(session())


def test_an_excuse_can_be_asked_for_and_done(tmp_path: Path) -> None:
    uri = (tmp_path / "tea.md").as_uri()

    async def session() -> None:
        async with connected(tmp_path) as client:
            client.open(uri, TEXT.replace("§2", "§9"))
            (found,) = await client.diagnostics(uri)
            actions = await client.client.text_document_code_action_async(
                types.CodeActionParams(types.TextDocumentIdentifier(uri), found.range, types.CodeActionContext([found]))
            )
            first = next(one for one in actions or () if isinstance(one, types.CodeAction))
            assert first.title == "Excuse XREF001 here, with a reason"
            assert first.edit is not None
            assert first.edit.changes is not None
            (edit,) = first.edit.changes[uri]
            excuse = edit.new_text.replace(": reason -->", ": so be it -->")
            assert excuse != edit.new_text
            client.change(uri, 2, types.TextDocumentContentChangePartial(edit.range, excuse))
            assert await client.codes(uri, 2) == []

    asyncio.run(session())


def test_a_text_that_is_too_large_does_not_keep_the_others_waiting(tmp_path: Path) -> None:
    large, small = (tmp_path / "large.md").as_uri(), (tmp_path / "small.md").as_uri()

    async def session() -> None:
        async with connected(tmp_path) as client:
            client.open(large, "x" * (MOST_BYTES + 1))
            assert await client.codes(large) == ["DOC003"]
            client.open(small, TEXT)
            assert await client.codes(small) == []

    asyncio.run(session())


HOSTILE: Final = (
    "",
    "\ufeff",
    "\0",
    "\ud800 lone [§](#\udfff) \udc00\n# \ud800\n- **A-1** (agreed): \ud83e",
    "[" * 5000,
    "> " * 5000 + "x",
    "|" * 5000 + "\n" + "|-" * 5000,
    "<!--" * 2000,
    "§" * 5000 + "9" * 5000,
    "\u2028\x85\x0b\x0c\r§9\r\r\n@x\n",
    "```\n" * 999,
    "@" * 5000,
)


def test_no_text_ends_the_server(tmp_path: Path) -> None:
    async def session() -> None:
        async with connected(tmp_path) as client:
            for number, text in enumerate(HOSTILE):
                for name, language in ((f"a{number}.md", "markdown"), (f"a{number}.feature", "cucumber")):
                    uri = (tmp_path / name).as_uri()
                    client.open(uri, text, language)
                    await client.diagnostics(uri)
                    here = types.TextDocumentIdentifier(uri)
                    for position in (types.Position(0, 0), types.Position(0, 3), types.Position(2**31 - 1, 2**31 - 1)):
                        await client.client.text_document_hover_async(types.HoverParams(here, position))
                        await client.client.text_document_completion_async(types.CompletionParams(here, position))
                        await client.client.text_document_definition_async(types.DefinitionParams(here, position))
                    await client.client.text_document_document_symbol_async(types.DocumentSymbolParams(here))
                    await client.client.text_document_document_link_async(types.DocumentLinkParams(here))
                    client.change(uri, 2, typed(2**31 - 1, 2**31 - 1, "\ud83e"), typed(0, 0, "\uded6"))
                    client.close(uri)
            assert client.log == []

    asyncio.run(session())


BROKEN_RULE: Final = """
from tck_spec.rules import numbers
def broken(context):
    raise RuntimeError("it is " + context.spec.title)
numbers.number_gap.__code__ = broken.__code__
"""


def test_a_rule_that_fails_is_logged_and_the_rest_is_shown(tmp_path: Path) -> None:
    uri = (tmp_path / "tea.md").as_uri()

    async def session() -> None:
        async with connected(tmp_path, command=(sys.executable, "-c", BROKEN_RULE + START)) as client:
            client.open(uri, TEXT.replace("§2", "§9"))
            assert await client.codes(uri) == ["XREF001"]
            client.change(uri, 2, typed(4, 0, " "))
            assert await client.codes(uri, 2) == ["XREF001"]
            (told,) = [one for one in client.log if "NUM002" in one]
            assert "RuntimeError: it is Tea" in told

    asyncio.run(session())


# The protocol itself, without a client that keeps to it


def _frame(message: object) -> bytes:
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def _request(identifier: int, method: str, params: object = None) -> bytes:
    return _frame({"jsonrpc": "2.0", "id": identifier, "method": method, "params": params})


def _notification(method: str, params: object = None) -> bytes:
    return _frame({"jsonrpc": "2.0", "method": method, "params": params})


HELLO: Final = _request(1, "initialize", {"capabilities": {}, "processId": None, "rootUri": None})


def _talk(*messages: bytes) -> tuple[int, list[dict[str, Any]], str]:
    """Send some bytes and close the stream; return the exit code, what was answered, and standard error."""
    done = subprocess.run(COMMAND, input=b"".join(messages), capture_output=True, timeout=PATIENCE, check=False)
    answers: list[dict[str, Any]] = []
    rest = done.stdout
    while rest:
        head, _, rest = rest.partition(b"\r\n\r\n")
        length = int(head.partition(b"Content-Length: ")[2].partition(b"\r\n")[0])
        answers.append(json.loads(rest[:length]))
        rest = rest[length:]
    return done.returncode, answers, done.stderr.decode()


def _errors(answers: list[dict[str, Any]]) -> list[tuple[object, int]]:
    return [(one["id"], one["error"]["code"]) for one in answers if "error" in one]


def test_an_exit_after_a_shutdown_is_0_and_all_else_1() -> None:
    goodbye = (_request(2, "shutdown"), _notification("exit"))
    code, answers, said = _talk(HELLO, *goodbye)
    assert (code, said, [one["id"] for one in answers]) == (0, "", [1, 2])
    assert _talk(HELLO, _notification("exit"))[0] == 1
    assert _talk(_notification("exit"))[0] == 1
    assert _talk(HELLO)[0] == 1
    assert _talk()[0] == 1
    assert _talk(HELLO, _request(2, "shutdown"))[0] == 0


def test_what_comes_too_early_or_too_late_is_refused() -> None:
    hover = {"textDocument": {"uri": "file:///a.md"}, "position": {"line": 0, "character": 0}}
    code, answers, _ = _talk(
        _request(9, "textDocument/hover", hover),
        HELLO,
        HELLO.replace(b'"id": 1', b'"id": 3'),
        _request(2, "shutdown"),
        _request(4, "textDocument/hover", hover),
        _notification("exit"),
    )
    assert code == 0
    assert _errors(answers) == [(9, -32002), (3, -32600), (4, -32600)]


def test_what_is_no_message_is_answered_as_such_and_the_next_one_is_heard() -> None:
    code, answers, _ = _talk(
        HELLO,
        _frame(b"{nonsense"),
        _frame(b"[" * 100_000),
        _frame([1]),
        _frame({"id": 5, "method": "shutdown"}),
        _request(6, "textDocument/hover", {"textDocument": 7}),
        _request(7, "textDocument/hover", {"textDocument": {"uri": "file:///a.md"}, "position": {"line": -1}}),
        _request(8, "no/such/method"),
        _notification("no/such/notification", {"jsonrpc": "2.0"}),
        _notification("$/cancelRequest", {"id": 77}),
        _request(2, "shutdown"),
        _notification("exit"),
    )
    assert code == 0
    assert _errors(answers) == [
        (None, -32700),
        (None, -32700),
        (None, -32600),
        (None, -32600),
        (6, -32602),
        (7, -32602),
        (8, -32601),
    ]


@pytest.mark.parametrize("noise", [b"\n" * 3 + b"x" * 100_000, b"Content-Length: 999999999999\r\n\r\n"])
def test_what_is_no_protocol_at_all_ends_with_one_line(noise: bytes) -> None:
    code, _, said = _talk(HELLO, noise)
    assert code == 1
    assert said.startswith("session-tck lsp: what came in is no message of the protocol")
    assert said.count("\n") == 1


def test_headers_are_read_as_their_standard_has_them() -> None:
    goodbye = _request(2, "shutdown").replace(b"Content-Length:", b"Content-Type: x\r\ncontent-length:")
    assert _talk(HELLO, goodbye, _notification("exit"))[0] == 0


def test_whatever_is_printed_is_no_part_of_the_protocol() -> None:
    loud = "import os\nfrom tck_kit.authors.language_server import checking\n"
    loud += "begin = checking.Checking.touch\n"
    loud += "def touch(self, key):\n    print('loud'); os.write(1, b'louder')\n    begin(self, key)\n"
    loud += "checking.Checking.touch = touch\n"
    text = {"textDocument": {"uri": "untitled:1", "languageId": "markdown", "version": 1, "text": "# A\n"}}
    done = subprocess.run(
        (sys.executable, "-c", loud + START),
        input=b"".join((HELLO, _notification("textDocument/didOpen", text), _request(2, "shutdown"))),
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert b"loud" not in done.stdout
    assert b"louder" in done.stderr


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_server_though_its_client_is_still_there(kind: signal.Signals) -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(HELLO)
        server.stdin.flush()
        server.stdout.readline()
        os.kill(server.pid, kind)
        assert server.wait(PATIENCE) == 1


def test_a_client_that_has_gone_ends_the_server() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdout.close()
        server.stdin.write(HELLO)
        server.stdin.flush()
        assert server.wait(PATIENCE) == 1


def test_without_the_extra_there_is_one_clear_message() -> None:
    hidden = "import sys\nsys.modules['pygls'] = None\n"
    done = subprocess.run(
        (sys.executable, "-c", hidden + START),
        capture_output=True,
        timeout=PATIENCE,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"session-tck[authors]" in done.stderr
    assert done.stderr.count(b"\n") == 1
