"""A room to test in: files on disk, some of them open, and places found by the words that stand there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lsprotocol import types

from tck_kit.authors.language_server.desk import Desk
from tck_kit.authors.language_server.positions import Encoding, Text
from tck_kit.authors.language_server.workspace import Workspace

SPECIFICATION = """\
# Tea for two

Identifier: tea

## 1 Pots

### 1.1 Warming

- <a id="pot-1"></a>**POT-1** (agreed): The host MUST warm the pot.
- <a id="pot-2"></a>**POT-2** (agreed): The host SHOULD rinse the pot, as [POT-1](#pot-1) says.

### 1.2 Filling

See [§1.1](#11-warming) and Section 2 first. `POT-1` comes before.

## 2 Cups

- <a id="cup-1"></a>**CUP-1** (proposed): The host MUST give each guest a cup. *Reason: 🫖 is no cup.*
"""

FEATURE = """\
Feature: Tea

  @pot-1 @slow
  Scenario: A cold pot is warmed
    Given a cold pot
    When tea is made
    Then the pot was warm

  @pot-1
  Scenario: A warm pot stays warm
    Given a warm pot
    When tea is made
    Then the pot was warm
"""


class Room:
    """A folder that is open in an editor."""

    def __init__(
        self, folder: Path, files: Mapping[str, str], *, saved: bool = True, encoding: Encoding = "utf-16"
    ) -> None:
        """Write the files, and open them all."""
        self.folder = folder
        self.workspace = Workspace(Desk(folders=(folder,), encoding=encoding))
        for name, text in files.items():
            if saved:
                self.write(name, text)
            self.open(name, text)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        self.workspace.forget_folders()

    def open(self, name: str, text: str, version: int = 1) -> None:
        language = "markdown" if name.endswith(".md") else "cucumber"
        item = types.TextDocumentItem(self.uri(name), language, version, text)
        self.workspace.desk = self.workspace.desk.opened(item)

    def close(self, name: str) -> None:
        self.workspace.desk = self.workspace.desk.closed(self.uri(name))

    def key(self, name: str) -> str:
        return str(self.folder / name)

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def text(self, name: str) -> Text:
        return self.workspace.text(self.key(name))

    def at(self, name: str, words: str, *, after: int = 0, number: int = 1) -> types.Position:
        """Return the position of the how-manieth occurrence of some words, so many characters after their start."""
        text = self.text(name)
        offset = -1
        for _ in range(number):
            offset = text.string.index(words, offset + 1)
        line, column = text.place(offset + after)
        return text.position(line, column)

    def words(self, uri: str, place: types.Range) -> str:
        """Return what stands in a part of a file."""
        name = Path(uri.removeprefix(self.folder.as_uri() + "/"))
        text = self.text(str(name))
        return text.string[text.offset_of(place.start) : text.offset_of(place.end)]


def tea(folder: Path, *, encoding: Encoding = "utf-16") -> Room:
    return Room(folder, {"tea.md": SPECIFICATION, "scenarios/tea.feature": FEATURE}, encoding=encoding)
