"""What a run writes into its folder: every format, by its standard; and only one run at a time."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.reports.consumers.standards import STANDARDS
from tests.reports.test_folder_lock import held_by_another

from tck_reports import files
from tck_reports.reading import read

Command = Callable[..., subprocess.CompletedProcess[str]]


def test_a_run_writes_every_format_by_its_standard(on_small: Command, tmp_path: Path) -> None:
    done = on_small("run", "--engine", "sim", "--seed", "1", "--report-dir", str(tmp_path / "out"))
    assert done.returncode in {0, 1, 3}, done.stderr
    written = files.rendered(read(tmp_path / "out" / "report.json"))
    for name, holds in STANDARDS.items():
        content = (tmp_path / "out" / name).read_bytes()
        assert content == written[name]
        assert holds(content.decode("utf-8")) == []


def test_a_second_run_into_a_folder_is_refused_before_its_first_scenario(on_small: Command, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    with held_by_another(folder):
        done = on_small("run", "--engine", "sim", "--report-dir", str(folder))
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        f"session-tck: {folder}: another run is writing here; wait until it has ended, or name another folder"
    )
    assert "scenarios" not in done.stderr
    assert list(folder.iterdir()) == []
