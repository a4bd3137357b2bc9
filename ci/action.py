"""What action.yml does: run the kit, or merge parts, as its inputs say, and tell the job what came of it.

The inputs are variables of the environment, so that no shell ever reads them. What the kit prints is written to a log
in which a line can be a command to the runner, and an engine has a say in what is printed: so the runner is told to
take no commands until the kit has ended.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

#: Exit codes of a part that a merge tells of: 1 and 5 are of the whole run, and a part is always incomplete.
LEFT_TO_THE_MERGE = frozenset({1, 3, 5})
#: What is an input and an option as well; which of the two was meant could not be known.
EITHER_WAY = ("engine", "baseline", "shard", "seed")
#: What a step writes for the steps after it, which an engine has no business with.
RUNNER_FILES = frozenset({"GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"})
#: How bad a verdict is.
VERDICTS = ("conformant", "nonconformant", "indeterminate")
#: A runner shows no more annotations of one step, and takes no longer summary.
MOST_ANNOTATIONS = 10
MOST_BYTES = 1024 * 1024 - 1024


class Mistake(Exception):  # noqa: N818 -- named as the kit names them
    """An input that cannot be meant."""


def words(inputs: Mapping[str, str]) -> list[str]:
    """Return the command that the inputs ask for, without the program."""
    try:
        more = shlex.split(inputs.get("TCK_ARGS", ""))
    except ValueError as fault:
        raise Mistake(f"args cannot be read: {fault}; quote them as in a shell") from fault
    _refuse_twice(more, inputs)
    folder = inputs.get("TCK_REPORT_DIR") or "conformance"
    if merged := inputs.get("TCK_MERGE", ""):
        for name in EITHER_WAY:
            if inputs.get(f"TCK_{name.upper()}"):
                raise Mistake(f"{name} is for a run, and merge is given; leave one of them out")
        return ["merge", merged, "--report-dir", folder, *more]
    command = ["run", "--report-dir", folder]
    for option in EITHER_WAY:
        if value := inputs.get(f"TCK_{option.upper()}", ""):
            command += [f"--{option}", value]
    return [*command, *more]


def _refuse_twice(more: list[str], inputs: Mapping[str, str]) -> None:
    """Raise `Mistake` where args say what an input says: the last one would win, and nobody would be told."""
    told = {word.partition("=")[0] for word in more}
    # The short form takes its value with or without a space.
    if "--report-dir" in told or any(re.match(r"-o(?!-)", word) for word in more):
        raise Mistake("args: report-dir is an input of its own; give that, and leave the option out of args")
    for name in EITHER_WAY:
        if f"--{name}" in told and inputs.get(f"TCK_{name.upper()}"):
            raise Mistake(f"args: --{name} is given, and the input {name} as well; leave one of them out")


def main(inputs: Mapping[str, str]) -> int:
    """Run it, tell the job, and return the exit code of the step."""
    try:
        command = words(inputs)
    except Mistake as mistake:
        _say(f"::error title=session-tck::{escaped(str(mistake))}")
        _put(inputs, "GITHUB_OUTPUT", "exit-code=2\nverdict=\nreport-dir=\nfolder=\ndigest=\n")
        return 2
    folder = Path(inputs.get("TCK_REPORT_DIR") or "conformance")
    before = _stamp(folder / "report.json")
    code = _performed(command)
    report: dict[str, Any] | None = None
    if _stamp(folder / "report.json") not in {None, before}:
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    outputs = {
        "exit-code": str(code),
        "verdict": "" if report is None else verdict(report),
        "report-dir": "" if report is None else str(folder),
        # Actions that keep artifacts do not know in which folder this one was run.
        "folder": "" if report is None else str(folder.absolute()),
        "digest": "" if report is None else str(report["digest"]),
    }
    _put(inputs, "GITHUB_OUTPUT", "".join(_assigned(name, value) for name, value in outputs.items()))
    if report is not None and inputs.get("TCK_SUMMARY", "true") == "true":
        _put(inputs, "GITHUB_STEP_SUMMARY", summary(folder / "summary.md"))
    if report is not None and inputs.get("TCK_ANNOTATIONS", "true") == "true":
        for line in marks(report):
            _say(line)
    return 0 if inputs.get("TCK_SHARD") and code in LEFT_TO_THE_MERGE else code


def verdict(report: Mapping[str, Any]) -> str:
    """Return the worst verdict of the profiles that were asked for."""
    asked = report["run"]["asked"]
    results = {held["result"] for profile, held in report["verdict"].items() if profile in asked}
    return max(results, key=VERDICTS.index, default="indeterminate")


def summary(path: Path) -> str:
    """Return the summary, cut where a runner would take none of it."""
    content = path.read_bytes()
    if len(content) <= MOST_BYTES:
        return f"{content.decode('utf-8')}\n"
    return f"{content[:MOST_BYTES].decode('utf-8', 'ignore')}\n\nThe rest is in summary.md of the report.\n"


def marks(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield the commands that mark what failed: requirements, and entries of the baseline that are out of date."""
    if report["run"]["shard"] is not None and report["exit_code"] in LEFT_TO_THE_MERGE:
        return
    wrong = [one for one in report["requirements"] if one["outcome"] in {"failed", "error", "flaky", "untestable"}]
    stale = [("stale baseline", one) for one in report["stale_entries"]]
    told = [(f"{one['id']} {one['outcome']}", one["text"]) for one in wrong] + stale
    for title, text in told[:MOST_ANNOTATIONS]:
        named = escaped(title).replace(":", "%3A").replace(",", "%2C")
        yield f"::error title={named}::{escaped(text)}"


def escaped(text: str) -> str:
    """Return the text such that it stays one line of one command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _performed(command: list[str]) -> int:
    """Run the kit, while no line of the log is a command to the runner and no file of it is within reach."""
    program = [sys.executable, "-P", "-m", "tck_kit.command_line", *command]
    around = {name: value for name, value in os.environ.items() if name not in RUNNER_FILES}
    token = secrets.token_hex(16)
    _say(f"::stop-commands::{token}")
    try:
        _say(shlex.join(["session-tck", *command]))
        return subprocess.run(program, check=False, env=around).returncode
    finally:
        _say(f"\n::{token}::")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _stamp(path: Path) -> tuple[int, int] | None:
    """Return what changes when a file is written anew, None where there is none."""
    try:
        held = path.stat()
    except OSError:
        return None
    return held.st_ino, held.st_mtime_ns


def _assigned(name: str, value: str) -> str:
    """Return an output in the form in which no value can end it and begin another one."""
    end = secrets.token_hex(16)
    return f"{name}<<{end}\n{value}\n{end}\n"


def _put(inputs: Mapping[str, str], name: str, text: str) -> None:
    if path := inputs.get(name):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    sys.exit(main(os.environ))
