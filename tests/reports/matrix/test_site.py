"""A folder of reports becomes a site, or one error that names each file that is in the way; never half a site."""

from __future__ import annotations

import io
import json
import os
import random
import re
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, cast

import pytest
from tests.reports.samples import check, entry, graded, large_run, mixed_report, report_of

from tck_reports.errors import ReportReadError, ReportWriteError
from tck_reports.files import write_all
from tck_reports.matrix import collecting, show
from tck_reports.matrix.publishing import MARKER
from tck_reports.matrix.site import Wishes, make
from tck_reports.outcomes import Outcome
from tck_reports.reading import MAX_BYTES, read
from tck_reports.report import encode
from tck_reports.shape import Report

from .given_reports import report, sealed, written


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def old_report() -> bytes:
    """Give a report as the first schema had it."""
    value: dict[str, Any] = json.loads(encode(report(name="veteran")))
    value["schema"] = "urn:session-tck:schemas/report-1.json"
    for name in ("engine", "shard", "parts", "retries", "regraded"):
        del value["run"][name]
    for one in value["checks"]:
        del one["attempts"], one["excused"]
    value["baseline"] = {"digest": None, "entries": {}} if value["baseline"] is not None else None
    return encode(sealed(cast("Report", value)))


def test_a_site_has_its_pages_its_data_its_feed_and_its_badges(tmp_path: Path) -> None:
    folder = written(tmp_path / "reports", {"a/report.json": report(), "b.json": report(name="other", day=2)})
    site = make(folder, tmp_path / "site", Wishes())
    files = tree(tmp_path / "site")
    assert {
        "index.html",
        "engines/acme/index.html",
        "engines/other/index.html",
        "requirements/RESUME-1/index.html",
        "data/matrix.json",
        "data/engines/acme.json",
        "badges/acme.svg",
        "badges/acme.json",
        "feed.atom",
        ".nojekyll",
        MARKER,
    } <= files.keys()
    assert (site.reports, site.left_out) == (2, ())
    assert json.loads(files["data/matrix.json"])["reports"] == 2


def test_the_same_reports_give_the_same_site_whatever_their_order_and_their_times(tmp_path: Path) -> None:
    reports = {f"{at}.json": report(name=f"engine {at % 3}", version=f"1.{at}", day=at + 1) for at in range(9)}
    shuffled = list(reports.items())
    random.Random(1).shuffle(shuffled)  # noqa: S311 -- nothing secret is drawn
    for place, ones in (("one", reports), ("other", dict(shuffled))):
        folder = written(tmp_path / place, ones)
        for number, path in enumerate(folder.iterdir()):
            os.utime(path, (number, number))
        make(folder, tmp_path / f"{place}-site", Wishes())
    assert tree(tmp_path / "one-site") == tree(tmp_path / "other-site")


def test_several_processes_give_what_one_gives(tmp_path: Path) -> None:
    reports = {f"{at}.json": report(version=f"1.{at}", day=at % 28 + 1) for at in range(40)}
    folder = written(tmp_path / "reports", reports)
    (folder / "bad.json").write_text("{")
    one, several = (make(folder, tmp_path / str(count), Wishes(skip_bad=True, processes=count)) for count in (1, 2))
    assert one == several
    assert tree(tmp_path / "1") == tree(tmp_path / "2")
    assert [left.source for left in one.left_out] == ["bad.json"]


def test_a_report_of_the_schema_before_is_read(tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "old.json").write_bytes(old_report())
    site = make(tmp_path / "reports", tmp_path / "site", Wishes())
    assert [one.name for one in site.engines] == ["veteran"]
    assert site.engines[0].newest.cells == "PPPP"


