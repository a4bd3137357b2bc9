"""Names of branches and sessions, by the steps of §7.3."""

from __future__ import annotations

import locale
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_features.laws.names import branch_name, is_prefix, slug
from tck_features.laws.references import is_branch_name
from tck_features.words import TITLES


@pytest.mark.parametrize(
    ("prefix", "iid", "title", "name"),
    [
        # The table of §7.3.
        (
            "agent/",
            1,
            "Add a name on client and resume from it",
            "agent/issue-1-add-a-name-on-client-and-resume-from-it",
        ),
        (
            "agent/",
            7,
            "Add a name on AI client and resume from it",
            "agent/issue-7-add-a-name-on-ai-client-and-resume-from",
        ),
        (
            "agent/",
            11,
            "In the run, add a page to connect to the …",
            "agent/issue-11-in-the-run-add-a-page-to-connect-to-the",
        ),
        ("agent/", 12, "Créer l'été « à vélo »", "agent/issue-12-creer-l-ete-a-velo"),
        ("agent/", 13, "🚀🚀", "agent/issue-13"),
        ("bot-", 14, "`--help @{0} x.lock`", "bot-issue-14-help-0-x-lock"),
        ("", 2**53 - 1, "x", "issue-9007199254740991-x"),
    ],
)
def test_a_name_is_made_of_prefix_number_and_slug(prefix: str, iid: int, title: str, name: str) -> None:
    assert branch_name(prefix, iid, title) == name


@pytest.mark.parametrize(
    ("title", "right"),
    [
        ("", ""),
        ("---", ""),
        ("Straße ÆØ", "stra-e"),
        ("İstanbul ıI", "istanbul-i"),
        ("A\u0301B\u0302", "ab"),
        ("e\u0320", "e"),
        ("a\u0483b", "a-b"),
        ("\uff21BC", "bc"),
        ("\u212a", "k"),
        ("x" * 39 + "-y", "x" * 39),
        ("x" * 40 + "y", "x" * 40),
        ("-" + "x" * 50, "x" * 39),
        ("one  two\tthree", "one-two-three"),
        ("\u0661\u0662", ""),
        ("half \ud800 pair", "half-pair"),
    ],
)
def test_a_slug_keeps_letters_and_digits_and_nothing_else(title: str, right: str) -> None:
    assert slug(title) == right


def test_a_slug_is_the_same_in_every_locale() -> None:
    before = locale.setlocale(locale.LC_ALL)
    right = slug("TITLE In İI")
    try:
        for name in ("C", "C.UTF-8", "tr_TR.UTF-8"):
            try:
                locale.setlocale(locale.LC_ALL, name)
            except locale.Error:
                continue
            assert slug("TITLE In İI") == right == "title-in-ii"
    finally:
        locale.setlocale(locale.LC_ALL, before)


@given(st.text(st.characters()) | st.sampled_from(list(TITLES.values())), st.integers(1, 10**16))
def test_every_name_is_a_branch_name(title: str, iid: int) -> None:
    assert is_branch_name(branch_name("agent/", iid, title))


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ("agent/", True),
        ("", True),
        ("bot-", True),
        ("é" * 20, True),
        ("é" * 21, False),
        ("a" * 40, True),
        ("a" * 41, False),
        ("-x", False),
        ("a//", False),
        ("a..b/", False),
        (".a/", False),
        ("a.lock/", False),
        ("a b", False),
        ("/", False),
        (None, False),
        (7, False),
        (True, False),
    ],
)
def test_a_prefix_is_short_and_begins_a_branch_name(value: object, *, right: bool) -> None:
    assert is_prefix(value) is right


#: Not `@` alone: outside of a repository Git takes it, within one it stands for HEAD, and no name of ours is it.
REFERENCES = [
    *("", "a", "a/b", "HEAD", "head", "-a", "a-", "a/-b", ".a", "a.", "a/.b", "a/b.", "a.b", "a..b", "a.lock"),
    *("a.lock/b", "a.lockx", ".lock", "a/.lock", "a//b", "/a", "a/", "a@{b", "a@", "@a", "a{b", "@{", "@{-1}", "a b"),
    *("a~b", "a^b", "a:b", "a?b", "a*b", "a[b", "a]b", "a\\b", "a\tb", "a\nb", "a\x7fb", "a\x01b", "é", "日本", "a'b"),
    *("a;b", "$(x)", "refs/heads/a", "a" * 300, "a.lock.lock", "a/HEAD", "a.LOCK", "a\u2028b", "a\u00a0b", "~", "."),
]


@pytest.mark.parametrize("text", REFERENCES)
def test_a_branch_name_is_what_git_takes_for_one(text: str) -> None:
    done = subprocess.run(
        ["git", "check-ref-format", "--branch", text], capture_output=True, check=False, timeout=20, cwd="/"
    )
    assert is_branch_name(text) is (done.returncode == 0 and done.stdout.decode().rstrip("\n") == text)


def test_half_a_surrogate_pair_is_in_no_branch_name() -> None:
    assert not is_branch_name("a\ud800b")
