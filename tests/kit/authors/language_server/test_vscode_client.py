"""A session with a client of other descent than the server: the one that Visual Studio Code is made of."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from ...needs import need  # noqa: TID252 -- the room that this one is in
from .clients import COMMAND, PATIENCE
from .rooms import FEATURE, SPECIFICATION

ROOT: Final = Path(__file__).parents[4]
PACKAGE: Final = "vscode-languageserver-protocol"
#: Where packages of npm are put that somebody wants to try the kit with.
PEERS: Final = ROOT / "build" / "peers" / "node_modules"


def _package() -> Path:
    if (PEERS / PACKAGE).exists():
        return PEERS
    message = f"{PACKAGE} is missing; install it with: npm install --prefix build/peers {PACKAGE}@3.17.5"
    if PACKAGE in os.environ.get("TCK_REQUIRE", "").split(","):
        pytest.fail(f"{message} (TCK_REQUIRE names it)", pytrace=False)
    pytest.skip(message)


def test_a_session_with_the_client_of_another_house(tmp_path: Path) -> None:
    node = need("node", "nodejs")
    (tmp_path / "tea.md").write_text(SPECIFICATION, encoding="utf-8")
    (tmp_path / "tea.feature").write_text(FEATURE.replace("@slow", "@pot-9"), encoding="utf-8")
    done = subprocess.run(
        (node, str(Path(__file__).with_name("vscode_client.cjs")), str(tmp_path), *COMMAND),
        capture_output=True,
        timeout=2 * PATIENCE,
        check=False,
        env={**os.environ, "NODE_PATH": str(_package())},
    )
    assert (done.returncode, done.stderr.decode()) == (0, "")
    told: dict[str, Any] = json.loads(done.stdout)
    document, feature = (tmp_path / "tea.md").as_uri(), (tmp_path / "tea.feature").as_uri()
    assert told["code"] == 0
    assert told["capabilities"]["positionEncoding"] == "utf-16"
    assert told["capabilities"]["renameProvider"] == {"prepareProvider": True}
    assert told["registered"] == ["workspace/didChangeWatchedFiles"]
    assert told["first"] == []
    assert [one["code"] for one in told["tags"]] == ["COV002"]
    assert told["hover"]["contents"]["kind"] == "markdown"
    assert "**POT-1**" in told["hover"]["contents"]["value"]
    assert [one["targetUri"] for one in told["definition"]] == [document]
    assert [one["label"] for one in told["completion"]["items"]] == ["@pot-1", "@pot-2"]
    assert [one["name"] for one in told["symbols"][0]["children"]] == ["§1 Pots", "§2 Cups"]
    assert told["prepared"]["placeholder"] == "POT-1"
    edited = {one["textDocument"]["uri"]: len(one["edits"]) for one in told["renamed"]["documentChanges"]}
    assert edited == {document: 5, feature: 2}
    (found,) = told["changed"]
    assert found["range"] == {"start": {"line": 13, "character": 7}, "end": {"line": 13, "character": 11}}
    assert told["actions"][0]["title"] == "Excuse XREF001 here, with a reason"
