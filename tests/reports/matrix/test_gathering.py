"""The site says what the reports say: all of them, each once, whatever their order."""

from __future__ import annotations

import random

from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from tck_reports.matrix.conflicts import sift
from tck_reports.matrix.gathering import gathered
from tck_reports.matrix.model import ABSENT, SIGNS, LeftOut, Site
from tck_reports.outcomes import Outcome
from tck_reports.shape import Report

from .given_reports import NAMES, given, report

#: What a check of a complete run can come to.
OUTCOMES = (Outcome.PASSED, Outcome.FAILED, Outcome.UNTESTABLE, Outcome.UNSUPPORTED, Outcome.FLAKY)


@st.composite
def runs(draw: st.DrawFn) -> Report:
    """Draw the report of one of a few engines, on one of a few versions, for one of two specifications."""
    spec = draw(st.sampled_from(["1.0.0", "1.1.0"]))
    names = [*NAMES, *(["OFF-1"] if spec == "1.1.0" else [])]
    return report(
        name=draw(st.sampled_from(["acme", "Acme", "other one", "日本"])),
        version=draw(st.sampled_from(["1.0.0", "1.0.1", "1.10.0", "2.0-rc1", "3f2a9c1d"])),
        outcomes=dict(zip(names, draw(st.lists(st.sampled_from(OUTCOMES), min_size=5, max_size=5)), strict=False)),
        day=draw(st.integers(1, 28)),
        texts={"NAME-1": f"What {spec} says."},
        spec=spec,
        run={"transport": draw(st.sampled_from(["stdio", "http"]))},
    )


