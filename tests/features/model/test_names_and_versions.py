"""Names (§7.3) and versions (§16.6), by the specification's own examples and beyond."""

from __future__ import annotations

import pytest

from tck_driver.vocabulary import AdapterId
from tck_features.model.names import branch_name, slug
from tck_features.model.versions import find_version, is_bad, is_older, is_verified


@pytest.mark.parametrize(
    ("prefix", "iid", "title", "name"),
    [
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
    ],
)
def test_names_are_those_of_the_specification(prefix: str, iid: int, title: str, name: str) -> None:
    assert branch_name(prefix, iid, title) == name


@pytest.mark.parametrize(
    ("title", "due"),
    [
        ("İstanbul I", "istanbul-i"),
        ("straße Łódź", "stra-e-odz"),
        ("\u212a kelvin", "k-kelvin"),
        ("x" * 39 + " y", "x" * 39),
        ("bad \ud800 half", "bad-half"),
        ("e\u0320", "e"),
        ("²³ ½", ""),
    ],
)
def test_a_slug_has_nothing_but_small_letters_digits_and_single_dashes(title: str, due: str) -> None:
    assert slug(title) == due


@pytest.mark.parametrize(
    ("printed", "version"),
    [
        ("2.1.197 (Claude Code)\n", "2.1.197"),
        ("GitHub Copilot CLI 1.0.102.\nRun 'copilot update' to check for updates.\n", "1.0.102"),
        ("codex-cli 0.122.0-alpha.1\n", "0.122.0-alpha.1"),
        ("1.2.3-beta. Done", "1.2.3-beta"),
        ("not-a-version v.x.y", None),
        ("", None),
        ("." * 65_536 + "1.2.3", None),
    ],
)
def test_the_first_version_in_what_was_printed_is_found(printed: str, version: str | None) -> None:
    assert find_version(printed) == version


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0.122.0-alpha.1", "0.122.0"),
        ("1.0.24", "1.0.102"),
        ("1.0.0-alpha", "1.0.0-alpha.1"),
        ("1.0.0-alpha.1", "1.0.0-alpha.beta"),
        ("1.0.0-beta.2", "1.0.0-beta.11"),
        ("1.0.0-9", "1.0.0-a"),
        ("0.171.0", "1.0.0-rc.1"),
    ],
)
def test_versions_are_ordered_as_in_semver(one: str, other: str) -> None:
    assert is_older(one, other)
    assert not is_older(other, one)
    assert not is_older(one, one)


@pytest.mark.parametrize(
    ("adapter", "version", "verified"),
    [
        (AdapterId.CLAUDE_CODE, "1.0.124", True),
        (AdapterId.CLAUDE_CODE, "1.0.124-rc.1", False),
        (AdapterId.CODEX, "0.121.9", False),
        (AdapterId.OPENCODE, "1.15.3", True),
        (AdapterId.COPILOT, None, False),
        (AdapterId.GROK_BUILD, "9.9.9", False),
    ],
)
def test_a_version_is_verified_from_the_one_in_the_table_on(
    adapter: AdapterId,
    version: str | None,
    verified: bool,  # noqa: FBT001 -- a right value
) -> None:
    assert is_verified(adapter, version) is verified


def test_an_installed_version_is_bad_where_the_row_has_a_newer_one() -> None:
    assert is_bad(AdapterId.CODEX, "0.150.0", "0.171.0")
    assert not is_bad(AdapterId.CODEX, "0.171.0", "0.171.0")
    assert not is_bad(AdapterId.CODEX, "0.171.0", None)
    assert is_bad(AdapterId.CODEX, None, None)
