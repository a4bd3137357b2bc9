"""A model server beside one program, as it runs inside a container."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tck_fakes.modelserver.__main__ import environment
from tck_fakes.modelserver.asked import heard, read_log

FAKES = Path(__file__).parents[2] / "fakes"
MARK = "tck-0a1b2c3d"
#: Asks the model at `$MODEL` once, and says what it answered.
ASKS = f"""
import http.client, json, os, sys
from urllib.parse import urlsplit
link = http.client.HTTPConnection(urlsplit(os.environ["MODEL"]).netloc, timeout=30)
said = {{"model": "m", "messages": [{{"role": "user", "content": "{MARK}"}}]}}
link.request("POST", "/v1/messages", json.dumps(said))
answer = link.getresponse()
print(answer.status, json.loads(answer.read()).get("content"))
"""


def wrap(*words: str, given: str | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "tck_fakes.modelserver", *words],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(FAKES), **variables},
        input=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_the_program_finds_the_model_and_the_log_has_what_it_asked(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    ended = wrap("--log", str(log), "--", sys.executable, "-c", ASKS, TCK_ENV_MODEL="{model}/")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert heard(ended.stdout) == (MARK,)
    assert [one.marks for one in read_log(log)] == [(MARK,)]


def test_a_fault_is_for_the_program() -> None:
    ended = wrap("--fault", "429=1", "--", sys.executable, "-c", ASKS, TCK_ENV_MODEL="{model}")
    assert ended.stdout.startswith("429 ")


def test_stdin_arguments_and_exit_code_are_the_program_s_own() -> None:
    code = "import sys; print(sys.argv[1:], sys.stdin.read()); sys.exit(7)"
    ended = wrap("--", sys.executable, "-c", code, "--log", "a b", "--", "", given="hello")
    assert (ended.stdout, ended.returncode) == ("['--log', 'a b', '--', ''] hello\n", 7)


def test_only_variables_with_the_prefix_are_changed() -> None:
    ours = {"A": "{model}", "TCK_ENV_B": "{model}/v1", "TCK_ENV_A2": "plain", "TCK_ENV_": "x", "B": "old"}
    assert environment(ours, "http://here") == {"A": "{model}", "B": "http://here/v1", "A2": "plain"}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGKILL, 137), (signal.SIGTERM, 143)])
def test_a_program_that_a_signal_ends_gives_what_a_shell_gives(number: int, code: int) -> None:
    assert wrap("--", "sh", "-c", f"kill -{number} $$").returncode == code


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_goes_on_to_the_program(number: signal.Signals) -> None:
    code = (
        "import signal, sys, time\n"
        f"signal.signal({int(number)}, lambda *_: sys.exit(9))\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)"
    )
    words = [sys.executable, "-P", "-m", "tck_fakes.modelserver", "--", sys.executable, "-c", code]
    variables = {"PATH": os.environ["PATH"], "PYTHONPATH": str(FAKES)}
    with subprocess.Popen(words, env=variables, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        assert process.wait(60) == 9


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "no program is named"),
        (("--log", "x"), 2, "no program is named"),
        (("--fault", "nope", "--", "true"), 2, "there is no fault 'nope'"),
        (("--log", "/nowhere/log", "--", "true"), 2, "/nowhere/log"),
        (("--port", "99999", "--", "true"), 2, "port"),
        (("--port", "x", "--", "true"), 2, "--port"),
        (("--", "no-such-program"), 127, "no-such-program cannot be started"),
        (("--", "/etc/passwd"), 126, "/etc/passwd cannot be started"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(words: tuple[str, ...], code: int, said: str) -> None:
    ended = wrap(*words)
    assert (ended.returncode, ended.stdout) == (code, "")
    assert said in ended.stderr.splitlines()[-1]
    assert "Traceback" not in ended.stderr
