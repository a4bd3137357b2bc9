"""The files for CI are what their services take, and no text of others becomes a command in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

from tck_reports.shape import Json

from .workflows import (
    ACTION,
    COMPONENT,
    EXPRESSION,
    FORGEJO,
    GITHUB,
    GITLAB,
    INPUT,
    OWN_FORGEJO,
    documents,
    interpolated,
    lines,
    pinned,
)

WORKFLOWS = (GITHUB, FORGEJO, OWN_FORGEJO)


@cache
def schema(name: str) -> dict[str, Any]:
    """Give a schema that check-jsonschema brings: the published ones, as they were when it was released."""
    text = (files("check_jsonschema") / "builtin_schemas" / "vendor" / f"{name}.json").read_text(encoding="utf-8")
    held: dict[str, Any] = json.loads(text)
    return held


def faults(instance: Json, name: str) -> list[str]:
    validator = jsonschema.validators.validator_for(schema(name))(schema(name))
    return [f"{one.json_path}: {one.message}" for one in validator.iter_errors(instance)]


def component() -> tuple[dict[str, Any], dict[str, Any]]:
    """Give the header of the component and its jobs with every default in place."""
    header, jobs = documents(COMPONENT)
    defaults = {name: one["default"] for name, one in header["spec"]["inputs"].items()}
    return header, interpolated(jobs, defaults)


def test_the_action_fits_the_schema_of_actions() -> None:
    assert faults(documents(ACTION)[0], "github-actions") == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=["github", "forgejo", "own"])
def test_every_workflow_fits_the_schema_of_workflows(path: Path) -> None:
    assert faults(documents(path)[0], "github-workflows") == []


def test_the_pipeline_and_both_parts_of_the_component_fit_the_schema_of_gitlab() -> None:
    header, jobs = component()
    assert faults(documents(GITLAB)[0], "gitlab-ci") == []
    assert faults(header, "gitlab-ci") == []
    assert faults(jobs, "gitlab-ci") == []


def test_the_schemas_find_what_is_wrong() -> None:
    assert faults({"on": "push", "jobs": {"a": {"steps": []}}}, "github-workflows")
    assert faults({"name": "x", "description": "y", "runs": {"using": "composite"}}, "github-actions")
    assert faults({"job": {"script": 3}}, "gitlab-ci")


def scripts(path: Path) -> Iterator[str]:
    """Yield every text of a file that a shell reads."""
    for document in documents(path):
        jobs = document.get("jobs", {}).values()
        parts = [*jobs, document.get("runs", {})]
        for part in parts:
            yield from (step["run"] for step in part.get("steps", ()) if "run" in step)
        for job in document.values():
            if isinstance(job, dict):
                for name in ("before_script", "script", "after_script"):
                    yield from lines(job.get(name, []))


@pytest.mark.parametrize("path", [ACTION, *WORKFLOWS, GITLAB, COMPONENT], ids=lambda path: path.parent.name)
def test_nothing_is_put_into_a_script_before_the_shell_reads_it(path: Path) -> None:
    texts = list(scripts(path))
    assert texts or path == OWN_FORGEJO
    assert [text for text in texts if EXPRESSION.search(text) or INPUT.search(text)] == []


@pytest.mark.parametrize("path", [ACTION, *WORKFLOWS], ids=["action", "github", "forgejo", "own"])
def test_nothing_runs_with_the_rights_of_the_branch_that_is_merged_into(path: Path) -> None:
    assert "pull_request_target" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", [ACTION, GITHUB], ids=["action", "github"])
def test_every_action_is_pinned_to_a_commit_and_says_its_version(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    uses = re.findall(r"uses: (\S+)(.*)", text)
    assert uses
    assert [use for use, _ in uses if not pinned(use)] == []
    assert [use for use, rest in uses if not re.fullmatch(r" # v\d+\.\d+\.\d+", rest)] == []
    # One version of each, so that a bot raises them together.
    assert len({use.partition("@")[0] for use, _ in uses}) == len({use for use, _ in uses})


def test_a_workflow_may_do_nothing_that_a_job_does_not_need() -> None:
    workflow = documents(GITHUB)[0]
    assert workflow["permissions"] == {}
    written = {name: job["permissions"] for name, job in workflow["jobs"].items()}
    assert {name: rights for name, rights in written.items() if "write" in rights.values()} == {
        "difference": {"actions": "read", "pull-requests": "write"},
        "pages": {"pages": "write", "id-token": "write"},
    }
    checkouts = [
        step for job in workflow["jobs"].values() for step in job["steps"] if "checkout" in step.get("uses", "")
    ]
    assert {step["with"]["persist-credentials"] for step in checkouts} == {False}
    # Where a token can write, nothing of the pull request is run.
    assert all("checkout" not in step.get("uses", "") for step in workflow["jobs"]["difference"]["steps"])


def test_a_token_is_given_to_the_steps_that_need_it_alone() -> None:
    jobs = documents(GITHUB)[0]["jobs"].values()
    assert "github.token" not in json.dumps([job.get("env", {}) for job in jobs])
    given = [step for job in jobs for step in job["steps"] if "github.token" in json.dumps(step)]
    assert [step["name"] for step in given] == [
        "Fetch the report of the branch that is merged into",
        "Comment on the pull request",
    ]
    assert [step for step in given if "session-tck" in step["run"].replace("<!-- session-tck diff: ", "")] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=["github", "forgejo", "own"])
def test_a_verdict_is_given_whatever_became_of_the_parts(path: Path) -> None:
    assert documents(path)[0]["jobs"]["verdict"]["if"] == "${{ always() }}"


def test_so_it_is_in_the_guide() -> None:
    guide = (ACTION.parent / "docs" / "ci.md").read_text(encoding="utf-8")
    blocks = [YAML(typ="safe").load(one) for one in re.findall(r"```yaml\n(.*?)```", guide, re.DOTALL)]
    waiting = [job for one in blocks for job in one.get("jobs", {}).values() if "needs" in job]
    assert [job["if"] for job in waiting] == ["${{ always() }}"]


def test_only_the_job_that_comments_has_the_environment_of_its_token() -> None:
    for jobs, name in ((documents(GITLAB)[0], "difference"), (component()[1], "session-tck-diff")):
        written = {key: job["environment"] for key, job in jobs.items() if "environment" in job}
        assert written == {name: {"name": "session-tck-comment", "action": "access"}}
        assert "session-tck run" not in json.dumps(jobs[name])


def test_every_input_of_the_action_is_used_and_every_output_is_made() -> None:
    action = documents(ACTION)[0]
    text = ACTION.read_text(encoding="utf-8")
    assert [name for name in action["inputs"] if f"inputs.{name} " not in text] == []
    made = (ACTION.parent / "ci" / "action.py").read_text(encoding="utf-8")
    assert [name for name in action["outputs"] if f'"{name}"' not in made] == []


def test_every_input_of_the_component_is_used() -> None:
    header, jobs = documents(COMPONENT)
    assert set(INPUT.findall(json.dumps(jobs))) == {*header["spec"]["inputs"]}
