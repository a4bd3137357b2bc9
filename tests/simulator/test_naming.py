"""Names: the examples of §7.3 and the laws of NAME-8 to NAME-10, with Git as the judge."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tck_simulator.naming import prefix_fault, session_name, slug, storable

from .git import accepted
from .laws import law

#: Texts that are hard on a slug, mixed into the arbitrary ones.
_HARD = st.sampled_from(
    [
        "..",
        ".lock",
        "@{",
        "-",
        "--",
        "/",
        "~",
        "^",
        ":",
        "?",
        "*",
        "[",
        "\\",
        " ",
        "\t",
        "\x7f",
        "\x00",
        "É",
        "İ",
        "\u017f",
        "K",
        "\u0301",
        "\u0344",
        "\u202e",
        "\u200b",
        "\ufeff",
        "🚀",
        "修复",
        "Straße",
        "ø",
        "word",
        "HEAD",
        "issue-1",
    ]
)
TITLES = st.one_of(st.text(max_size=120), st.lists(_HARD, max_size=30).map("".join))
PREFIXES = st.one_of(
    st.sampled_from(["agent/", "", "bot-", "a/b/c/", "@", "é/", "x.y/", "refs/heads/", "HEAD", "a.lock", "@/", "{"]),
    st.lists(
        st.sampled_from(["a", "B", "7", "/", ".", "-", "_", "@", "{", "}", "~", "^", ":", "?", "*", "[", "]", "\\"])
        | st.sampled_from(
            [" ", "..", "//", "/.", "./", ".lock", ".lock/", "@{", "é", "🚀", "\x01", "\x7f", "\t", "\x80"]
        )
        | st.characters(codec="utf-8", exclude_characters="\0"),
        max_size=7,
    ).map("".join),
)
IIDS = st.integers(1, 2**63 - 1)


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
            "In the run, add a page to connect to the provider",
            "agent/issue-11-in-the-run-add-a-page-to-connect-to-the",
        ),
        ("agent/", 12, "Créer l'été « à vélo »", "agent/issue-12-creer-l-ete-a-velo"),
        ("agent/", 13, "🚀🚀", "agent/issue-13"),
        ("bot-", 14, "--help @{0} x.lock", "bot-issue-14-help-0-x-lock"),
        # Step 1: only the marks U+0300 to U+036F go; what has no canonical decomposition is replaced in step 3.
        ("", 1, "ÀÉÎõü", "issue-1-aeiou"),
        ("", 1, "ø ß ł æ", "issue-1"),
        ("", 1, "Straße", "issue-1-stra-e"),
        ("", 1, "e\u0301\u0300\u036f", "issue-1-e"),
        ("", 1, "שָׁלוֹם", "issue-1"),
        ("", 1, "ﬁn", "issue-1-n"),  # a compatibility decomposition is none
        # Step 2: A to Z only. The Kelvin sign decomposes to K; dotted İ to I and a mark; dotless ı stays.
        ("", 1, "\u212aelvin", "issue-1-kelvin"),
        ("", 1, "İI", "issue-1-ii"),
        ("", 1, "ıi", "issue-1-i"),
        ("", 1, "\u017f", "issue-1"),
        # Step 3: digits of other scripts are no digits.
        ("", 1, "v٣ and \uff13", "issue-1-v-and"),
        ("", 1, "a__b..c", "issue-1-a-b-c"),
        # Steps 4 and 5: cut to 40 characters first, then trimmed.
        ("", 1, "a" * 41, "issue-1-" + "a" * 40),
        ("", 1, "a" * 39 + " b", "issue-1-" + "a" * 39),
        ("", 1, "-" * 5000 + "x", "issue-1-x"),
        ("", 1, " " + "a" * 40, "issue-1-" + "a" * 39),
        ("", 2**63 - 1, "", "issue-9223372036854775807"),
    ],
)
def test_a_name_is_made_by_the_five_steps(prefix: str, iid: int, title: str, name: str) -> None:
    assert session_name(prefix, iid, title) == name


@law
@given(st.text())
def test_a_slug_has_at_most_40_plain_characters_and_no_dash_at_its_ends(title: str) -> None:
    assert re.fullmatch(r"(?:[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?)?", slug(title))
    assert "--" not in slug(title)


@law
@given(TITLES)
def test_the_slug_of_a_slug_is_itself(title: str) -> None:
    assert slug(slug(title)) == slug(title)


@law
@given(TITLES)
def test_a_title_has_one_slug_however_its_letters_are_composed(title: str) -> None:
    assert slug(unicodedata.normalize("NFC", title)) == slug(unicodedata.normalize("NFD", title)) == slug(title)


@settings(max_examples=4, deadline=None, derandomize=True)
@given(names=st.lists(st.tuples(PREFIXES, IIDS, TITLES), min_size=25, max_size=40))
def test_git_accepts_every_name_under_an_accepted_prefix(
    names: list[tuple[str, int, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    made = [session_name(prefix, iid, title) for prefix, iid, title in names if prefix_fault(prefix) is None]
    made += [session_name("agent/", iid, title) for _, iid, title in names]
    assert set(made) - accepted(made, tmp_path_factory.getbasetemp()) == set()


@settings(max_examples=6, deadline=None, derandomize=True)
@given(st.lists(PREFIXES, min_size=50, max_size=70))
def test_a_prefix_is_accepted_exactly_where_git_accepts_it_and_it_has_at_most_40_bytes(
    prefixes: list[str],
) -> None:
    good = accepted([f"{prefix}issue-1" for prefix in prefixes], Path("/"))
    for prefix in prefixes:
        right = f"{prefix}issue-1" in good and len(prefix.encode()) <= 40
        assert (prefix_fault(prefix) is None) == right, (prefix, prefix_fault(prefix))


@pytest.mark.parametrize(
    ("prefix", "words"),
    [
        ("x" * 41, "longer than 40 bytes"),
        ("é" * 21, "longer than 40 bytes"),
        ("-x", "begins with"),
        ("/x", "begins with"),
        (".x", "begins with"),
        ("a b", "forbids"),
        ("a\0b", "forbids"),
        ("a..b", "forbids"),
        ("a//b", "forbids"),
        ("a@{b", "forbids"),
        ("a/.b", "begins with '.'"),
        ("a.lock/", "'.lock'"),
    ],
)
def test_a_refused_prefix_is_told_what_is_wrong_with_it(prefix: str, words: str) -> None:
    assert words in (prefix_fault(prefix) or "")


@pytest.mark.parametrize("prefix", ["", "agent/", "x" * 40, "é" * 20, "a./", "@", "a.lock", "a-/b_c/"])
def test_what_git_allows_within_40_bytes_is_no_fault(prefix: str) -> None:
    assert prefix_fault(prefix) is None


def test_a_name_is_the_same_in_another_process_and_locale() -> None:
    title = "Île INDIGO ıI K \u212a"
    code = f"from tck_simulator.naming import session_name; print(session_name('agent/', 7, {title!a}), end='')"
    for locale in ("C", "tr_TR.UTF-8"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            text=True,
            env={**os.environ, "LC_ALL": locale, "PYTHONHASHSEED": "1"},
        )
        assert done.stdout == session_name("agent/", 7, title) == "agent/issue-7-ile-indigo-i-k-k"


@law
@given(TITLES)
def test_a_title_keeps_its_slug_in_the_database(title: str) -> None:
    storable(title).encode()
    assert slug(storable(title)) == slug(title)


def test_half_a_surrogate_pair_is_stored_as_the_replacement_character() -> None:
    assert storable("bad \ud800 half") == "bad \ufffd half"
