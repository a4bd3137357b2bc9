from __future__ import annotations

from pathlib import Path

import pytest

from tck_kit.trace.lines import written
from tck_kit.trace.places import Words, hidden, secrets_of


@pytest.mark.parametrize(
    "text",
    [
        "nothing",
        "{PATH}/base/x and {PATH}",
        "{place}",
        "{place} {PATH} {place:} {place::} {place~} {place",
        "{place{PATH}",
        "{PATH}{place}}",
        "{{place}}",
        'a "quoted" \\ text with ü and \u202e',
    ],
)
def test_a_line_is_heard_elsewhere_as_it_would_have_been_there(text: str, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    one, other = Words(tmp_path / "one"), Words(tmp_path / "other")

    told = one.told(written({"x": text.replace("{PATH}", str(tmp_path / "one"))}))

    assert str(tmp_path) not in told
    assert other.heard(told) == written({"x": text.replace("{PATH}", str(tmp_path / "other"))})


def test_a_folder_behind_a_link_has_two_names(tmp_path: Path) -> None:
    (tmp_path / "real" / "one").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    words = Words(tmp_path / "link" / "one")
    line = written({"asked": f"{tmp_path}/link/one/x", "led to": f"{tmp_path}/real/one/x"})

    told = words.told(line)

    assert told == '{"asked":"{place}/x","led to":"{place~}/x"}'
    assert words.heard(told) == line


def test_values_of_variables_that_are_called_secret_are_in_no_line(tmp_path: Path) -> None:
    secrets = secrets_of(
        {"API_KEY": "k-12345678", "GITHUB_TOKEN": 'with "quotes" in it', "HOME": "/home/me", "A_SECRET": "no"}
    )
    words = Words(tmp_path, secrets)

    told = words.told(written({"argv": ["--key=k-12345678", 'with "quotes" in it', "no"]}))

    assert told == '{"argv":["--key=[redacted]","[redacted]","no"]}'


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ("postgres://me:hush@host/db", "postgres://me:[redacted]@host/db"),
        (["x", {"url": "https://u:p@h"}], ["x", {"url": "https://u:[redacted]@h"}]),
        ("http://host/a@b", "http://host/a@b"),
        ({"a": "http://one", "b": "x:y@z"}, {"a": "http://one", "b": "x:y@z"}),
        (7, 7),
    ],
)
def test_passwords_in_urls_are_hidden_as_in_a_report(value: object, plain: object) -> None:
    assert hidden(value) == plain