def test_a_whole_report_gets_a_page_where_one_lies_beside_it_and_it_is_made_of_the_report(tmp_path: Path) -> None:
    write_all(report(), tmp_path / "reports" / "a")
    (tmp_path / "reports" / "a" / "report.html").write_text("<script>forged()</script> conformant")
    written(tmp_path / "reports", {"b/report.json": report(name="other")})
    site = make(tmp_path / "reports", tmp_path / "site", Wishes())
    rows = {one.name: one.newest for one in site.engines}
    assert rows["other"].page is None
    page = f"reports/{rows['acme'].digest[7:39]}.html"
    assert rows["acme"].page == page
    text = (tmp_path / "site" / page).read_text()
    assert "forged" not in text
    assert "acme" in text
    assert page in (tmp_path / "site" / "engines" / "acme" / "index.html").read_text()


def test_whole_reports_can_be_done_without(tmp_path: Path) -> None:
    write_all(report(), tmp_path / "reports")
    site = make(tmp_path / "reports", tmp_path / "site", Wishes(whole_reports=False))
    assert site.engines[0].newest.page is None
    assert not (tmp_path / "site" / "reports").exists()


def test_the_folder_of_a_run_is_read_with_all_that_is_in_it(tmp_path: Path) -> None:
    write_all(mixed_report(), tmp_path / "reports")
    site = make(tmp_path / "reports", tmp_path / "site", Wishes())
    assert site.reports == 1


def edited(made: Report) -> bytes:
    return encode(made).replace(b'"numerator": 4', b'"numerator": 3')


def contradicting() -> bytes:
    made = report(outcomes={"RESUME-1": Outcome.FAILED})
    made["verdict"]["core"]["result"] = "conformant"
    return encode(sealed(made))


def wrong_schema() -> bytes:
    made = report()
    made["schema"] = "urn:session-tck:schemas/report-3.json"
    return encode(sealed(made))


BAD: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty": (lambda: b"", "is no JSON"),
    "truncated": (lambda: encode(report())[:500], "is no JSON"),
    "binary": (lambda: bytes(range(256)) * 10, "is no JSON"),
    "a list": (lambda: b"[]", "states no schema, so it is no report"),
    "another file": (lambda: b'{"name": "package"}', "states no schema, so it is no report"),
    "a later schema": (wrong_schema, "is not a report of a schema that this kit reads"),
    "a finding of the kit": (lambda: b'{"schema": "urn:session-tck:schemas/findings-1.json"}', "is not a report"),
    "without fields": (lambda: b'{"schema": "urn:session-tck:schemas/report-2.json"}', "does not fit its schema"),
    "not a number": (lambda: encode(report()).replace(b'"seed": 42', b'"seed": NaN'), "is no JSON"),
    "nested": (lambda: b"[" * 100_000, "is nested too deeply"),
    "a long number": (lambda: b"[" + b"9" * 5000 + b"]", "holds a number too long"),
    "edited": (lambda: edited(report()), "was changed after it was written"),
    "contradicting itself": (contradicting, "was changed after it was written"),
    "a branch": (lambda: encode(report(version="main")), "is no version but the name of a branch"),
    "a branch with a number": (lambda: encode(report(version="feature/x-2")), "name of a branch"),
    "without a time": (lambda: encode(report(run={"started": "soon"})), "run.started is no time"),
}


@pytest.mark.parametrize(("content", "why"), BAD.values(), ids=BAD)
def test_a_bad_report_is_named_with_what_is_wrong_and_the_former_site_stays(
    tmp_path: Path, content: Callable[[], bytes], why: str
) -> None:
    folder = written(tmp_path / "reports", {"good.json": report()})
    make(folder, tmp_path / "site", Wishes())
    before = tree(tmp_path / "site")
    (folder / "bad.json").write_bytes(content())
    with pytest.raises(ReportReadError) as caught:
        make(folder, tmp_path / "site", Wishes())
    head, line = str(caught.value).splitlines()
    assert head == (
        f"{folder}: 1 of 2 files cannot be shown; mend them, or take them away, or leave them out with --skip-bad:"
    )
    assert line.startswith("  bad.json: ")
    assert why in line
    assert "; " in line
    assert len(line) < 600
    assert tree(tmp_path / "site") == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["reports", "site"]


