"""The example repository, copied out: what each of the three services would run does what its guide says."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tck_kit.project_file import read as read_project_file
from tck_reports.reading import read

from .workflows import (
    COMPONENT,
    EXAMPLE,
    FORGEJO,
    GITHUB,
    GITLAB,
    Service,
    copied,
    documents,
    interpolated,
    run_gitlab,
    run_job,
)

#: What a copy's workflows are narrowed down to, so that the tests of all three take seconds.
NARROW = {"ARGS": "--requirement NAME-1 --workers 1"}
EXPRESSIONS = {
    "github.token": "a-token",
    "github.event.pull_request.base.ref": "main",
    "github.event.pull_request.number": "7",
}
#: In the place of curl: it gives the report of the target branch and the comments that are there, and writes down what
#: it is asked to post.
CURL = """
method=GET
while [ $# -gt 0 ]; do
  case $1 in
    --output) out=$2; shift ;;
    --request) method=$2; shift ;;
    --data-urlencode) cp "${2#body@}" ../posted.md; [ $method != GET ] || method=POST; shift ;;
    --data) cp "${2#@}" ../posted.json; [ $method != GET ] || method=POST; shift ;;
    http*) url=$1 ;;
  esac
  shift
done
echo "$method $url" >> ../asked.txt
case "$method $url" in
  *"/report.json?"*) cp "$BASE_REPORT" "$out" ;;
  GET*/user) echo '{"id": 9}' > "$out" ;;
  GET*) echo "${COMMENTS:-[]}" > "$out" ;;
esac
"""
#: In the place of the kit, where it is asked for a difference of two reports that cannot be compared.
NOT_COMPARABLE = """
while [ $# -gt 0 ]; do
  if [ "$1" = --output ]; then echo '<!-- session-tck diff: tiny-engine -->' > "$2"; fi
  shift
done
exit 3
"""
#: And where it is interrupted before it has said anything.
INTERRUPTED = "exit 3\n"
#: In the place of Python where it would install something; the kit is there already.
PYTHON = f"""
[ -z "${{GH_TOKEN:-}}" ]
if [ "$1 ${{2:-}}" = "-m pip" ]; then echo "${{@:$#}}" >> "$INSTALLED"; exit; fi
exec {sys.executable} "$@"
"""
#: In the place of GitHub's own program, the same as of curl.
GH = """
: "${GH_TOKEN:?}"
echo "gh $*" >> ../asked.txt
case "$1 $2" in
  "run list") echo 41 ;;
  "run download") mkdir -p base; cp "$BASE_REPORT" base/report.json ;;
  api*)
    for word in "$@"; do
      case $word in body=@*) cp "${word#body=@}" ../posted.md ;; esac
    done
    case " $* " in *" --paginate "*) echo "${EARLIER:-}" ;; esac ;;
