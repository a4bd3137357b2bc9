"""A small specification with scenarios of its own, and the kit started as its users start it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SPECIFICATION = """\
# A small specification

Version: 0.1.0
Identifier: small

## 1 Behaviour

- <a id="name-1"></a>**NAME-1** (agreed): The engine MUST name the session after the branch.
- <a id="resume-2"></a>**RESUME-2** (agreed): The engine MUST resume the session of the run before.
- <a id="isolate-11"></a>**ISOLATE-11** (proposed): The engine MUST keep state to its owner. *Reason: others read it.*
"""

FEATURE = """\
Feature: A small suite

  @name-1
  Scenario: The first run is named
    Given issue 7 served by codex, titled "Mend the door"
    When a development run of the issue is due
    Then the name of the issue is "agent/issue-7-mend-the-door"

  @resume-2
  Scenario Outline: A second run resumes
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    When a development run of the issue is due
    Then the second run is recorded as resumed
    And the second run asked the CLI to resume the native id of the first run

    Examples:
      | adapter |
      | codex   |
      | copilot |

  @isolate-11
  Scenario: State is for its owner
    Given an issue served by codex
    When an analysis run of the issue is due
    Then the state directory of the issue is for its owner alone
"""

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A folder with a specification of three requirements and a suite of four scenarios."""
    (tmp_path / "specification.md").write_text(SPECIFICATION, encoding="utf-8")
    (tmp_path / "features").mkdir()
    (tmp_path / "features" / "small.feature").write_text(FEATURE, encoding="utf-8")
    return tmp_path


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Run `session-tck` in a folder, with variables set on top of the environment."""

    def run(*arguments: str, cwd: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", "-m", "tck_kit.command_line", *arguments],
            capture_output=True,
            text=True,
            cwd=cwd or tmp_path,
            env={**os.environ, "COLUMNS": "200", **variables},
            check=False,
            timeout=120,
        )

    return run


@pytest.fixture
def on_small(small: Path, command: Command) -> Command:
    """Run `session-tck` with the small specification and its suite."""

    def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        given = ("--specification", str(small / "specification.md"), "--features", str(small / "features"))
        return command(*arguments, *given, cwd=small, **variables)

    return run