@pytest.mark.parametrize(("content", "why"), BAD.values(), ids=BAD)
def test_a_bad_report_is_left_out_on_request_and_the_site_says_so(
    tmp_path: Path, content: Callable[[], bytes], why: str
) -> None:
    folder = written(tmp_path / "reports", {"good.json": report()})
    (folder / "bad.json").write_bytes(content())
    site = make(folder, tmp_path / "site", Wishes(skip_bad=True))
    assert site.reports == 1
    (left,) = site.left_out
    assert left.source == "bad.json"
    assert why in left.why
    assert "bad.json" in (tmp_path / "site" / "index.html").read_text()


def test_every_bad_file_has_its_line_up_to_twenty(tmp_path: Path) -> None:
    folder = written(tmp_path / "reports", {"good.json": report(), "twin.json": report(day=2)})
    for number in range(30):
        (folder / f"bad-{number:02}.json").write_text("{")
    with pytest.raises(ReportReadError) as caught:
        make(folder, tmp_path / "site", Wishes())
    lines = str(caught.value).splitlines()
    assert lines[0].startswith(f"{folder}: no file can be shown")
    assert "--skip-bad" not in lines[0]
    assert len(lines) == 22
    assert lines[-1] == "  and 12 more"


def test_what_a_bad_file_says_stays_on_its_line(tmp_path: Path) -> None:
    made = report()
    made["complete"] = "\n  good.json: is forged\x1b[31m\u202e" + "x" * 10_000  # type: ignore[typeddict-item] # wrong
    folder = written(tmp_path / "reports", {"good.json": report(name="other"), "bad.json": made})
    with pytest.raises(ReportReadError) as caught:
        make(folder, tmp_path / "site", Wishes())
    _, line = str(caught.value).splitlines()
    assert line.startswith("  bad.json: does not fit its schema: ")
    assert line.isprintable()
    assert line.endswith("reports are not edited")
    assert len(line) < 600


def test_a_process_that_is_ended_from_outside_is_one_clear_error() -> None:
    batch: Future[list[Any]] = Future()
    batch.set_exception(BrokenProcessPool("ended"))
    with pytest.raises(ReportReadError, match="ended from outside; give it more memory"):
        collecting._result(batch)


def test_duplicates_are_named_both(tmp_path: Path) -> None:
    folder = written(tmp_path / "reports", {"a.json": report(), "b.json": report(day=2), "c.json": report(day=2)})
    with pytest.raises(ReportReadError) as caught:
        make(folder, tmp_path / "site", Wishes())
    text = str(caught.value)
    assert re.search(r"a\.json: is a second report on acme 1\.0\.0, as b\.json is", text)
    assert re.search(r"b\.json: is a second report on acme 1\.0\.0, as a\.json is", text)
    assert "c.json: is the same report as b.json" in text
    assert not (tmp_path / "site").exists()


def test_pages_of_reports_that_are_not_shown_are_not_there_either(tmp_path: Path) -> None:
    write_all(report(), tmp_path / "reports" / "a")
    write_all(report(day=2), tmp_path / "reports" / "b")
    write_all(report(name="other"), tmp_path / "reports" / "c")
    write_all(report(name="other"), tmp_path / "reports" / "d")
    site = make(tmp_path / "reports", tmp_path / "site", Wishes(skip_bad=True))
    assert [one.name for one in site.engines] == ["other"]
    assert len(list((tmp_path / "site" / "reports").iterdir())) == 1


def test_a_folder_without_reports_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    with pytest.raises(ReportReadError, match="there is no report in it"):
        make(tmp_path / "reports", tmp_path / "site", Wishes())
    (tmp_path / "reports" / "bad.json").write_text("{")
    with pytest.raises(ReportReadError, match="no file can be shown"):
        make(tmp_path / "reports", tmp_path / "site", Wishes(skip_bad=True))
    assert not (tmp_path / "site").exists()


def test_a_file_larger_than_a_report_can_be_is_not_read(tmp_path: Path) -> None:
    folder = written(tmp_path / "reports", {"good.json": report()})
    with (folder / "huge.json").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(ReportReadError, match=r"huge\.json: is larger than 32 MiB"):
        make(folder, tmp_path / "site", Wishes())


