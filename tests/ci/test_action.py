"""The action: its shell parts run with a stubbed runner, and nothing that it is given or told becomes a command."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.reports.samples import mixed_report

from tck_reports.files import write_all

from .workflows import ACTION, ROOT, Node, Service, documents, filled, steps

#: A requirement whose scenarios are few.
FAST = "--requirement NAME-1 --workers 1"


def outputs(path: Path) -> dict[str, str]:
    """Read what a step has put out, as a runner does."""
    held: dict[str, str] = {}
    lines = iter(path.read_text(encoding="utf-8").splitlines())
    for line in lines:
        name, mark, end = line.partition("<<")
        if mark:
            value: list[str] = []
            for one in lines:
                if one == end:
                    break
                value.append(one)
            held[name] = "\n".join(value)
        else:
            name, _, held_value = line.partition("=")
            held[name] = held_value
    return held


@pytest.fixture
def runner(tmp_path: Path) -> Service:
    (tmp_path / "work").mkdir()
    service = Service(tmp_path / "work", tmp_path / "stubs")
    for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV"):
        (tmp_path / name).touch()
        service.variables[name] = str(tmp_path / name)
    service.variables |= {"GITHUB_ACTION_PATH": str(ROOT), "RUNNER_TEMP": str(tmp_path)}
    return service


def used(service: Service, **inputs: str) -> tuple[list[subprocess.CompletedProcess[str]], dict[str, str]]:
    """Run the steps of the action with these inputs, and give what each did and what came out of all."""
    action: Node = documents(ACTION)[0]
    given = {name: str(one["default"]) for name, one in action["inputs"].items()} | {"version": "installed"} | inputs
    known = {f"inputs.{name}": value for name, value in given.items()}
    done: list[subprocess.CompletedProcess[str]] = []
    path = Path(service.variables["GITHUB_OUTPUT"])
    for step in steps(action["runs"]):
        known["steps.install.outputs.python"] = outputs(path).get("python", "")
        env = {name: filled(str(value), known) for name, value in step["env"].items()}
        folder = service.folder / filled(step.get("working-directory", "."), known)
        done.append(service.shell(step["run"], env, folder=folder))
        if done[-1].returncode:
            break
    return done, outputs(path)


def test_a_run_tells_verdict_exit_code_folder_and_digest_and_adds_the_summary(runner: Service, tmp_path: Path) -> None:
    (install, run), told = used(runner, engine="sim", args=FAST, seed="1")
    report = json.loads((runner.folder / "conformance" / "report.json").read_text(encoding="utf-8"))
    assert (install.returncode, run.returncode) == (0, 3), run.stderr
    assert {name: told[name] for name in ("verdict", "exit-code", "report-dir", "digest", "folder")} == {
        "verdict": "indeterminate",
        "exit-code": "3",
        "report-dir": "conformance",
        "digest": report["digest"],
        "folder": str(runner.folder / "conformance"),
    }
    summary = (runner.folder / "conformance" / "summary.md").read_text(encoding="utf-8")
    assert (tmp_path / "GITHUB_STEP_SUMMARY").read_text(encoding="utf-8").startswith(summary)
    assert report["run"]["argv"][:2] == ["session-tck", "run"]
    # Whatever the kit prints stands between the two marks that keep the runner from obeying it.
    first, *_, last = [line for line in run.stdout.splitlines() if line.startswith("::")]
    assert first.removeprefix("::stop-commands::") == last.strip(":")


def test_parts_pass_and_their_merge_gives_the_verdict(runner: Service) -> None:
    for number in ("1", "2"):
        done, told = used(
            runner, engine="sim", args=FAST, seed="1", shard=f"{number}/2", **{"report-dir": f"parts/{number}"}
        )
        assert done[-1].returncode == 0, done[-1].stderr
        assert told["exit-code"] == "3"
    done, told = used(runner, merge="parts")
    assert (done[-1].returncode, told["exit-code"], told["verdict"]) == (3, "3", "indeterminate")
    report = json.loads((runner.folder / "conformance" / "report.json").read_text(encoding="utf-8"))
    assert [part["number"] for part in report["run"]["parts"]] == [1, 2]


def test_a_part_without_a_report_fails(runner: Service) -> None:
    done, told = used(runner, engine="sim", shard="3/2", seed="1")
    assert (done[-1].returncode, told["exit-code"], told["report-dir"]) == (2, "2", "")


def test_a_version_that_is_not_there_is_said(runner: Service) -> None:
    runner.stub("python3", "exit 1\n")
    (install,), told = used(runner)
    assert install.returncode == 2
    assert "::error::session-tck is not installed" in install.stderr
    assert told == {}


def test_a_version_is_installed_beside_the_engine_s_own_python(runner: Service, tmp_path: Path) -> None:
    # In the place of pip: it writes down what it was asked for.
    runner.stub(
        "python3",
        'if [ "$2" = venv ]; then mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; exit; fi\n'
        f'printf "%s\\n" "$@" >> {tmp_path}/asked\n',
    )
    script = next(steps(documents(ACTION)[0]["runs"]))["run"]
    for version, right in (("session-tck==0.1.0; rm -rf /", "session-tck==0.1.0; rm -rf /"), ("", str(ROOT))):
        (tmp_path / "asked").unlink(missing_ok=True)
        assert runner.shell(script, {"TCK_VERSION": version}).returncode == 0
        asked = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
        assert asked[: asked.index(right) + 1][-2:] == ["--", right]
    assert outputs(tmp_path / "GITHUB_OUTPUT")["python"].startswith(f"{tmp_path}/session-tck.")


@pytest.fixture(scope="module")
def action() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ci_action", ROOT / "ci" / "action.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("inputs", "right"),
    [
        ({}, ["run", "--report-dir", "conformance"]),
        (
            {"TCK_ENGINE": "node driver.js; $(id)", "TCK_REPORT_DIR": "a b"},
            ["run", "--report-dir", "a b", "--engine", "node driver.js; $(id)"],
        ),
        (
            {
                "TCK_ARGS": "--area 'RESUME' --time-limit 60",
                "TCK_SHARD": "2/5",
                "TCK_SEED": "1",
                "TCK_BASELINE": "k.toml",
            },
            [
                "run",
                "--report-dir",
                "conformance",
                "--baseline",
                "k.toml",
                "--shard",
                "2/5",
                "--seed",
                "1",
                "--area",
                "RESUME",
                "--time-limit",
                "60",
            ],
        ),
        (
            {"TCK_ARGS": "--engine sim --seeds 1,2", "TCK_BASELINE": "k.toml"},
            ["run", "--report-dir", "conformance", "--baseline", "k.toml", "--engine", "sim", "--seeds", "1,2"],
        ),
        (
            {"TCK_MERGE": "parts", "TCK_ARGS": "--allow-missing"},
            ["merge", "parts", "--report-dir", "conformance", "--allow-missing"],
        ),
    ],
)
def test_inputs_become_words_of_one_command(action: ModuleType, inputs: Mapping[str, str], right: list[str]) -> None:
    assert action.words(inputs) == right


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ({"TCK_ARGS": "--area 'RESUME"}, "args cannot be read: No closing quotation; quote them as in a shell"),
        (
            {"TCK_ARGS": "--report-dir other"},
            "args: report-dir is an input of its own; give that, and leave the option out of args",
        ),
        (
            {"TCK_MERGE": "parts", "TCK_ARGS": "-oother"},
            "args: report-dir is an input of its own; give that, and leave the option out of args",
        ),
        *(
            (
                {"TCK_ARGS": f"--area X {option}", f"TCK_{name.upper()}": "1/2"},
                f"args: --{name} is given, and the input {name} as well; leave one of them out",
            )
            for name in ("engine", "baseline", "shard", "seed")
            for option in (f"--{name} 1/2", f"--{name}=1/2")
        ),
        ({"TCK_MERGE": "parts", "TCK_SEED": "1"}, "seed is for a run, and merge is given; leave one of them out"),
    ],
)
def test_inputs_that_cannot_be_meant_are_one_annotation(
    action: ModuleType, inputs: Mapping[str, str], told: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "out").touch()
    assert action.main({**inputs, "GITHUB_OUTPUT": str(tmp_path / "out")}) == 2
    assert capsys.readouterr().out == f"::error title=session-tck::{told}\n"
    assert outputs(tmp_path / "out")["exit-code"] == "2"


Performed = Callable[..., subprocess.CompletedProcess[str]]


def test_what_is_printed_or_written_in_a_report_is_never_a_command_to_the_runner(
    action: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    hostile = mixed_report()
    hostile["requirements"][1]["text"] = "be right\n::add-mask::x\r%0A::set-env name=PATH::/tmp"
    hostile["stale_entries"] = ["x::error::y, a:b\n::notice::z"]
    seen: dict[str, Any] = {}

    def performed(command: list[str], *, check: bool, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
        assert not check
        seen.update(env)
        sys.stdout.write("::add-path::/tmp/evil\n")
        write_all(hostile, tmp_path / "report")
        return subprocess.CompletedProcess(command, 1)

    monkeypatch.setattr(action.subprocess, "run", performed)
    monkeypatch.setenv("GITHUB_ENV", "/somewhere")
    monkeypatch.setenv("PATH", "/usr/bin")
    assert action.main({"TCK_REPORT_DIR": str(tmp_path / "report"), "TCK_ENGINE": "x\n::warning::y"}) == 1
    lines = capsys.readouterr().out.splitlines()
    begin = next(place for place, line in enumerate(lines) if line.startswith("::stop-commands::"))
    token = lines[begin].removeprefix("::stop-commands::")
    end = lines.index(f"::{token}::")
    assert begin == 0
    assert {"::add-path::/tmp/evil", "::warning::y'"} <= {*lines[begin:end]}
    assert len(token) == 32
    marks = lines[end + 1 :]
    assert all(re.fullmatch(r"::error title=[^:,\n]*::[^\r\n]*", line) for line in marks)
    assert len(marks) <= 10
    assert "be right%0A::add-mask::x%0D%250A::set-env name=PATH::/tmp" in "".join(marks)
    assert "PATH" in seen
    assert "GITHUB_ENV" not in seen


def test_an_older_report_is_not_taken_for_that_of_a_run_that_wrote_none(
    action: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_all(mixed_report(), tmp_path / "report")
    monkeypatch.setattr(action.subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 2))
    (tmp_path / "out").touch()
    assert action.main({"TCK_REPORT_DIR": str(tmp_path / "report"), "GITHUB_OUTPUT": str(tmp_path / "out")}) == 2
    assert outputs(tmp_path / "out")["report-dir"] == ""


def test_the_verdict_is_the_worst_of_those_that_were_asked_for(action: ModuleType) -> None:
    def of(**results: str) -> dict[str, Any]:
        return {"verdict": {name: {"result": result} for name, result in results.items()}, "run": {"asked": [*results]}}

    assert action.verdict(of(core="conformant", hardened="nonconformant")) == "nonconformant"
    assert action.verdict(of(core="indeterminate", hardened="nonconformant")) == "indeterminate"
    assert action.verdict({**of(core="conformant"), "verdict": {"core": {"result": "conformant"}}}) == "conformant"
    assert action.verdict(of()) == "indeterminate"


def test_a_summary_that_a_runner_would_refuse_is_cut(action: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "summary.md").write_text("ä" * 1024 * 1024, encoding="utf-8")
    text = action.summary(tmp_path / "summary.md")
    assert len(text.encode()) < 1024 * 1024
    assert text.endswith("The rest is in summary.md of the report.\n")
