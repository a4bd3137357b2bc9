"""Texts and names without what changes from run to run: two probes of one version have to say the same."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from tck_kit.probe.plain import MOST_CHARACTERS, MOST_LINES, Plain, kinds, place_of

PLAIN = Plain({"/srv/homes/a": "<home>", "/srv": "<folder>", "2.1.197": "<version>", "": "<nothing>"})
UUID = "0192f3a1-5b7c-7def-8a90-1234567890ab"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("/srv/homes/a/x and /srv/y", "<home>/x and <folder>/y"),
        (f"No conversation found with session ID: {UUID}", "No conversation found with session ID: <id>"),
        (f"session {UUID.upper()} is gone", "session <id> is gone"),
        ("ses_dd682c3d9ffefdO96JslRNcsyK and msg_22c82545e001", "<id> and <id>"),
        ("Remember tck-0123abcd", "Remember <mark>"),
        ("http://127.0.0.1:40123/v1", "http://<model>/v1"),
        ("2026-11-29T22:27:16.587954Z ERROR", "<time> ERROR"),
        ("since 2026-11-29, at 22:27:16", "since <date>, at <time>"),
        ("after 12.5s and 300 ms", "after <duration> and <duration>"),
        ("(code -32600)", "(code -32600)"),
        ("status 401, 2 of 5", "status 401, 2 of 5"),
        ("at 1764370036", "at <number>"),
        ("tracking ef34065c99793beb30fec6f8ac1fa233a5a26cfe", "tracking <hash>"),
        ("claude 2.1.197", "claude <version>"),
        ("deadbeefcafe is a word of letters alone", "deadbeefcafe is a word of letters alone"),
    ],
)
def test_what_is_volatile_gives_way_to_a_word(text: str, plain: str) -> None:
    assert PLAIN.text(text) == plain


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        (f"2026/11/30/rollout-2026-11-30T12-33-54-{UUID}.jsonl", "<date>/rollout-<time>-<id>.jsonl"),
        (f"{UUID}/inuse.4711.lock", "<id>/inuse.<number>.lock"),
        ("sessions-1.db-wal", "sessions-1.db-wal"),
        ("state_5.sqlite", "state_5.sqlite"),
    ],
)
def test_file_names_are_made_plain_as_a_whole(name: str, plain: str) -> None:
    assert PLAIN.file(PurePosixPath(name)) == plain


def test_what_is_said_comes_from_standard_error_loose_output_and_errors_in_events() -> None:
    stdout = (
        '{"type": "turn.failed", "error": {"message": "401"}}\nUsage: codex\n{"type": "x", "message": "no error"}\n'
    )
    stderr = "\x1b[91m\x1b[1mError: \x1b[0mSession not found\n\n  Error:   Session not found\n"

    assert PLAIN.said(stdout, stderr) == ("Error: Session not found", "stdout: Usage: codex", "event: 401")


def test_a_flood_of_text_is_cut() -> None:
    said = PLAIN.said("", "\n".join(f"line {number} {'x' * 1000}" for number in range(50)))

    assert len(said) == MOST_LINES
    assert {len(line) for line in said} == {MOST_CHARACTERS}


@pytest.mark.parametrize(
    ("stdout", "place"),
    [
        (f'{{"type": "system", "subtype": "init", "session_id": "{UUID}"}}\n{{"type": "result"}}', "first"),
        (f'{{"type": "a"}}\n{{"type": "system", "subtype": "init", "session_id": "{UUID}"}}\n{{"type": "b"}}', "later"),
        (f'{{"type": "a"}}\n{{"type": "system", "subtype": "init", "session_id": "{UUID}"}}', "last"),
    ],
)
def test_where_an_id_stands_is_said_by_field_place_and_event(stdout: str, place: str) -> None:
    assert place_of(stdout, UUID) == f"session_id of the {place} event, system/init"


def test_an_id_that_stands_deeper_or_nowhere_is_said_to() -> None:
    assert place_of(f'{{"type": "a", "data": {{"id": "{UUID}"}}}}', UUID) == "within a"
    assert place_of('{"type": "a"}\nnot JSON', UUID) == "nowhere"


def test_kinds_of_events_stand_once_in_the_order_of_their_appearance() -> None:
    stdout = '{"type": "b"}\n{"type": "item", "item": {"type": "error"}}\n{"type": "b"}\nloose\n{"no": 1}'

    assert kinds(stdout) == ("b", "item/error", "without a type")