@settings(max_examples=60, deadline=None)
@drawn(st.lists(runs(), max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_the_reports_does_not_matter(reports: list[Report], shuffler: random.Random) -> None:
    ones = sift([given(one, f"{at}.json") for at, one in enumerate(reports)]).given
    shuffled = list(ones)
    shuffler.shuffle(shuffled)
    assert gathered(shuffled) == gathered(ones)


@settings(max_examples=60, deadline=None)
@drawn(st.lists(runs(), max_size=8))
def test_every_report_is_exactly_one_row_and_every_cell_is_its_outcome(reports: list[Report]) -> None:
    by_source = {f"{at}.json": one for at, one in enumerate(reports)}
    ones = sift([given(one, source) for source, one in by_source.items()]).given
    site = gathered(ones)
    rows = [(engine, row) for engine in site.engines for row in engine.rows]
    assert sorted(row.source for _, row in rows) == sorted(one.source for one in ones)
    assert site.reports == len(ones)
    for engine, row in rows:
        made = by_source[row.source]
        assert (engine.name, row.version) == (made["implementation"]["name"], made["implementation"]["version"])
        assert row.digest == made["digest"]
        for requirement in made["requirements"]:
            assert site.cell(row, requirement["id"]) == SIGNS[Outcome(requirement["outcome"])]
        assert len(row.cells) == len(row.evidence) == len(site.set_of(row).columns)
        verdict = made["verdict"]["core"]
        assert row.verdicts["core"].result == verdict["result"]
        assert (row.verdicts["core"].numerator, row.verdicts["core"].denominator) == (
            verdict["numerator"],
            verdict["denominator"],
        )


@settings(max_examples=60, deadline=None)
@drawn(st.lists(runs(), max_size=8))
def test_slugs_are_never_shared_and_every_row_has_one_change(reports: list[Report]) -> None:
    site = gathered(sift([given(one, f"{at}.json") for at, one in enumerate(reports)]).given)
    assert len({one.slug.lower() for one in site.engines}) == len(site.engines)
    for engine in site.engines:
        assert len({row.slug.lower() for row in engine.rows}) == len(engine.rows)
        changes = [one for one in site.changes if one.engine == engine.slug]
        assert sorted(one.row for one in changes) == sorted(row.slug for row in engine.rows)
        assert sum(one.kind == "new_engine" for one in changes) == 1
    assert len({one.id for one in site.changes}) == len(site.changes)
    assert [one.at for one in site.changes] == sorted((one.at for one in site.changes), reverse=True)


def gather(*reports: Report) -> Site:
    return gathered([given(one) for one in reports])


def test_the_newest_version_speaks_for_an_engine_whatever_was_run_last() -> None:
    site = gather(report(version="1.10.0", day=1), report(version="1.9.1", day=9), report(version="1.10.0-rc.1", day=3))
    (engine,) = site.engines
    assert [row.version for row in engine.rows] == ["1.10.0", "1.10.0-rc.1", "1.9.1"]
    assert engine.newest.version == "1.10.0"


def test_of_commits_the_last_one_that_was_run_speaks() -> None:
    site = gather(report(version="f2a9c1d", day=1), report(version="0a1b2c3", day=9))
    assert [row.version for row in site.engines[0].rows] == ["0a1b2c3", "f2a9c1d"]


def test_one_version_run_against_two_specifications_shows_the_newer_one_first() -> None:
    site = gather(report(spec="1.10.0", day=1), report(spec="1.9.0", day=5))
    (engine,) = site.engines
    assert [row.spec_version for row in engine.rows] == ["1.10.0", "1.9.0"]
    assert len({row.slug for row in engine.rows}) == 2
    assert [one.version for one in site.sets] == ["1.10.0", "1.9.0"]


def test_an_engine_over_several_transports_is_several_rows_that_say_so() -> None:
    site = gather(
        report(day=1), report(day=2, run={"transport": "http"}), report(name="alone", run={"transport": "http"})
    )
    assert {one.title: one.slug for one in site.engines} == {
        "acme (stdio)": "acme",
        "acme (http)": "acme-http",
        "alone": "alone",
    }


def test_real_surroundings_make_a_row_of_their_own() -> None:
    met = {"isolation": "enforced", "database": "SQLite", "not_exercised": [], "clis": "stand-ins"}
    site = gather(report(day=1), report(day=2, run={"surroundings": {"containers": "Docker 27.1", **met}}))
    assert [one.title for one in site.engines] == ["acme", "acme (real containers)"]
    assert [one.slug for one in site.engines] == ["acme", "acme-stdio-real-containers"]


def test_a_newcomer_of_the_same_slug_does_not_take_the_url() -> None:
    site = gather(report(name="Acme!", day=2), report(name="acme", day=1))
    slugs = {one.name: one.slug for one in site.engines}
    assert slugs["acme"] == "acme"
    assert slugs["Acme!"] == "acme-stdio"


def test_engines_that_are_wrong_on_purpose_come_last() -> None:
    site = gather(report(name="a mutant", run={"engine": "mutant:x"}), report(name="z"))
    assert [one.name for one in site.engines] == ["z", "a mutant"]


def test_a_requirement_has_all_its_wordings_newest_first() -> None:
    old = report(texts={"RESUME-1": "Old."}, spec="1.0.0")
    new = report(texts={"RESUME-1": "New."}, spec="1.1.0", outcomes={"OFF-1": Outcome.PASSED})
    site = gather(old, new)
    by_id = {one.id: one for one in site.requirements}
    assert [wording.text for wording in by_id["RESUME-1"].wordings] == ["New.", "Old."]
    assert by_id["RESUME-1"].wordings[0].sets == ("session-resume-1.1.0",)
    assert by_id["RESUME-2"].wordings[0].sets == ("session-resume-1.1.0", "session-resume-1.0.0")
    assert by_id["RESUME-1"].slug == "RESUME-1"
    (engine,) = site.engines
    assert [site.cell(row, "OFF-1") for row in engine.rows] == ["P", ABSENT]


def test_a_report_that_lists_its_requirements_in_another_order_has_its_cells_in_the_right_places() -> None:
    one, other = report(day=1), report(name="other", day=2, outcomes={"CLEAN-1": Outcome.FAILED})
    other["requirements"].reverse()
    site = gathered([given(one), given(other)])
    row = next(engine for engine in site.engines if engine.name == "other").newest
    assert site.cell(row, "CLEAN-1") == "F"
    assert site.cell(row, "RESUME-1") == "P"
    first = next(engine for engine in site.engines if engine.name == "acme").newest
    assert first.cells == "PPPP"


def test_a_report_that_lists_fewer_requirements_has_empty_cells() -> None:
    fewer = report(name="other", day=1)
    del fewer["requirements"][0]
    site = gathered([given(report(day=2)), given(fewer)])
    row = next(engine for engine in site.engines if engine.name == "other").newest
    assert row.cells == f"{ABSENT}PPP"
    assert row.evidence[0] == "-"


def test_a_requirement_whose_name_leads_out_of_the_site_does_not() -> None:
    site = gather(report(outcomes={"../../evil": Outcome.PASSED, "a/b": Outcome.PASSED, "A-B": Outcome.PASSED}))
    slugs = [one.slug for one in site.requirements]
    assert all("/" not in slug and not slug.startswith(".") for slug in slugs)
    assert len({slug.lower() for slug in slugs}) == len(slugs)


def test_profiles_come_in_their_order_and_what_was_left_out_by_name() -> None:
    site = gathered([given(report())], [LeftOut("b.json", "x"), LeftOut("a.json", "y")])
    assert site.profiles == ("core",)
    assert [one.source for one in site.left_out] == ["a.json", "b.json"]


def test_there_is_a_site_of_nothing() -> None:
    site = gathered([])
    assert (site.engines, site.sets, site.requirements, site.updated) == ((), (), (), "")
