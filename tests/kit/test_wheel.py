"""What is in the wheel works without the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout and unpacked."""
    box = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(box)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=120,
    )
    (wheel,) = box.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(box / "site")
    return box / "site"


def test_specification_scenarios_schema_and_template_travel_in_the_wheel(unpacked: Path) -> None:
    assert (unpacked / "tck_kit" / "data" / "specification.md").is_file()
    assert list((unpacked / "tck_kit" / "data" / "scenarios").rglob("*.feature"))
    assert (unpacked / "tck_reports" / "schemas" / "report-2.json").is_file()
    assert list((unpacked / "tck_reports" / "templates").iterdir())
    assert (unpacked / "tck_driver" / "schemas" / "envelope.json").is_file()
    assert (unpacked / "tck_kit" / "schemas" / "session-tck-1.json").is_file()
    assert (unpacked / "tck_kit" / "skeletons" / "go" / "main.go").is_file()
    assert (unpacked / "tck_fakes" / "programs" / "client.py").is_file()


def test_the_wheel_runs_outside_of_the_checkout(unpacked: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-P", "-m", "tck_kit.command_line"),
            *("run", "--requirement", "NAME-1", "--report-dir", "report"),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert done.returncode == 3, done.stderr
    assert "NAME" in done.stdout
    assert (tmp_path / "report" / "report.json").is_file()
    assert str(ROOT) not in (tmp_path / "report" / "report.json").read_text(encoding="utf-8")
