"""Loading: a specification, or one clear error."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from tck_spec import MOST_BYTES, SpecificationError, check, load

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_read_with_the_digest_of_its_bytes(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf# Tea\r\n\r\nVersion: 1.0.0\r\n"
    path = tmp_path / "tea.md"
    path.write_bytes(data)
    spec = load(path)
    assert (spec.source, spec.title, spec.version) == (str(path), "Tea", "1.0.0")
    assert spec.digest == sha256(data).hexdigest()
    assert [one.rule for one in check(spec)] == ["DOC001"]


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf \n\n", "is empty"),
        (b"# Tea\0", "a NUL byte stands in line 1, column 6"),
        ("# Tea\n\näbc".encode() + b"\xff\n", "is not UTF-8: the byte FF stands in line 3, column 4"),
        (b"# Tea\r\rabc\xe4\r", "is not UTF-8: the byte E4 stands in line 3, column 4"),
        ("# Tea\n".encode("utf-16"), "NUL byte"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, data: bytes, what: str) -> None:
    path = tmp_path / "tea.md"
    path.write_bytes(data)
    with pytest.raises(SpecificationError) as caught:
        load(path)
    assert what in caught.value.what
    assert str(caught.value) == f"{path}: {caught.value.what}; {caught.value.cure}"
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_a_wide_text_with_a_mark_is_told_to_become_utf_8(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "tea.md"
    path.write_bytes(b"\xfe\xff" * (encoding == "utf-16-be") + "# Tea\n".encode(encoding))
    with pytest.raises(SpecificationError, match="save it as UTF-8, not as UTF-16"):
        load(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecificationError, match="no such file; check the path"):
        load(tmp_path / "none.md")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecificationError, match="is a folder"):
        load(tmp_path)


def test_a_file_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text("# Tea\n")
    with pytest.raises(SpecificationError, match="cannot be read"):
        load(tmp_path / "tea.md" / "more.md")


def test_a_path_that_cannot_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecificationError, match="cannot be read"):
        load(tmp_path / "te\0a.md")


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(SpecificationError, match="not a regular file"):
        load(path)


@pytest.mark.parametrize("size", [MOST_BYTES + 1, 100_000_000])
def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    path = tmp_path / "tea.md"
    with path.open("wb") as file:
        file.truncate(size)

    def opened(*_: object, **__: object) -> None:
        pytest.fail("the file was opened")

    monkeypatch.setattr(type(path), "open", opened)
    with pytest.raises(SpecificationError, match="larger than 32 MiB"):
        load(path)


def test_a_file_of_twenty_megabytes_is_not_too_large(tmp_path: Path) -> None:
    path = tmp_path / "tea.md"
    path.write_bytes(b"# Tea\n```\n" + b"x" * 20_000_000 + b"\n```\n")
    assert len(load(path).sections) == 1