def test_a_message_of_ten_megabytes_costs_a_line(tmp_path: Path) -> None:
    made = report(outcomes={"RESUME-1": Outcome.FAILED})
    made["requirements"][0]["reason"] = "m" * 10_000_000
    folder = written(tmp_path / "reports", {"a.json": sealed(made)})
    make(folder, tmp_path / "site", Wishes())
    assert max(len(content) for content in tree(tmp_path / "site").values()) < 200_000


def test_nothing_that_an_engine_says_becomes_markup_anywhere(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>\x1b[31m\u202e\u200b\"'><img src=x onerror=alert(1)>"
    entries = [entry("RESUME-1", text=evil)]
    checks = [check("a", "RESUME-1", outcome=Outcome.UNSUPPORTED, reason=evil)]
    made = report_of(graded(entries, checks), name=evil)
    made["implementation"] |= {
        "version": "1 <b onclick=alert(1)>\x1b[31m\u202e",
        "language": evil,
        "homepage": "javascript:alert(1)",
    }
    folder = written(tmp_path / "reports", {"<b>.json": sealed(made)})
    make(folder, tmp_path / "site", Wishes())
    for name, content in tree(tmp_path / "site").items():
        text = content.decode("utf-8")
        assert re.fullmatch(r"[A-Za-z0-9._/-]+", name), name
        for sign in ("\x1b", "\u202e", "\u200b", "javascript:alert"):
            assert sign not in text, (name, sign)
        if not name.endswith((".json", ".js")):
            assert "<script>alert" not in text, name
            assert "<img src=x" not in text, name


def test_the_site_may_lie_among_the_reports_and_is_no_report(tmp_path: Path) -> None:
    folder = written(tmp_path / "reports", {"a.json": report()})
    for _ in range(2):
        assert make(folder, folder / "site", Wishes()).reports == 1


@pytest.mark.parametrize("place", ["reports", ".", "reports/../reports"])
def test_the_reports_are_never_where_the_site_would_replace_them(tmp_path: Path, place: str) -> None:
    folder = written(tmp_path / "reports", {"a.json": report()})
    with pytest.raises(ReportWriteError, match="the reports are in it"):
        make(folder, tmp_path / place, Wishes())
    assert [path.name for path in folder.iterdir()] == ["a.json"]


def test_a_large_run_is_a_row_like_any_other(tmp_path: Path) -> None:
    folder = written(tmp_path / "reports", {"a.json": report_of(large_run())})
    site = make(folder, tmp_path / "site", Wishes())
    assert len(site.engines[0].newest.cells) == 130


def test_the_terminal_shows_the_whole_name_of_an_engine_however_narrow_it_is(tmp_path: Path) -> None:
    names = [f"mutant:done-keeps-the-lease-of-the-issue-{end}" for end in ("before", "after")]
    written(tmp_path / "reports", {f"{at}.json": report(name=name) for at, name in enumerate(names)})
    out = io.StringIO()
    show.write(make(tmp_path / "reports", tmp_path / "site", Wishes()), out, width=60, color=False)
    column = "".join(line[1:].split(" ")[0] for line in out.getvalue().splitlines())
    assert "…" not in out.getvalue()
    for name in names:
        assert name in column


def test_a_report_that_needs_more_memory_than_there_is_is_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhausted(_: bytes) -> None:
        raise MemoryError

    written(tmp_path, {"report.json": report()})
    monkeypatch.setattr("tck_reports.reading.parsed", exhausted)
    with pytest.raises(ReportReadError, match="needs more memory than there is"):
        read(tmp_path / "report.json")


def test_nobody_reads_a_file_above_32_mib(tmp_path: Path) -> None:
    with (tmp_path / "report.json").open("wb") as file:
        file.truncate(32 * 1024 * 1024 + 1)
    with pytest.raises(ReportReadError, match="larger than 33554432 bytes"):
        read(tmp_path / "report.json")
