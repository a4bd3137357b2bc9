"""Profiles for another kind of engine stand beside the others: as a set of their own, with rows of their own."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tck_kit.families import FAMILIES, GRADED_PROFILES
from tck_kit.peers.unmade import INCOMPATIBLE, NOT_OBTAINED
from tck_reports.matrix import data, pages, show
from tck_reports.matrix.gathering import PROFILES, gathered
from tck_reports.matrix.model import ABSENCES, Site
from tck_reports.matrix.site import Wishes, make
from tck_reports.shape import Report

from .course_reports import course_report
from .given_reports import given, report, written


def gather(*reports: Report) -> Site:
    return gathered([given(one) for one in reports])


def rendered(site: Site) -> dict[str, str]:
    return {path: content.decode() for path, content in pages.render(site)}


def plain(markup: str) -> str:
    return " ".join(re.sub("<[^>]*>", " ", markup).split())


def test_the_names_are_those_of_the_kit() -> None:
    assert PROFILES == GRADED_PROFILES
    assert set(ABSENCES) == {NOT_OBTAINED, INCOMPATIBLE}


@pytest.mark.parametrize("first", [1, 9])
def test_two_families_of_one_version_are_two_sets_the_ordinary_one_first(first: int) -> None:
    site = gather(report(day=first), course_report(day=5))
    assert [(one.family, [column.id for column in one.columns]) for one in site.sets] == [
        ("core", ["RESUME-1", "RESUME-2", "NAME-1", "CLEAN-1"]),
        ("continuity, reuse", ["CONTINUITY-1", "CONTINUITY-7", "REUSE-1"]),
    ]
    assert {one.name: one.newest.cells for one in site.engines} == {"acme": "PPPP", "peer": "PP "}
    assert site.profiles == ("core", "continuity")


def test_one_family_alone_is_named_by_its_version_as_ever() -> None:
    for site in (gather(report()), gather(course_report())):
        (own,) = site.sets
        assert own.family == ""
        assert own.slug == "session-resume-1.0.0"


def test_a_set_that_has_others_beside_it_is_named_by_its_profiles() -> None:
    made = rendered(gather(report(), course_report()))
    assert "against session-resume 1.0.0 (continuity, reuse)" in plain(made["engines/peer/index.html"])
    assert "against session-resume 1.0.0 (core)" in plain(made["engines/acme/index.html"])
    about = plain(made["about/index.html"])
    assert "Specification session-resume 1.0.0 (core), 4 requirements" in about
    assert "Specification session-resume 1.0.0 (continuity, reuse), 3 requirements" in about
    assert "Earlier" not in about


def test_another_family_is_no_new_version_of_the_specification() -> None:
    site = gather(report(day=1), course_report(day=5), report(day=7, spec="1.1.0"))
    assert [(one.set, one.before) for one in site.changes if one.kind == "new_spec"] == [
        ("session-resume-1.1.0-core", "session-resume-1.0.0-core")
    ]


def test_an_engine_that_was_run_by_both_is_two_rows_that_say_by_which_profiles() -> None:
    site = gather(report(name="peer", day=1), course_report(day=2))
    assert {one.title: one.slug for one in site.engines} == {
        "peer (core)": "peer",
        "peer (continuity, reuse)": "peer-stdio-continuity-reuse",
    }
    assert all(change.kind == "new_engine" for change in site.changes)


def test_no_container_is_no_real_container() -> None:
    (engine,) = gather(course_report()).engines
    assert engine.title == "peer"
    assert engine.newest.surroundings == ""


def test_the_page_of_an_engine_has_its_policy_in_words() -> None:
    made = rendered(gather(course_report(), report()))
    assert "Policy" not in plain(made["engines/acme/index.html"])
    shown = plain(made["engines/peer/index.html"])
    assert "scope run, node what a session is kept for" in shown
    assert "fork reject what becomes of a resume that is answered under another id" in shown
    assert "switch none by what resuming is turned on and off" in shown


def test_what_failed_leads_to_what_was_witnessed_and_says_how_to_run_it_again(tmp_path: Path) -> None:
    folder = written(tmp_path / "reports", {"peer/report.json": course_report(failed=("CONTINUITY-7",))})
    (folder / "peer" / "report.html").touch()
    site = make(folder, tmp_path / "site", Wishes())
    whole = site.engines[0].newest.page
    page = (tmp_path / "site" / "engines" / "peer" / "index.html").read_text(encoding="utf-8")
    (row,) = re.findall(r'<tr id="CONTINUITY-7".*?</tr>', page, re.DOTALL)
    assert f'<a href="../../{whole}#CONTINUITY-7">what was witnessed</a>' in row
    assert "session-tck peers run peer --requirement CONTINUITY-7 --seed 42" in plain(row)
    assert page.count("what was witnessed") == 1
    assert whole is not None
    assert 'id="CONTINUITY-7"' in (tmp_path / "site" / whole).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("absent", "why"),
    [
        ("not obtained", "not obtained: get it: session-tck peers fetch peer"),
        ("driver incompatible: lib/cli.js is gone", "driver incompatible: lib/cli.js is gone"),
    ],
)
def test_an_engine_that_was_never_run_says_why_and_nothing_of_it_is_red(absent: str, why: str) -> None:
    site = gather(report(), course_report(absent=absent, policy=False))
    word = absent.partition(":")[0]
    row = next(one.newest for one in site.engines if one.name == "peer")
    assert (row.absence, row.cells) == (word, "NN ")
    made = rendered(site)
    page = made["engines/peer/index.html"]
    assert f'<p class="result open">{word}</p>' in page
    assert why in plain(page)
    assert "Did not pass" not in page
    assert "c bad" not in page
    assert f"<b>{word}</b></span></td>" in made["index.html"]
    assert f"1 undecided (1 {word})" in plain(made["index.html"])
    assert json.loads(dict(data.files(site))[data.MATRIX])["engines"][1]["rows"][0]["absence"] == word


def test_an_engine_of_which_only_a_part_was_not_run_is_no_such_engine() -> None:
    partly = course_report(absent="not obtained", policy=False)
    partly["requirements"][0]["outcome"], partly["requirements"][0]["reason"] = "passed", None
    (engine,) = gather(partly).engines
    assert engine.newest.absence is None


def test_a_terminal_gives_each_profile_a_line_where_there_are_many() -> None:
    assert len(FAMILIES) > 1
    site = gather(
        report(),
        course_report(failed=("CONTINUITY-1",)),
        course_report("other", absent="not obtained", policy=False),
    )
    everything = io.StringIO()
    show.write(site, everything, width=120, color=False)
    assert "core conformant 4/4" not in everything.getvalue()  # two profiles are two columns

    more = replace(site, profiles=(*site.profiles, "reuse"))
    everything = io.StringIO()
    show.write(more, everything, width=120, color=False)
    assert "core conformant 4/4" in everything.getvalue()
    assert "continuity nonconformant 1/2" in everything.getvalue()
    assert "not obtained" in everything.getvalue()
