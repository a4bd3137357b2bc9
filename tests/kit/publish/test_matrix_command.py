"""`session-tck matrix` as a user meets it: what it prints, and the exit code for every way it can end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.kit.conftest import Command
from tests.reports.matrix.given_reports import report, written


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path / "reports", {"a/report.json": report(), "b/report.json": report(name="other", day=2)})


def test_a_site_is_made_and_the_engines_are_listed(folder: Path, command: Command) -> None:
    done = command("matrix", str(folder), "-o", "site", cwd=folder.parent)
    assert done.returncode == 0, done.stderr
    assert "acme" in done.stdout
    assert "other" in done.stdout
    assert "conformant 4/4" in done.stdout
    assert "Site of 2 reports: site/index.html" in done.stdout
    assert (folder.parent / "site" / "index.html").is_file()


def test_bad_reports_stop_it_with_a_line_each_and_exit_code_2(folder: Path, command: Command) -> None:
    (folder / "x.json").write_text("{")
    (folder / "branch.json").write_bytes((folder / "a" / "report.json").read_bytes())
    done = command("matrix", str(folder), "-o", "site", cwd=folder.parent)
    assert done.returncode == 2
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines[0].startswith(f"session-tck: {folder}: 2 of 4 files cannot be shown; ")
    assert [line.split(":")[0] for line in lines[1:]] == ["  branch.json", "  x.json"]
    assert not (folder.parent / "site").exists()


def test_leaving_bad_reports_out_is_exit_code_1_and_said(folder: Path, command: Command) -> None:
    (folder / "x.json").write_text("{")
    done = command("matrix", str(folder), "-o", "site", "--skip-bad", cwd=folder.parent)
    assert done.returncode == 1
    assert "Site of 2 reports" in done.stdout
    assert "1 file was left out" in done.stderr
    assert "x.json: is no JSON" in done.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("nowhere", "-o", "site"), "No such file"),
        (("reports",), "Missing option"),
        (("reports", "-o", "reports"), "the reports are in it"),
        (("reports", "-o", "thesis"), "holds files that are no site"),
        (("reports", "-o", "site", "--base-url", "javascript:alert(1)"), "no address of http or https"),
        (("reports", "-o", "site", "--base-url", "https://a.example/#x"), "no address of http or https"),
        (("reports", "-o", "site", "--specification", "https://[::1"), "no address of http or https"),
        (("reports", "-o", "site", "--workers", "0"), "--workers"),
    ],
)
def test_a_mistake_is_one_message_and_exit_code_2(
    folder: Path, command: Command, words: tuple[str, ...], why: str
) -> None:
    (folder.parent / "thesis").mkdir()
    (folder.parent / "thesis" / "thesis.txt").write_text("mine")
    done = command("matrix", *words, cwd=folder.parent)
    assert done.returncode == 2
    assert why in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder.parent / "site").exists()
    assert (folder.parent / "thesis" / "thesis.txt").read_text() == "mine"


def test_addresses_that_are_given_stand_in_the_site(folder: Path, command: Command) -> None:
    done = command(
        "matrix",
        str(folder),
        "-o",
        "site",
        "--base-url",
        "https://matrix.example/tck",
        "--specification",
        "https://matrix.example/specification.html",
        cwd=folder.parent,
    )
    assert done.returncode == 0, done.stderr
    assert 'href="https://matrix.example/tck/engines/acme/index.html"' in (
        folder.parent / "site" / "feed.atom"
    ).read_text(encoding="utf-8")
    page = folder.parent / "site" / "requirements" / "RESUME-1" / "index.html"
    assert "https://matrix.example/specification.html#resume-1" in page.read_text(encoding="utf-8")


def test_an_interruption_leaves_the_former_site_and_no_process(tmp_path: Path, command: Command) -> None:
    folder = written(tmp_path / "reports", {f"{at}.json": report(version=f"1.{at}") for at in range(200)})
    site = tmp_path / "site"
    assert command("matrix", str(written(tmp_path / "one", {"a.json": report()})), "-o", str(site)).returncode == 0
    before = json.loads((site / "data" / "matrix.json").read_text())
    words = [sys.executable, "-m", "tck_kit.command_line", "matrix", str(folder), "-o", str(site), "--workers", "2"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        while process.poll() is None and not list(tmp_path.glob(".site.*.new")):
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert b"Traceback" not in said
    if process.returncode != 0:  # it may have been about to end
        assert json.loads((site / "data" / "matrix.json").read_text()) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "reports", "site"]
    _wait_for_the_end_of(process.pid)


def _wait_for_the_end_of(group: int) -> None:
    """What Python keeps for its processes ends a moment after them."""
    for _ in range(3000):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.01)
    pytest.fail("a process has outlived the command")
