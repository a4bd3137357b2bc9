"""Versions: read from what the CLIs print, and ordered as SemVer 2.0.0 orders them."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_simulator.adapters.base import read_version
from tck_simulator.versions import Version

from .laws import law

#: Oldest first. The pre-releases of 1.0.0 are the example of SemVer 2.0.0, item 11; the rest is of §16.6.
ORDERED = (
    "0.55.0",
    "0.122.0-alpha.1",
    "0.122.0",
    "0.171.0",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.9",
    "1.0.124",
    "1.9.0",
    "1.10.0",
    "2.1.197",
    "10.0.0",
)


def version(text: str) -> Version:
    found = Version.parse(text)
    assert found is not None, text
    return found


def test_versions_are_ordered_number_by_number_and_a_pre_release_before_its_release() -> None:
    shuffled = [version(text) for text in ORDERED]
    random.Random(7).shuffle(shuffled)  # noqa: S311 -- any other order
    assert [str(one) for one in sorted(shuffled)] == list(ORDERED)


_PART = st.from_regex(r"0|[1-9][0-9]{0,3}", fullmatch=True) | st.from_regex(
    r"[0-9]{0,2}[A-Za-z-][0-9A-Za-z-]{0,3}", fullmatch=True
)
_TEXTS = st.builds(
    lambda numbers, parts: ".".join(map(str, numbers)) + ("-" + ".".join(parts) if parts else ""),
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)),
    st.lists(_PART, max_size=3),
)


def semver_before(one: str, two: str) -> bool:
    """SemVer 2.0.0, item 11, step by step."""
    (first, _, left), (second, _, right) = one.partition("-"), two.partition("-")
    numbers = [int(part) for part in first.split(".")], [int(part) for part in second.split(".")]
    if numbers[0] != numbers[1]:
        return numbers[0] < numbers[1]
    if not left or not right:
        return bool(left) and not right
    for mine, other in zip(left.split("."), right.split("."), strict=False):
        if mine != other:
            if mine.isdigit() and other.isdigit():
                return int(mine) < int(other)
            return mine.isdigit() if mine.isdigit() != other.isdigit() else mine < other
    return left.count(".") < right.count(".")


@law
@given(_TEXTS, _TEXTS)
def test_any_two_versions_are_ordered_as_semver_says(one: str, two: str) -> None:
    assert (version(one) < version(two)) is semver_before(one, two)
    assert (version(one) == version(two)) is (one == two)


@law
@given(_TEXTS)
def test_a_version_is_written_as_it_was_read(text: str) -> None:
    assert str(version(text)) == text
    assert version(f"{text}+build.5") == version(text)


@pytest.mark.parametrize(
    "text", ["", "1", "1.2", "1.2.3.4", "v1.2.3", "1.2.3 ", "1.2.3\n", "1.2.x", "1.2.3-", "-1.2.3"]
)
def test_anything_else_is_no_version(text: str) -> None:
    assert Version.parse(text) is None


@pytest.mark.parametrize(
    ("printed", "found"),
    [
        # As recorded.
        ("2.1.197 (Claude Code)\n", "2.1.197"),
        ("codex-cli 0.171.0\n", "0.171.0"),
        ("1.18.33\n", "1.18.33"),
        ("GitHub Copilot CLI 1.0.102.\nRun 'copilot update' to check for updates.\n", "1.0.102"),
        # By the rule of §16.6.
        ("codex-cli 0.122.0-alpha.1\n", "0.122.0-alpha.1"),
        ("1.0.0-rc.1.\n", "1.0.0-rc.1"),
        ("v3.4.5", "3.4.5"),
        ("new: 9.9.9, installed: 1.2.3", "9.9.9"),
        ("bun 1.3 and 1.2.3", "1.2.3"),
        ("10.20.30.40", "10.20.30"),
        ("", None),
        ("not found", None),
        ("1.2", None),
        ("1.2.٣", None),
        ("x" * (64 * 1024) + "1.2.3", None),
        ("x" * (64 * 1024 - 5) + "1.2.3", "1.2.3"),
    ],
)
def test_the_version_is_the_first_that_stands_in_the_first_64_kibibytes(printed: str, found: str | None) -> None:
    version_read = read_version(printed)
    assert (None if version_read is None else str(version_read)) == found


@law
@given(st.text())
def test_no_text_breaks_the_reading_of_a_version(printed: str) -> None:
    found = read_version(printed)
    assert found is None or str(found) in printed
