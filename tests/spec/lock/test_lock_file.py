"""The lock file: what is written, and what of what other people wrote is refused."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_spec import SpecificationError, parse
from tck_spec.lock import file as lock_file
from tck_spec.lock.file import beside, format_lock, read_lock, write_lock
from tck_spec.lock.links import linked
from tck_spec.lock.reading import LockFault, parse_lock
from tck_spec.lock.records import Header, Link, Lock, RequirementRecord, SectionRecord
from tck_spec.lock.updating import new_lock, update
from tck_spec.settings import Form
from tck_spec.statements import find_statements

TEA = """# Tea

## 1 Pots

The cook MUST warm the pot, see Section 2.

## 2 Lids

A lid MUST:

- fit its pot,
- have a hole.
"""
GOOD = Lock(
    Header("tea", "tea.md"),
    (SectionRecord("tea#S-AAAAA", "Pots", "1-pots", "1"),),
    (
        RequirementRecord(
            "TEA-K3F9QZ",
            text="The cook MUST warm the pot.",
            level="MUST",
            section="tea#S-AAAAA",
            context=("", "Rule", ""),
            since="1.0",
            occurrence=1,
            asked=("0badcafe",),
            aliases=("TEA-OLD",),
            origin=("TEA-0B7XWE",),
        ),
        RequirementRecord("TEA-0B7XWE", "merged", into=("TEA-K3F9QZ",)),
        RequirementRecord("TEA-P9R1VV", "gone", text="Guests MAY sing."),
    ),
    (Link("TEA-K3F9QZ", "tea.feature::Warm", "3f9a77e1", verdict="editorial"),),
)
LINES = format_lock(GOOD).split("\n")


def of(text: str) -> Lock:
    spec = parse(text, "tea.md")
    return update(new_lock(spec, Form(), "tea.md"), spec, find_statements(spec, Form())).lock


def test_a_lock_has_this_form() -> None:
    lock = of("# Tea\n\nVersion: 2\n\nThe cook MUST warm the pot.\n")
    lock = linked(lock, {"tea-vqw9sd": ["tea.feature::Warm"], lock.active[0].id.lower(): ["tea.feature::Warm"]})
    identifier = lock.active[0].id
    assert format_lock(lock).split("\n") == [
        '{"doc":"tea","lock":1,"parser":"1","slug":"github","source":"tea.md"}',
        '{"id":"tea#S-4R4TB","kind":"section","num":"","slug":"tea","title":"Tea"}',
        '{"aliases":[],"fc":"e3b0c442","fl":"3b7e3a61","fp":"a60e1de8","id":"'
        + identifier
        + '","kind":"req","level":"MUST","sec":"tea#S-4R4TB","since":"2","state":"active",'
        '"text":"The cook MUST warm the pot."}',
        '{"fp":"a60e1de8","kind":"link","req":"'
        + identifier
        + '","scenario":"tea.feature::Warm","verdict":"reviewed"}',
        "",
    ]


def test_what_is_written_is_read_as_it_was() -> None:
    assert parse_lock(format_lock(GOOD))[0] == replace(
        GOOD, requirements=tuple(sorted(GOOD.requirements, key=lambda one: one.id))
    )
    assert parse_lock(format_lock(of(TEA))) == (of(TEA), ())


def test_the_order_of_records_makes_no_other_file() -> None:
    other = replace(GOOD, requirements=GOOD.requirements[::-1], links=GOOD.links[::-1])
    assert format_lock(other) == format_lock(GOOD)
    shuffled = "\n".join([LINES[0], *LINES[-2:0:-1], ""])
    assert format_lock(parse_lock(shuffled)[0]) == format_lock(GOOD)


def test_a_lock_names_no_lines_and_no_days() -> None:
    moved = "\n\n" + TEA.replace("\n\n", "\n\n\n")
    assert format_lock(of(moved)) == format_lock(of(TEA))


def test_windows_line_ends_and_a_missing_last_one_are_read() -> None:
    text = format_lock(GOOD)
    assert parse_lock(text.replace("\n", "\r\n")) == parse_lock(text)
    assert parse_lock(text.removesuffix("\n")) == parse_lock(text)


def test_a_file_with_the_same_bytes_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "tea.lock.jsonl"
    assert write_lock(path, GOOD)
    os.utime(path, (1, 1))
    assert not write_lock(path, GOOD)
    assert path.stat().st_mtime == 1
    assert [one.name for one in tmp_path.iterdir()] == ["tea.lock.jsonl"]


def test_writing_keeps_permissions_and_follows_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "real.jsonl", tmp_path / "tea.lock.jsonl"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)
    link.symlink_to(path)
    write_lock(link, GOOD)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert read_lock(path)[0].header == GOOD.header


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tea.lock.jsonl"
    path.write_text("old", encoding="utf-8")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SpecificationError, match="No space left"):
        write_lock(path, GOOD)
    assert path.read_text(encoding="utf-8") == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["tea.lock.jsonl"]


def test_a_lock_lies_beside_its_document() -> None:
    assert beside(Path("docs/a2a.spec.md")) == Path("docs/a2a.spec.lock.jsonl")


def broken(line: int, old: str, new: str) -> str:
    assert old in LINES[line - 1]
    return "\n".join([*LINES[: line - 1], LINES[line - 1].replace(old, new, 1), *LINES[line:]])


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("", 1, "is empty"),
        ("\n", 1, "is not a record"),
        ("[]\n", 1, "is not a record"),
        ("version https://git-lfs.github.com/spec/v1\n", 1, "is not a record"),
        ("[" * 100_000 + "\n", 1, "is not a record"),
        ('{"lock":' + "9" * 5000 + "}\n", 1, "is not a record"),
        ('{"id":"x"}\n', 1, "does not begin with a header"),
        (broken(1, '"lock":1', '"lock":2'), 1, "has the version 2"),
        (broken(1, '"lock":1', '"lock":true'), 1, "has the version true"),
        (broken(1, '"lock":1', '"lock":1.0'), 1, "is not a record"),
        (broken(1, '"doc":"tea",', ""), 1, "lacks the key 'doc'"),
        (broken(1, '"doc":"tea"', '"doc":["tea"]'), 1, "'doc' is not a text"),
        (broken(1, '"doc"', '"dock":"x","doc"'), 1, 'unknown key "dock"'),
        ("\n".join([LINES[0], *LINES]), 2, "second header"),
        ("\n".join([*LINES[:2], "<<<<<<< HEAD", *LINES[2:]]), 3, "markers of a merge"),
        ("\n".join([*LINES[:2], "=======", *LINES[2:]]), 3, "markers of a merge"),
        ("\n".join([*LINES[:2], ">>>>>>> theirs", *LINES[2:]]), 3, "markers of a merge"),
        ("\n".join([*LINES[:2], LINES[1], *LINES[2:]]), 3, "has the id tea#S-AAAAA of line 2"),
        ("\n".join([*LINES[:3], LINES[2], *LINES[3:]]), 4, "has the id TEA-0B7XWE of line 3"),
        ("\n".join([*LINES[:-1], LINES[-2], ""]), 7, "a second time"),
        ("\n".join([*LINES[:2], LINES[2][:40], *LINES[3:]]), 3, "is not a record"),
        ("\n".join([*LINES[:2], "", *LINES[2:]]), 3, "is not a record"),
        (broken(2, '"section"', '"chapter"'), 2, 'unknown kind "chapter"'),
        (broken(2, '"num":"1"', '"num":1'), 2, "'num' is not a text"),
        (broken(2, '"num":"1"', '"num":"1","num":"2"'), 2, "is not a record"),
        (broken(3, '"merged"', '"married"'), 3, 'unknown state "married"'),
        (broken(3, '"merged"', '["merged"]'), 3, "unknown state"),
        (broken(3, '"into":["TEA-K3F9QZ"]', '"into":"TEA-K3F9QZ"'), 3, "'into' is not a list"),
        (broken(4, '"n":1', '"n":-1'), 4, "'n' is not a number"),
        (broken(4, '"n":1', '"n":NaN'), 4, "is not a record"),
        (broken(4, '"id":"TEA-K3F9QZ"', '"id":""'), 4, "'id' is not a text"),
        (broken(4, '"level"', '"lebel"'), 4, 'unknown key "lebel"'),
        (broken(6, '"editorial"', '"fine"'), 6, "'verdict' is 'fine'"),
    ],
)
def test_what_the_tool_did_not_write_is_refused_with_its_line(text: str, line: int, what: str, tmp_path: Path) -> None:
    with pytest.raises(LockFault) as caught:
        parse_lock(text)
    assert (caught.value.line, what in caught.value.what) == (line, True), caught.value.what
    path = tmp_path / "tea.lock.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SpecificationError) as refused:
        read_lock(path)
    assert refused.value.where == f"{path}:{line}"
    assert refused.value.cure
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "line", "identifier"),
    [
        (broken(4, "warm the pot", "heat the pot"), 4, "TEA-K3F9QZ"),
        (broken(4, '"Rule"', '"Wish"'), 4, "TEA-K3F9QZ"),
        (broken(4, "tea#S-AAAAA", "tea#S-BBBBB"), 4, "TEA-K3F9QZ"),
        (broken(3, "TEA-K3F9QZ", "TEA-K3F9QQ"), 3, "TEA-0B7XWE"),
        (broken(6, "TEA-K3F9QZ", "TEA-K3F9QQ"), 6, "TEA-K3F9QQ"),
    ],
)
def test_a_record_that_somebody_edited_is_read_and_told(text: str, line: int, identifier: str) -> None:
    _, edited = parse_lock(text)
    assert [(one.line, one.id) for one in edited] == [(line, identifier)]


def test_what_is_no_file_of_text_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tea.lock.jsonl"
    with pytest.raises(SpecificationError, match="no such file"):
        read_lock(path)
    with pytest.raises(SpecificationError, match="not a regular file"):
        read_lock(tmp_path)
    path.write_bytes(b'{"a":1}\n\xff\n')
    with pytest.raises(SpecificationError, match="not UTF-8"):
        read_lock(path)
    monkeypatch.setattr(lock_file, "MOST_BYTES", 4)
    with pytest.raises(SpecificationError, match="is larger than"):
        read_lock(path)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "tea.lock.jsonl"
    os.mkfifo(pipe)
    with pytest.raises(SpecificationError, match="not a regular file"):
        read_lock(pipe)


@given(st.data())
def test_a_lock_with_anything_put_into_it_is_read_or_refused(data: st.DataObject) -> None:
    text = format_lock(GOOD)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    piece = data.draw(
        st.one_of(st.text(max_size=20), st.sampled_from(["\n", '"', "{}", "<<<<<<<\n", "\\u0000", "[[", ","]))
    )
    lock, line = _read(text[:start] + piece + text[end:])
    assert line >= 0
    if lock is not None:
        assert parse_lock(format_lock(lock))[0] == lock


def _read(text: str) -> tuple[Lock | None, int]:
    """Return a lock, or the line of what is wrong with it."""
    try:
        return parse_lock(text)[0], 0
    except LockFault as fault:
        return None, fault.line


def test_every_line_is_json_with_sorted_keys() -> None:
    for line in format_lock(of(TEA)).splitlines():
        assert line == json.dumps(json.loads(line), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