esac
"""


@pytest.fixture
def service(tmp_path: Path) -> Service:
    held = Service(copied(tmp_path / "engine"), tmp_path / "stubs")
    held.stub("curl", CURL)
    held.stub("gh", GH)
    held.stub("python", PYTHON)
    held.variables |= {
        "BASE_REPORT": str(held.folder / "reports" / "tiny-engine" / "0.1.0" / "report.json"),
        "INSTALLED": str(tmp_path / "installed.txt"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "GITHUB_REPOSITORY": "acme/engine",
        "GITHUB_API_URL": "http://127.0.0.1:9/api/v1",
        "CI_API_V4_URL": "https://gitlab.example/api/v4",
        "CI_PROJECT_ID": "3",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_MERGE_REQUEST_IID": "7",
        "CI_JOB_TOKEN": "a-token",
        "CI_BUILDS_DIR": str(tmp_path),
        "CI_JOB_ID": "11",
        "SESSION_TCK_TOKEN": "another-token",
    }
    return held


def report(folder: Path) -> dict[str, Any]:
    held: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return held


def notes_of_gitlab() -> str:
    """Give three comments, of which only the last is of this token and engine."""
    mark = "<!-- session-tck diff: tiny-engine -->"
    written = ((500, 8, mark), (501, 9, "<!-- session-tck diff: another -->"), (502, 9, f"{mark}\nearlier"))
    return json.dumps([{"id": name, "author": {"id": who}, "body": body} for name, who, body in written])


def of_component(**inputs: object) -> dict[str, Any]:
    """Give the jobs of the component with these inputs, and the defaults of the others."""
    header, jobs = documents(COMPONENT)
    given = {name: one["default"] for name, one in header["spec"]["inputs"].items()}
    given |= {name.replace("_", "-"): one for name, one in inputs.items()}
    held: dict[str, Any] = interpolated(jobs, given)
    return held


def of_github(path: Path) -> dict[str, Any]:
    workflow = documents(path)[0]
    return {**workflow, "env": {**workflow["env"], **NARROW}}


def parts_of(service: Service, workflow: Mapping[str, Any], *, kept: Path) -> None:
    """Run both parts, and keep what each uploads where the next job downloads it."""
    for number in (1, 2):
        done = run_job(service, dict(workflow), "part", {"matrix.number": str(number)})
        assert [one.returncode for one in done] == [0, 0], done[-1].stderr
        shutil.move(service.folder / "part", kept / f"part-{number}")


def test_what_github_runs_gives_a_verdict_a_summary_a_comment_and_a_site(service: Service, tmp_path: Path) -> None:
    workflow = of_github(GITHUB)
    (service.folder / "parts").mkdir()
    parts_of(service, workflow, kept=service.folder / "parts")
    install, merged, summary = run_job(service, workflow, "verdict", EXPRESSIONS)
    assert (install.returncode, merged.returncode, summary.returncode) == (0, 3, 0), merged.stderr
    assert [part["number"] for part in report(service.folder / "conformance")["run"]["parts"]] == [1, 2]
    assert "tiny-engine" in (tmp_path / "summary.md").read_text(encoding="utf-8")

    changed = run_job(service, workflow, "difference", EXPRESSIONS)
    assert [one.returncode for one in changed] == [0, 0, 0, 0], changed[-1].stderr
    assert (tmp_path / "posted.md").read_text(encoding="utf-8").startswith("<!-- session-tck diff: ")
    asked = (tmp_path / "asked.txt").read_text(encoding="utf-8")
    assert "gh api --silent --method POST repos/acme/engine/issues/7/comments --field body=@difference.md" in asked
    service.variables["EARLIER"] = "501"
    assert run_job(service, workflow, "difference", EXPRESSIONS)[-1].returncode == 0
    asked = (tmp_path / "asked.txt").read_text(encoding="utf-8")
    assert "gh api --silent --method PATCH repos/acme/engine/issues/comments/501 --field" in asked

    site = run_job(service, workflow, "matrix", EXPRESSIONS)
    assert [one.returncode for one in site] == [0, 0], site[-1].stderr
    assert "tiny-engine" in (service.folder / "site" / "index.html").read_text(encoding="utf-8")


def test_what_forgejo_runs_gives_a_verdict_a_difference_and_a_site(service: Service, tmp_path: Path) -> None:
    workflow = of_github(FORGEJO)
    (service.folder / "parts").mkdir()
    parts_of(service, workflow, kept=service.folder / "parts")
    install, merged, changed, comment = run_job(service, workflow, "verdict", EXPRESSIONS)
    assert (install.returncode, merged.returncode, changed.returncode) == (0, 3, 0), merged.stderr
    assert "tiny-engine" in (service.folder / "difference.md").read_text(encoding="utf-8")
    assert comment.returncode == 0, comment.stderr
    mark = "<!-- session-tck diff: tiny-engine -->"
    assert json.loads((tmp_path / "posted.json").read_text(encoding="utf-8"))["body"].startswith(f"{mark}\n")
    service.variables["COMMENTS"] = json.dumps(
        [
            {"id": 500, "user": {"login": "someone"}, "body": mark},
            {"id": 501, "user": {"login": "forgejo-actions"}, "body": "<!-- session-tck diff: another -->"},
            {"id": 502, "user": {"login": "forgejo-actions"}, "body": f"{mark}\r\nearlier"},
        ]
    )
    assert run_job(service, workflow, "verdict", EXPRESSIONS)[-1].returncode == 0
    comments = "http://127.0.0.1:9/api/v1/repos/acme/engine/issues"
    assert (tmp_path / "asked.txt").read_text(encoding="utf-8").splitlines() == [
        f"GET {comments}/7/comments",
        f"POST {comments}/7/comments",
        f"GET {comments}/7/comments",
        f"PATCH {comments}/comments/502",
    ]
    site = run_job(service, workflow, "matrix", EXPRESSIONS)
    assert [one.returncode for one in site] == [0, 0], site[-1].stderr
    assert (service.folder / "site" / "index.html").exists()
    assert not (tmp_path / "posted.md").exists()


def test_what_gitlab_runs_gives_a_verdict_a_comment_and_a_site(service: Service, tmp_path: Path) -> None:
    pipeline = documents(GITLAB)[0]
    pipeline["variables"] |= NARROW
    for number in ("1", "2"):
        done = run_gitlab(service, pipeline, "part", {"CI_NODE_INDEX": number, "CI_NODE_TOTAL": "2"})
        assert done.returncode == 0, done.stderr
    assert run_gitlab(service, pipeline, "verdict", {}).returncode == 3
    assert [part["number"] for part in report(service.folder / "conformance")["run"]["parts"]] == [1, 2]
    # A run that was narrowed down is not comparable; that it is told all the same is what can be seen.
    done = run_gitlab(service, pipeline, "difference", {})
    assert done.returncode == 3, done.stderr
    assert (tmp_path / "posted.md").read_text(encoding="utf-8").startswith("<!-- session-tck diff: ")
    asked = (tmp_path / "asked.txt").read_text(encoding="utf-8").splitlines()
    there = "https://gitlab.example/api/v4"
    notes = f"{there}/projects/3/merge_requests/7/notes"
    fetched = [
        f"GET {there}/projects/3/jobs/artifacts/main/raw/conformance/report.json?job=verdict",
        f"GET {there}/user",
        f"GET {notes}?order_by=created_at&sort=asc&per_page=100",
    ]
    assert asked == [*fetched, f"POST {notes}"]
    service.variables["COMMENTS"] = notes_of_gitlab()
    assert run_gitlab(service, pipeline, "difference", {}).returncode == 3
    assert (tmp_path / "asked.txt").read_text(encoding="utf-8").splitlines() == [*asked, *fetched, f"PUT {notes}/502"]
    assert run_gitlab(service, pipeline, "pages", {}).returncode == 0
    assert (service.folder / "public" / "index.html").exists()
    assert {*(tmp_path / "installed.txt").read_text(encoding="utf-8").splitlines()} == {"session-tck==0.1.0"}


def test_the_component_does_the_same_in_whatever_folder(service: Service, tmp_path: Path) -> None:
    pipeline = of_component(args=NARROW["ARGS"], working_directory="engines/tiny")
    service.folder.rename(tmp_path / "tiny")
    (service.folder / "engines").mkdir(parents=True)
    (tmp_path / "tiny").rename(service.folder / "engines" / "tiny")
    service.variables["BASE_REPORT"] = str(EXAMPLE / "reports" / "tiny-engine" / "0.1.0" / "report.json")
    service.stub("python3", '[ "$1 $2" = "-m venv" ]\n')
    assert pipeline["session-tck-part"]["parallel"] == 2
    for number in ("1", "2"):
        done = run_gitlab(service, pipeline, "session-tck-part", {"CI_NODE_INDEX": number, "CI_NODE_TOTAL": "2"})
        assert done.returncode == 0, done.stderr
    merged = run_gitlab(service, pipeline, "session-tck", {})
    assert merged.returncode == 3, merged.stderr
    kept = service.folder / pipeline["session-tck"]["artifacts"]["reports"]["junit"]
    assert kept == service.folder / "engines" / "tiny" / "conformance" / "junit.xml"
    assert kept.exists()
    service.stub("curl", CURL.replace("../", "../../../"))
    done = run_gitlab(service, pipeline, "session-tck-diff", {})
    assert done.returncode == 3, done.stderr
    assert (tmp_path / "posted.md").exists()
    asked = (tmp_path / "asked.txt").read_text(encoding="utf-8")
    assert "/jobs/artifacts/main/raw/engines/tiny/conformance/report.json?job=session-tck" in asked
    service.variables["COMMENTS"] = notes_of_gitlab()
    assert run_gitlab(service, pipeline, "session-tck-diff", {}).returncode == 3
    assert (tmp_path / "asked.txt").read_text(encoding="utf-8").endswith("/merge_requests/7/notes/502\n")


@pytest.mark.parametrize("path", [GITHUB, FORGEJO], ids=["github", "forgejo"])
def test_a_verdict_without_the_report_of_a_part_is_red(path: Path, service: Service) -> None:
    done = run_job(service, of_github(path), "verdict", EXPRESSIONS)
    assert [one.returncode for one in done][:2] == [0, 2], done[1].stderr


def difference_of(service: Service, name: str) -> subprocess.CompletedProcess[str]:
    """Run what tells the difference on a service, with the kit that stands in its place."""
    (service.folder / "conformance").mkdir()
    (service.folder / "conformance" / "report.json").touch()
    (service.folder / "base").mkdir()
    (service.folder / "base" / "report.json").touch()
    service.stub("python3", '[ "$1 $2" = "-m venv" ]\n')
    if name == "gitlab":
        return run_gitlab(service, documents(GITLAB)[0], "difference", {})
    if name == "component":
        return run_gitlab(service, of_component(), "session-tck-diff", {})
    jobs = documents(GITHUB if name == "github" else FORGEJO)[0]["jobs"].values()
    (step,) = (one for job in jobs for one in job["steps"] if "--format markdown" in one.get("run", ""))
    return service.shell(step["run"])


SERVICES = ("github", "forgejo", "gitlab", "component")


@pytest.mark.parametrize("name", SERVICES)
def test_a_difference_that_cannot_be_told_is_seen_and_no_failure(name: str, service: Service) -> None:
    service.stub("session-tck", NOT_COMPARABLE)
    done = difference_of(service, name)
    told = {"gitlab": (3, "NOT COMPARABLE: "), "component": (3, "NOT COMPARABLE: ")}
    code, line = told.get(name, (0, "::warning title=session-tck diff::NOT COMPARABLE: "))
    assert done.returncode == code, done.stderr
    assert [one for one in done.stdout.splitlines() if one.startswith(line)]


@pytest.mark.parametrize("name", SERVICES)
def test_a_difference_that_was_interrupted_fails(name: str, service: Service, tmp_path: Path) -> None:
    # What an earlier job left there is not taken for its answer.
    for left in ("difference.md", "session-tck-diff.md"):
        (service.folder / left).write_text("an older difference", encoding="utf-8")
    service.stub("session-tck", INTERRUPTED)
    done = difference_of(service, name)
    assert done.returncode == 4
    assert "COMPARABLE" not in done.stdout
    assert not (tmp_path / "posted.md").exists()


def test_no_engine_is_given_the_token_that_comments(service: Service) -> None:
    service.stub("session-tck", 'test -z "${SESSION_TCK_TOKEN:-}"\nexit 3\n')
    service.stub("python3", '[ "$1 $2" = "-m venv" ]\n')
    here = {"CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "2"}
    assert run_gitlab(service, documents(GITLAB)[0], "part", here).returncode == 0
    assert run_gitlab(service, of_component(), "session-tck-part", here).returncode == 0
    assert service.shell("session-tck").returncode == 1


def test_a_part_without_a_report_stops_the_job(service: Service) -> None:
    pipeline = documents(GITLAB)[0]
    pipeline["variables"] |= {**NARROW, "ARGS": "--requirement NAME-999"}
    assert run_gitlab(service, pipeline, "part", {"CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "2"}).returncode == 2


def test_the_reports_that_are_kept_are_as_the_kit_wrote_them() -> None:
    kept = {path.relative_to(EXAMPLE / "reports"): read(path) for path in EXAMPLE.rglob("report.json")}
    assert {str(path.parent): held["implementation"]["version"] for path, held in kept.items()} == {
        "tiny-engine/0.1.0": "0.1.0",
        "tiny-engine/0.2.0": "0.2.0",
    }
    assert {held["run"]["engine"] for held in kept.values()} == {"python engine/driver.py"}


def test_the_settings_of_the_example_can_be_read(tmp_path: Path) -> None:
    folder = copied(tmp_path / "engine")
    settings = read_project_file(folder / "session-tck.toml")
    assert settings.baseline == folder / "known-failures.toml"
    assert settings.command == ("python", "engine/driver.py")
