"""Session directories, by the rule of §3.4."""

from __future__ import annotations

import hashlib

import pytest

from tck_driver.vocabulary import MailboxRef
from tck_features.laws.folders import folder_names


def ref(organization: str, project: str, iid: int = 7) -> MailboxRef:
    return MailboxRef(organization, project, "issue", iid)


def digest(organization: str, project: str, iid: int = 7) -> str:
    return hashlib.sha256(f"{organization}\0{project}\0{iid}".encode()).hexdigest()


@pytest.mark.parametrize(
    ("organization", "project", "plain"),
    [
        ("acme", "shop", "acme-shop-issue-7"),
        ("a-b", "c", "a-b-c-issue-7"),
        ("A.b_C", "0", "A.b_C-0-issue-7"),
        ("x" * 96, "y" * 95, "x" * 96 + "-" + "y" * 95 + "-issue-7"),
    ],
)
def test_a_plain_name_comes_first(organization: str, project: str, plain: str) -> None:
    names = folder_names(ref(organization, project))
    assert names[0] == plain
    assert names[1] == f"{plain}~{digest(organization, project)[:8]}"
    assert [len(name) - len(plain) - 1 for name in names[1:]] == [8, 16, 32, 64]


@pytest.mark.parametrize(
    ("organization", "project", "clean"),
    [
        ("größe", "項目", "gr__e-__-issue-7"),
        (".hidden", "web", "_hidden-web-issue-7"),
        ("..", "x", "_.-x-issue-7"),
        ("team/sub", "web", "team_sub-web-issue-7"),
        ("a~b", "c", "a_b-c-issue-7"),
        ("a\nb", "c", "a_b-c-issue-7"),
        ("x" * 120, "y" * 120, "x" * 120 + "-" + "y" * 79),
        ("x" * 96, "y" * 96, "x" * 96 + "-" + "y" * 96 + "-issue-"),
    ],
)
def test_a_name_that_is_not_plain_is_cleaned_cut_and_told_apart(organization: str, project: str, clean: str) -> None:
    told_apart = digest(organization, project)
    assert folder_names(ref(organization, project)) == tuple(
        f"{clean[:200]}~{told_apart[:digits]}" for digits in (8, 16, 32, 64)
    )


def test_two_addresses_that_join_to_one_name_are_told_apart_by_their_digits() -> None:
    one, two = folder_names(ref("a-b", "c")), folder_names(ref("a", "b-c"))
    assert one[0] == two[0]
    assert not set(one[1:]) & set(two[1:])
