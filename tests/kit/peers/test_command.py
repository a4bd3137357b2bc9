"""`session-tck peers`, as its users start it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tck_kit.peers.places import STAMP, Stamp
from tck_kit.peers.table import PEERS

Peers = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def peers(tmp_path: Path) -> Peers:
    """Run the command for a user who has no peer on this machine."""

    def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", "-m", "tck_kit.command_line", "peers", *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={"PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": str(tmp_path / "cache"), "COLUMNS": "200", **variables},
            check=False,
            timeout=120,
        )

    return run


def test_the_list_names_each_with_its_version_and_what_it_declares(peers: Peers) -> None:
    done = peers("list", "--format", "json")

    assert done.returncode == 0, done.stderr
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert list(rows) == list(PEERS)
    for name, row in rows.items():
        assert (row["version"], row["here"]) == (PEERS[name].version, "no")
        assert row["policy"]["scope"]
        assert row["profiles"] == list(PEERS[name].profiles)


def test_the_list_can_be_read_by_people(peers: Peers) -> None:
    done = peers("list")

    assert done.returncode == 0, done.stderr
    for peer in PEERS.values():
        assert peer.name in done.stdout
        assert peer.version in done.stdout
    assert "fork reject" in done.stdout


@pytest.mark.parametrize("name", ["zeroshot-10", "cyrus-main"])
def test_what_is_not_here_gets_a_report_that_says_so(peers: Peers, tmp_path: Path, name: str) -> None:
    done = peers("run", name, "--report-dir", "out", "--seed", "7")

    assert done.returncode == 3, done.stderr
    assert f"not obtained: get it: session-tck peers fetch {name}" in done.stdout
    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert (report["implementation"]["name"], report["run"]["engine"]) == (name, f"peer:{name}")
    assert report["run"]["seed"] == 7
    assert (tmp_path / "out" / "report.html").is_file()
    assert not (tmp_path / "out" / "trace.ndjson").exists()


def test_a_run_of_all_writes_a_folder_for_each(peers: Peers, tmp_path: Path) -> None:
    done = peers("run", "all", "--report-dir", "out")

    assert done.returncode == 3, done.stderr
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(PEERS)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("run", "zeroshot"), "zeroshot: there is no such peer; did you mean zeroshot-10?"),
        (("fetch", "nothing"), "nothing: there is no such peer; known are zeroshot-10"),
        (("run", "all", "--folder", "x"), "--folder x: it is for one of zeroshot-10"),
        (("fetch", "all", "--from", "x"), "--from x: it is for one of zeroshot-10"),
        (("run", "cyrus-main", "--folder", "nowhere"), "nowhere: there is no such folder"),
        (("fetch", "zeroshot-10", "--from", "x"), "--from x: it is no repository but a package"),
        (("fetch", "cyrus-main", "--from", "."), ".: git could not do it: fatal: not a git repository"),
        (
            ("run", "zeroshot-10", "--requirement", "CONTINUITY-99"),
            "CONTINUITY-99: the specification has no such requirement",
        ),
        (("run", "zeroshot-10", "--profile", "core"), "'core' is not one of"),
        (
            ("run", "cyrus-main", "--requirement", "REUSE-1"),
            "--requirement REUSE-1: cyrus-main would not be held against reuse; reuse is claimed by zeroshot-node",
        ),
        (
            ("run", "all", "--area", "REUSE"),
            "--area REUSE: zeroshot-10, cyrus-main, cyrus-1286 would not be held against reuse",
        ),
        (("fetch", "cyrus-main", "--folder", ""), "no folder is named"),
        (("run", "cyrus-main", "--folder", ""), "no folder is named"),
        (("fetch", "cyrus-main", "--folder", sys.executable), f"{sys.executable}: it is no folder"),
        (("run", "cyrus-main", "--folder", sys.executable), f"{sys.executable}: it is no folder"),
        (("fetch", "cyrus-main", "--from=--upload-pack=x"), "'--upload-pack=x': this is no repository"),
    ],
)
def test_a_mistake_is_one_message(peers: Peers, arguments: tuple[str, ...], told: str) -> None:
    done = peers(*arguments)

    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_cache_that_nobody_can_look_at_is_told_in_the_list(peers: Peers, tmp_path: Path) -> None:
    done = peers("list", "--format", "json", XDG_CACHE_HOME=str(tmp_path / ("a" * 300)))

    assert done.returncode == 0, done.stderr
    for row in json.loads(done.stdout):
        assert (row["here"], "it cannot be looked at: File name too long" in row["why"]) == ("no", True)


def test_a_run_without_a_program_that_the_peer_needs_is_a_mistake_that_names_it(peers: Peers, tmp_path: Path) -> None:
    peer = PEERS["zeroshot-10"]
    folder = tmp_path / "cache" / "session-tck" / "peers" / peer.name
    for one in peer.built:
        (folder / one).parent.mkdir(parents=True)
        (folder / one).write_text("", encoding="utf-8")
    (folder / STAMP).write_bytes(Stamp(peer.name, peer.pin, "sha256 0", "2026-01-01T00:00:00+00:00").encode())

    done = peers("run", peer.name, PATH=str(tmp_path))

    assert done.returncode == 2, done.stdout
    assert "git: it is not on PATH, and zeroshot-10 runs with it; install git" in done.stderr
    listed = json.loads(peers("list", "--format", "json", PATH=str(tmp_path)).stdout)[0]
    assert (listed["here"], "there is no git on PATH" in listed["why"]) == ("yes", True)


def test_help_says_what_can_be_given_and_nothing_of_how_the_page_is_made(peers: Peers) -> None:
    assert "--publish" not in peers("list", "--help").stdout
    assert "Hold it against this profile" in peers("run", "--help").stdout


def test_the_tables_of_a_page_are_written_into_it(peers: Peers, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- declared -->\n<!-- end -->\nb\n<!-- outcomes -->\n<!-- end -->\nc\n", encoding="utf-8")
    assert peers("list", "--publish", "page.md").returncode == 0
    assert "| version | 10.19.1.post1 |" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["none.md", "."])
def test_a_page_that_cannot_be_read_is_a_clear_error(peers: Peers, name: str) -> None:
    done = peers("list", "--publish", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.strip() == f"session-tck: {name}: it cannot be read; give docs/peers.md"
