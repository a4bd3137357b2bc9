"""Real processes that start the installed stand-ins, as an engine in any language does."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tck_driver.bench import Script
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import CliAnswered, CliStarted, ContainerEnded, ContainerStarted
from tck_fakes.programs import client
from tck_fakes.programs.install import install
from tck_fakes.programs.programs import NAMES

from .box import STATE, Box
from .outside import PATIENCE, Outside, until

CODEX = "image codex exec --json --skip-git-repo-check -- hello"


@pytest.fixture
def outside(box: Box, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outside]:
    for name in ("state", "workspace", "home"):
        (box.root / name).mkdir()
    made = Outside(box, box.root / "a folder", tmp_path_factory.mktemp("s") / "kit")
    yield made
    made.listener.close()


def claude(outside: Outside, *argv: str, name: str, mounted: bool = True) -> tuple[int, str, str]:
    state = f"--mount=type=bind,src={outside.box.root}/state,dst={STATE['claude']}"
    mounts = ["-v", f"{outside.box.root}/workspace:/workspace", *([state] if mounted else [])]
    return outside.run(
        "docker", "run", "--rm", "--name", name, *mounts, "-w", "/workspace", "image", "claude", "-p", *argv
    )


def test_a_session_is_kept_on_the_host_and_resumed_in_a_second_container(outside: Outside) -> None:
    assert claude(outside, "--", "first", name="one") == (0, "Done.\n", "")
    (file,) = (outside.box.root / "state").rglob("*.jsonl")
    assert file.parent.name == "-workspace"
    assert claude(outside, f"--resume={file.stem}", "--", "second", name="two")[0] == 0
    answered = outside.box.witness.of(CliAnswered)
    assert [record.session_id for record in answered] == [file.stem, file.stem]
    assert [record.remembered for record in answered] == [(), ("first",)]
    containers = [record.container for record in outside.box.witness.of(ContainerStarted)]
    assert len(set(containers)) == 2


def test_what_is_not_mounted_is_not_seen(outside: Outside) -> None:
    claude(outside, "--", "first", name="one")
    (file,) = (outside.box.root / "state").rglob("*.jsonl")
    code, _, err = claude(outside, f"--resume={file.stem}", "--", "second", name="two", mounted=False)
    assert (code, err) == (1, f"No conversation found with session ID: {file.stem}\n")
    assert claude(outside, "--", "third", name="three", mounted=False)[0] == 0
    assert list((outside.box.root / "state").rglob("*.jsonl")) == [file]


def test_a_detached_container_is_waited_for_read_described_and_removed(outside: Outside) -> None:
    outside.box.runtime.script(AdapterId.CODEX, Script("hang"))
    code, full, _ = outside.docker(f"run -d --name nn -l run=r1 {CODEX}")
    assert (code, len(full)) == (0, 65)
    assert outside.docker("inspect -f '{{.State.Running}} {{.Id}}' nn")[1] == f"true {full}"
    assert outside.docker("ps --filter label=run=r1 --format '{{.Names}}'")[1] == "nn\n"
    waiting = outside.start("docker", "wait", "nn")
    with outside.lock:
        outside.box.runtime.release()
    assert waiting.communicate(timeout=PATIENCE) == ("0\n", "")
    assert waiting.returncode == 0
    code, out, err = outside.docker("logs nn")
    assert (code, "turn.completed" in out, err) == (0, True, "Reading additional input from stdin...\n")
    assert outside.docker("inspect -f '{{.State.Status}} {{.State.ExitCode}}' nn")[1] == "exited 0\n"
    assert outside.docker("rm nn") == (0, "nn\n", "")
    assert outside.docker("rm nn")[0] == 1


def test_output_comes_while_the_container_waits_for_the_clock(outside: Outside) -> None:
    outside.box.runtime.script(AdapterId.CODEX, Script(duration_ms=60_000))
    run = outside.start("docker", "run", "--name", "nn", *CODEX.split())
    assert run.stdout is not None
    assert "thread.started" in run.stdout.readline()
    outside.parked("nn")
    assert run.poll() is None
    with outside.lock:
        outside.box.clock.advance(60_000)
    out, _ = run.communicate(timeout=PATIENCE)
    assert (run.returncode, "turn.completed" in out) == (0, True)


def test_a_container_whose_client_was_killed_runs_on(outside: Outside) -> None:
    outside.box.runtime.script(AdapterId.CODEX, Script("hang"))
    run = outside.start("docker", "run", "--rm", "--name", "nn", *CODEX.split())
    outside.parked("nn")
    run.kill()
    run.communicate(timeout=PATIENCE)
    assert outside.docker("ps -q --filter name=nn")[1] != ""
    assert outside.docker("kill nn") == (0, "nn\n", "")
    ends = [(record.how, record.exit_code) for record in outside.box.witness.of(ContainerEnded)]
    assert ends == [("stopped", 137), ("removed", 137)]


@pytest.mark.parametrize(("options", "code"), [(["--init"], 143), ([], 0)])
def test_a_signal_to_the_client_ends_a_container_with_init_alone(
    outside: Outside, options: list[str], code: int
) -> None:
    outside.box.runtime.script(AdapterId.CODEX, Script("hang"))
    run = outside.start("docker", "run", *options, "--name", "nn", *CODEX.split())
    outside.parked("nn")
    run.send_signal(signal.SIGTERM)
    if not options:
        # The signal arrives before a command that is started after it ends.
        assert outside.docker("inspect -f '{{.State.Running}}' nn")[1] == "true\n"
        with outside.lock:
            outside.box.runtime.release()
    run.communicate(timeout=PATIENCE)
    assert run.returncode == code


def test_standard_input_reaches_the_agent(outside: Outside) -> None:
    prompt = 'Ünï "quoted" \\ \t\n' + "x" * 300_000
    assert outside.docker("run -i image claude -p", stdin=prompt) == (0, "Done.\n", "")
    assert [record.prompt for record in outside.box.witness.of(CliStarted)] == [prompt]


def test_arguments_and_variables_arrive_as_they_are(outside: Outside) -> None:
    odd = "a b'c\"d\\e\n\tf\x7fé€😀"
    assert outside.run("docker", "run", "-e", f"A={odd}", "-e", "B", "image", "claude", "-p", "--", odd, B=odd)[0] == 0
    (started,) = outside.box.witness.of(ContainerStarted)
    assert started.argv == ("claude", "-p", "--", odd)
    assert started.environment == (("A", odd), ("B", odd))


def test_bytes_that_are_no_text_stop_nothing(outside: Outside) -> None:
    assert outside.run("docker", "run", "image", "claude", "-p", "--", b"caf\xe9")[0] == 0
    assert [record.prompt for record in outside.box.witness.of(CliStarted)] == ["caf\ufffd"]
    assert outside.run("docker", b"\xe9") == (
        125,
        "",
        "session-tck's stand-in for docker does not know the command docker \ufffd\n",
    )


def test_many_run_at_once(outside: Outside) -> None:
    runs = [outside.start("docker", "run", "--rm", "--name", f"n{number}", *CODEX.split()) for number in range(12)]
    outs = [run.communicate(timeout=PATIENCE)[0] for run in runs]
    assert [run.returncode for run in runs] == [0] * 12
    assert len({out.splitlines()[0] for out in outs}) == 12


def test_a_large_answer_arrives_whole(outside: Outside) -> None:
    answer = "é" * 2_000_000
    outside.box.runtime.script(AdapterId.CLAUDE_CODE, Script(answer=answer))
    assert outside.docker("run image claude -p -- hello") == (0, f"{answer}\n", "")


def test_a_reader_that_goes_away_stops_neither_client_nor_container(outside: Outside) -> None:
    outside.box.runtime.script(AdapterId.CODEX, Script("hang"))
    run = outside.start("docker", "run", "--name", "nn", *CODEX.split())
    outside.parked("nn")
    assert run.stdout is not None
    run.stdout.close()
    with outside.lock:
        outside.box.runtime.release()
    assert run.wait(PATIENCE) == 0
    assert run.stderr is not None
    run.stderr.close()


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_an_empty_one(outside: Outside, closed: str) -> None:
    assert outside.run("sh", "-c", f"docker run -i --name nn image claude -p -- hello {closed}")[0] == 0
    assert [record.stdin for record in outside.box.witness.of(ContainerStarted)] == [""]


# Without a container


def test_a_cli_on_the_host_keeps_its_session_in_the_caller_s_home(outside: Outside) -> None:
    home = outside.box.root / "home"
    assert outside.run("claude", "-p", "--", "hello", HOME=str(home)) == (0, "Done.\n", "")
    assert len(list((home / ".claude" / "projects").rglob("*.jsonl"))) == 1
    (started,) = outside.box.witness.of(ContainerStarted)
    assert (started.image, started.user) == ("", f"{os.getuid()}:{os.getgid()}")
    assert started.workdir == str(outside.box.root)


def test_a_cli_on_the_host_reads_its_standard_input(outside: Outside) -> None:
    assert outside.run("claude", "-p", stdin="hello", HOME=str(outside.box.root / "home"))[0] == 0
    assert [record.prompt for record in outside.box.witness.of(CliStarted)] == ["hello"]


def test_a_cli_on_the_host_gives_up_a_standard_input_that_nobody_writes_to(outside: Outside) -> None:
    begin = f"import sys; sys.path.insert(0, {str(Path(client.__file__).parent)!r}); import client as c"
    hasty = f"{begin}; c.PATIENCE_SECONDS = 0.01; c.main()"
    run = outside.start(
        sys.executable, "-I", "-S", "-c", hasty, str(outside.socket), "claude", "-p", "--", "hello",
        stdin=subprocess.PIPE, HOME=str(outside.box.root / "home"),
    )  # fmt: skip
    assert run.wait(PATIENCE) == 0
    run.communicate(timeout=PATIENCE)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_cli_on_the_host_dies_from_a_signal(outside: Outside, number: signal.Signals) -> None:
    outside.box.runtime.script(AdapterId.CLAUDE_CODE, Script("hang_early"))
    run = outside.start("claude", "-p", "--", "hello", HOME=str(outside.box.root / "home"))
    until(outside.box.runtime.running, "the agent runs")
    run.send_signal(number)
    run.communicate(timeout=PATIENCE)
    assert run.returncode == -number
    until(lambda: len(outside.box.witness.of(ContainerEnded)) == 2, "the agent is dead")
    ends = [(record.how, record.exit_code) for record in outside.box.witness.of(ContainerEnded)]
    assert ends == [("stopped", 128 + number), ("removed", 128 + number)]


def test_a_cli_on_the_host_that_is_killed_is_seen_to_be(outside: Outside) -> None:
    outside.box.runtime.script(AdapterId.CLAUDE_CODE, Script("killed"))
    assert outside.run("claude", "-p", "--", "hello", HOME=str(outside.box.root / "home"))[0] == -signal.SIGKILL


# Installing


def test_every_program_is_installed_and_can_be_run_by_anybody(tmp_path: Path) -> None:
    install(tmp_path / "it's here", tmp_path / "so cket")
    there = [path for path in (tmp_path / "it's here").iterdir() if not path.name.startswith(".")]
    assert sorted(path.name for path in there) == sorted(NAMES)
    assert {stat.S_IMODE(path.stat().st_mode) for path in there} == {0o755}
    assert set(NAMES) == {"docker", "claude", "codex", "opencode", "copilot", "grok"}


@pytest.mark.parametrize("program", NAMES)
def test_without_a_kit_a_program_says_so_in_one_line(tmp_path: Path, program: str) -> None:
    install(tmp_path / "it's here", tmp_path / "so cket")
    done = subprocess.run(
        [tmp_path / "it's here" / program, "--version"], capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (125, "", 1)
    assert done.stderr == (
        f"session-tck's stand-in for {program}: no test kit answers at {tmp_path}/so cket "
        "(No such file or directory); run the engine from session-tck\n"
    )
