"""Workflows as far as they go without their service: the shell parts, in their order, in a stubbed environment."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from ruamel.yaml import YAML

from tck_reports.shape import Json

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "ci"
GITHUB = EXAMPLE / ".github" / "workflows" / "conformance.yml"
FORGEJO = EXAMPLE / ".forgejo" / "workflows" / "conformance.yml"
GITLAB = EXAMPLE / ".gitlab-ci.yml"
OWN_FORGEJO = ROOT / ".forgejo" / "workflows" / "conformance.yml"
ACTION = ROOT / "action.yml"
COMPONENT = ROOT / "templates" / "session-tck" / "template.yml"

#: An expression of GitHub and Forgejo, which they put into a text before anything else reads it.
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
#: An input of a GitLab component, the same.
INPUT = re.compile(r"\$\[\[\s*inputs\.([\w-]+)\s*\]\]")

Node = dict[str, Any]
#: What of the tests' own environment a runner has as well.
KEPT = ("HOME", "LANG", "TMPDIR", "COVERAGE_PROCESS_START")


def documents(path: Path) -> list[Node]:
    """Read the YAML documents of a file, by YAML 1.2: GitHub's `on` is a word like any other, and no truth value."""
    return list(YAML(typ="safe").load_all(path.read_text(encoding="utf-8")))


def interpolated(node: object, inputs: Mapping[str, object]) -> Json:
    """Put the inputs of a component in their places; a text that is one input becomes its value."""
    if isinstance(node, str):
        whole = INPUT.fullmatch(node)
        return inputs[whole[1]] if whole else INPUT.sub(lambda found: str(inputs[found[1]]), node)
    if isinstance(node, list):
        return [interpolated(one, inputs) for one in cast("list[object]", node)]
    if isinstance(node, dict):
        return {name: interpolated(one, inputs) for name, one in cast("dict[str, object]", node).items()}
    return node


@dataclass(slots=True)
class Service:
    """A folder with a repository in it, stubs first on PATH, and what the runner gives to every job."""

    folder: Path
    stubs: Path
    variables: dict[str, str] = field(default_factory=dict[str, str])

    def stub(self, name: str, text: str) -> None:
        """Put a program in the place of one that would talk to the service."""
        self.stubs.mkdir(parents=True, exist_ok=True)
        path = self.stubs / name
        path.write_text(f"#!/usr/bin/env bash\nset -euo pipefail\n{text}", encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def shell(
        self, script: str, variables: Mapping[str, str] | None = None, *, folder: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a script as the services do: bash that ends with the first failure."""
        around = {
            name: os.environ[name]
            for name in ("HOME", "LANG", "TMPDIR", "COVERAGE_PROCESS_START")
            if name in os.environ
        }
        path = (str(self.stubs), str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin")
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            capture_output=True,
            text=True,
            cwd=folder or self.folder,
            env={**around, "PATH": ":".join(path), "COLUMNS": "120", **self.variables, **(variables or {})},
            check=False,
            timeout=300,
        )


def copied(target: Path) -> Path:
    """Copy the example out, as a user would."""
    shutil.copytree(EXAMPLE, target)
    return target


def filled(text: str, known: Mapping[str, str]) -> str:
    """Put values in the places of expressions; each has to be known."""
    return EXPRESSION.sub(lambda found: known[found[1]], text)


def steps(job: Node) -> Iterator[Node]:
    """Yield the steps of a job that are run by a shell."""
    for step in job["steps"]:
        if "run" in step:
            yield step


def run_job(
    service: Service, workflow: Node, name: str, known: Mapping[str, str]
) -> list[subprocess.CompletedProcess[str]]:
    """Run the shell parts of a job until one fails; those with `always()` all the same."""
    job = workflow["jobs"][name]
    around = {**workflow.get("env", {}), **job.get("env", {})}
    done: list[subprocess.CompletedProcess[str]] = []
    failed = False
    for step in steps(job):
        if failed and "always()" not in str(step.get("if", "")):
            continue
        env = {key: filled(str(value), known) for key, value in {**around, **step.get("env", {})}.items()}
        done.append(service.shell(step["run"], env))
        failed = failed or done[-1].returncode != 0
    return done


def run_gitlab(
    service: Service, pipeline: Node, name: str, variables: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run the script of a job of GitLab's, with what it extends."""
    job = {**pipeline.get(pipeline[name].get("extends", ""), {}), **pipeline[name]}
    given = {
        key: str(value["value"] if isinstance(value, dict) else value)
        for key, value in {**pipeline.get("variables", {}), **job.get("variables", {})}.items()
    }
    script = "\n".join(lines(job.get("before_script", [])) + lines(job["script"]))
    return service.shell(script, {**given, **variables})


def lines(script: str | Sequence[str]) -> list[str]:
    """Give a script as a list, however it is written."""
    return [script] if isinstance(script, str) else list(script)


def pinned(use: str) -> bool:
    """Say whether an action is named by what cannot be moved."""
    return use.startswith("./") or re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", use) is not None
