"""Names become folders and URLs that are safe, stable, and never the same for two."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_reports.matrix.slugs import slug_of, told_apart


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("session-tck reference simulator", "session-tck-reference-simulator"),
        ("Acme Engine 2.0", "acme-engine-2.0"),
        ("Zürich/Läufer", "zurich-laufer"),
        ("../../etc/passwd", "etc-passwd"),
        ("<script>alert(1)</script>", "script-alert-1-script"),
        ("…", ""),
        ("日本", ""),
        ("..", ""),
        ("con", ""),
        ("NUL.txt", ""),
        ("index", ""),
        ("a" * 500, "a" * 80),
    ],
)
def test_a_slug_holds_nothing_but_letters_digits_dots_and_hyphens(name: str, slug: str) -> None:
    assert slug_of(name) == slug


def test_names_of_one_slug_are_told_apart_and_the_first_keeps_it() -> None:
    names = ["Acme", "acme", "ACME!", "日本", "中国"]
    slugs = told_apart(names, lambda name: (slug_of(name),), str, otherwise="engine")
    assert list(slugs.values()) == names
    assert next(iter(slugs)) == "acme"
    assert list(slugs)[3] == "engine"
    assert all(slug.startswith("acme-") for slug in list(slugs)[1:3])


def test_a_name_that_looks_like_a_digest_takes_nothing_away() -> None:
    taken = next(iter(list(told_apart(["a", "A"], lambda _: ("a",), str, otherwise="x"))[1:]))
    slugs = told_apart(["a", taken, "A"], lambda name: (slug_of(name),), str, otherwise="x")
    assert len(slugs) == 3


@given(st.lists(st.text(), unique=True, max_size=30))
def test_every_name_has_a_slug_of_its_own(names: list[str]) -> None:
    slugs = told_apart(names, lambda name: (slug_of(name),), str, otherwise="engine")
    assert list(slugs.values()) == names
    assert len({slug.lower() for slug in slugs}) == len(names)
    assert all(slug.isascii() and slug and not slug.startswith((".", "-")) and "/" not in slug for slug in slugs)


@given(st.lists(st.text(), unique=True, max_size=20), st.text())
def test_a_newcomer_takes_no_slug_from_anybody(names: list[str], newcomer: str) -> None:
    def slugs(ones: list[str]) -> dict[str, str]:
        found = told_apart(ones, lambda name: (slug_of(name),), str, otherwise="engine")
        return {name: slug for slug, name in found.items()}

    before = slugs(names)
    after = slugs([*names, *([] if newcomer in names else [newcomer])])
    assert before.items() <= after.items()
