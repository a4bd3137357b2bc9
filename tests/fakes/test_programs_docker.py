"""The docker command over containers that run, hang, end and are removed."""

from __future__ import annotations

import signal

import pytest

from tck_driver.bench import Script
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import CliAnswered, ContainerEnded, ContainerStarted, VersionAsked

from .box import Box
from .desk import CODEX, Desk


@pytest.fixture
def desk(box: Box) -> Desk:
    return Desk(box)


def hows(desk: Desk) -> list[tuple[str, int | None]]:
    return [(record.how, record.exit_code) for record in desk.box.witness.of(ContainerEnded)]


# Running


def test_an_attached_run_shows_both_streams_and_ends_as_the_container(desk: Desk) -> None:
    reply = desk.docker(f"run {CODEX}")
    assert reply.code == 0
    assert reply.stdout.startswith('{"type":"thread.started"')
    assert reply.stderr == "Reading additional input from stdin...\n"
    desk.box.runtime.script(AdapterId.CODEX, Script("generic_error"))
    assert desk.docker(f"run {CODEX}").code == 1


@pytest.mark.parametrize(
    ("words", "shown"), [("-a stdout", (True, False)), ("-a STDERR", (False, True)), ("", (True, True))]
)
def test_only_the_streams_that_are_attached_are_shown(desk: Desk, words: str, shown: tuple[bool, bool]) -> None:
    reply = desk.docker(f"run {words} {CODEX}")
    assert (reply.stdout != "", reply.stderr != "") == shown


def test_a_run_streams_what_comes_and_waits_for_the_clock(desk: Desk) -> None:
    desk.box.runtime.script(AdapterId.CODEX, Script(duration_ms=5000))
    reply = desk.docker(f"run --name nn {CODEX}")
    assert (reply.code, reply.stdout.count("\n")) == (None, 2)
    assert desk.box.runtime.parked("nn")
    desk.box.clock.advance(4999)
    assert (reply.code, desk.box.runtime.parked("nn")) == (None, True)
    desk.box.clock.advance(1)
    assert (reply.code, desk.box.runtime.parked("nn")) == (0, False)
    assert "turn.completed" in reply.stdout


def test_a_run_that_hangs_waits_for_the_bench(desk: Desk) -> None:
    reply = desk.hang("run --name nn")
    assert (reply.code, desk.box.runtime.parked("nn")) == (None, True)
    desk.box.clock.advance(1_000_000)
    assert reply.code is None
    desk.box.runtime.release()
    assert reply.code == 0


def test_a_detached_run_names_the_container_and_returns(desk: Desk) -> None:
    reply = desk.hang()
    live = desk.box.runtime.look("nn")
    assert live is not None
    assert reply.said == (0, f"{live.long_id}\n", "")
    assert live.long_id.startswith(live.id)


def test_rm_removes_at_the_end_and_before_the_client_learns_of_it(desk: Desk) -> None:
    reply = desk.hang("run --rm --name nn")
    assert desk.docker("ps -q").stdout != ""
    desk.box.runtime.release()
    assert reply.code == 0
    assert hows(desk) == [("exited", 0), ("removed", 0)]
    assert desk.docker("ps -aq").stdout == ""


def test_a_version_command_is_answered_as_in_process(desk: Desk) -> None:
    reply = desk.docker("run --rm --network none image claude --version")
    assert reply.said == (0, "2.1.197 (Claude Code)\n", "")
    assert desk.box.witness.of(VersionAsked) == [
        VersionAsked(AdapterId.CLAUDE_CODE, "image", "2.1.197 (Claude Code)\n")
    ]


# Names


def test_a_name_is_taken_until_its_container_is_removed(desk: Desk) -> None:
    first = desk.docker(f"run -d --name nn {CODEX}").stdout.strip()
    again = desk.docker(f"run --name nn {CODEX}")
    text = (
        'docker: Error response from daemon: Conflict. The container name "/nn" is already in use by container '
        f'"{first}". You have to remove (or rename) that container to be able to reuse that name.\n\n'
        "Run 'docker run --help' for more information\n"
    )
    assert again.said == (125, "", text)
    assert desk.docker("rm nn").said == (0, "nn\n", "")
    assert desk.docker(f"run --name nn {CODEX}").code == 0


def test_a_container_is_found_by_its_name_and_by_what_its_id_begins_with(desk: Desk) -> None:
    full = desk.hang().stdout.strip()
    for reference in ("nn", "/nn", full, full[:12], full[:4]):
        live = desk.box.runtime.look(reference)
        assert live is not None
        assert live.long_id == full
    for reference in ("", "/", "n", full[1:], f"{full}0"):
        assert desk.box.runtime.look(reference) is None


def test_a_beginning_that_two_ids_share_means_neither(desk: Desk) -> None:
    ids = [desk.docker(f"run -d {CODEX}").stdout.strip() for _ in range(40)]
    shared = next(one for one in ids if [other[0] for other in ids].count(one[0]) > 1)
    assert desk.docker(f"rm {shared[0]}").code == 1
    assert desk.docker(f"rm {shared[:12]}").code == 0


def test_the_kit_knows_a_container_by_name_also_after_its_removal(desk: Desk) -> None:
    runtime = desk.box.runtime
    assert not runtime.known("nn")
    assert not runtime.parked("nn")
    desk.hang()
    assert runtime.known("nn")
    desk.docker("rm -f nn")
    assert runtime.known("nn")
    assert not runtime.parked("nn")
    desk.hang()
    assert runtime.parked("nn")
    assert not runtime.known("")


def test_a_container_that_only_waits_to_be_started_does_not_stand_still(desk: Desk) -> None:
    desk.docker(f"create --name nn {CODEX}")
    assert (desk.box.runtime.known("nn"), desk.box.runtime.parked("nn")) == (True, False)


# Ending

ENDS = [
    ("kill nn", "", 137),
    ("kill nn", "--init", 137),
    ("kill -s KILL nn", "", 137),
    ("kill -s TERM nn", "--init", 143),
    ("kill --signal=SIGINT nn", "--init", 130),
    ("kill -s 1 nn", "--init", 129),
    ("stop nn", "", 137),
    ("stop -t 3 nn", "--init", 143),
    ("stop -s INT nn", "--init", 130),
    ("stop nn", "--init --stop-signal QUIT", 131),
    ("stop nn", "--init=false", 137),
    ("rm -f nn", "", 137),
    ("rm -fv nn", "--init", 137),
]


@pytest.mark.parametrize(("words", "options", "code"), ENDS)
def test_a_running_container_is_ended_from_outside(desk: Desk, words: str, options: str, code: int) -> None:
    reply = desk.hang(f"run --name nn {options}")
    assert desk.docker(words).said == (0, "nn\n", "")
    assert reply.code == code
    how = "removed" if words.startswith("rm") else "stopped"
    assert hows(desk) == [(how, code)]
    assert [record.exit_code for record in desk.box.witness.of(CliAnswered)] == [code]


@pytest.mark.parametrize("words", ["kill -s TERM nn", "kill -s HUP nn"])
def test_a_first_process_without_init_ignores_a_signal(desk: Desk, words: str) -> None:
    reply = desk.hang("run --name nn")
    assert desk.docker(words).said == (0, "nn\n", "")
    assert (reply.code, desk.box.runtime.parked("nn")) == (None, True)


@pytest.mark.parametrize(("options", "code"), [("", None), ("--init", 143), ("--sig-proxy=false", 143)])
def test_a_signal_to_the_client_is_handed_on(desk: Desk, options: str, code: int | None) -> None:
    reply = desk.hang(f"run --name nn {options}")
    reply.signal(signal.SIGTERM)
    assert reply.code == code
    assert (desk.box.runtime.running() == []) == (options == "--init")


def test_a_client_gives_up_at_the_third_signal_and_its_container_runs_on(desk: Desk) -> None:
    reply = desk.hang("run --name nn")
    for _ in range(3):
        assert reply.code is None
        reply.signal(signal.SIGINT)
    assert (reply.code, reply.stderr.splitlines()[-1]) == (1, "got 3 SIGTERM/SIGINTs, forcefully exiting")
    assert desk.box.runtime.parked("nn")


def test_a_container_whose_client_vanished_runs_on(desk: Desk) -> None:
    reply = desk.hang("run --rm --name nn")
    reply.gone()
    assert desk.box.runtime.parked("nn")
    desk.box.runtime.release()
    assert hows(desk) == [("exited", 0), ("removed", 0)]


def test_a_running_container_is_removed_by_force_only(desk: Desk) -> None:
    desk.hang()
    text = 'Error response from daemon: cannot remove container "/nn": container is running: stop the container before '
    assert desk.docker("rm nn").said == (1, "", f"{text}removing or force remove\n")
    assert desk.docker("rm -f nn").code == 0


def test_what_has_ended_cannot_be_killed_and_may_be_stopped(desk: Desk) -> None:
    full = desk.docker(f"run -d --name nn {CODEX}").stdout.strip()
    text = f"Error response from daemon: cannot kill container: nn: container {full} is not running\n"
    assert desk.docker("kill nn").said == (1, "", text)
    assert desk.docker("stop nn").said == (0, "nn\n", "")
    assert hows(desk) == [("exited", 0)]


def test_several_are_ended_at_once_and_one_that_is_missing_is_named(desk: Desk) -> None:
    desk.hang("run -d --name one")
    desk.hang("run -d --name two")
    text = "Error response from daemon: No such container: nobody\n"
    assert desk.docker("stop one nobody two").said == (1, "one\ntwo\n", text)
    assert desk.docker("rm one nobody").said == (1, "one\n", text)
    assert desk.docker("rm -f nobody two").said == (0, "two\n", text)


@pytest.mark.parametrize("words", ["start", "stop", "kill", "rm", "wait", "logs", "attach", "container inspect"])
def test_a_container_that_is_not_there_is_named(desk: Desk, words: str) -> None:
    reply = desk.docker(f"{words} nobody")
    assert (reply.code, reply.stderr) == (1, "Error response from daemon: No such container: nobody\n")


def test_what_does_not_run_can_be_removed_together(desk: Desk) -> None:
    ended = desk.docker(f"run -d --label run=r1 {CODEX}").stdout
    desk.docker(f"run -d --label run=r2 {CODEX}")
    desk.hang("run -d --label run=r1")
    assert desk.docker("container prune -f --filter label=run=r1").said == (
        0,
        f"Deleted Containers:\n{ended}\nTotal reclaimed space: 0B\n",
        "",
    )
    assert len(desk.docker("ps -aq").stdout.split()) == 2
    assert desk.docker("container prune").code == 1


def test_an_unknown_signal_is_refused(desk: Desk) -> None:
    desk.hang()
    assert desk.docker("kill -s NONE nn").said == (1, "", "Error response from daemon: invalid signal: NONE\n")


# Creating, starting, waiting, reading


def test_what_was_created_starts_once_it_is_started(desk: Desk) -> None:
    created = desk.docker(f"create --name nn {CODEX}")
    assert (created.code, len(created.stdout)) == (0, 65)
    assert desk.box.witness.records == []
    assert desk.docker("ps -a --format '{{.Names}} {{.State}}'").stdout == "nn created\n"
    assert desk.docker("ps -q").stdout == ""
    assert desk.docker("start nn").said == (0, "nn\n", "")
    assert [record.argv[0] for record in desk.box.witness.of(ContainerStarted)] == ["codex"]


def test_an_attached_start_shows_the_streams_and_takes_standard_input(desk: Desk) -> None:
    desk.docker("create -i --rm --name nn image claude -p")
    assert desk.docker("start -ai nn", stdin="a prompt").said == (0, "Done.\n", "")
    assert [record.stdin for record in desk.box.witness.of(ContainerStarted)] == ["a prompt"]
    assert hows(desk) == [("exited", 0), ("removed", 0)]


def test_what_was_created_and_never_started_leaves_no_record(desk: Desk) -> None:
    desk.docker(f"create --name nn {CODEX}")
    assert desk.docker("stop nn").code == 0
    assert desk.docker("rm nn").code == 0
    assert desk.box.witness.records == []


def test_a_second_start_is_the_stand_in_s_lack(desk: Desk) -> None:
    desk.docker(f"run --name nn {CODEX}")
    assert desk.docker("start nn").code == 125
    assert desk.programs.unknown == ["a second start of the same container (docker start nn)"]


def test_a_created_container_with_a_missing_mount_is_refused(desk: Desk) -> None:
    reply = desk.docker(f"create --mount type=bind,src=/no/such,dst=/w {CODEX}")
    text = 'invalid mount config for type "bind": bind source path does not exist: /no/such'
    assert reply.said == (1, "", f"Error response from daemon: {text}\n")


def test_a_created_container_with_a_missing_volume_has_it_made_and_can_be_started(desk: Desk) -> None:
    assert desk.docker(f"create --name nn -v {desk.root}/a:/w {CODEX}").code == 0
    assert ((desk.root / "a").is_dir(), desk.box.witness.records) == (True, [])
    assert desk.docker("start nn").said == (0, "nn\n", "")


def test_more_lines_than_docker_can_count_are_refused(desk: Desk) -> None:
    desk.docker(f"run --name nn {CODEX}")
    reply = desk.docker(f"logs --tail {'9' * 5000} nn")
    assert reply.said == (1, "", f"Error response from daemon: tail is no number: {'9' * 50}\n")
    assert desk.programs.unknown == []


def test_wait_names_exit_codes_in_turn(desk: Desk) -> None:
    desk.hang("run -d --name one")
    desk.docker(f"run --name two {CODEX}")
    reply = desk.docker("wait one two")
    assert reply.code is None
    desk.docker("kill one")
    assert reply.said == (0, "137\n0\n", "")


def test_wait_ends_also_for_one_that_removes_itself(desk: Desk) -> None:
    desk.hang("run -d --rm --name nn")
    reply = desk.docker("wait nn")
    desk.box.runtime.release()
    assert reply.said == (0, "0\n", "")


@pytest.mark.parametrize("words", ["wait nn", "logs -f nn"])
def test_whoever_looks_on_dies_from_a_signal(desk: Desk, words: str) -> None:
    desk.hang()
    reply = desk.docker(words)
    reply.signal(signal.SIGTERM)
    assert (reply.code, desk.box.runtime.parked("nn")) == (143, True)


def test_logs_show_what_came_so_far(desk: Desk) -> None:
    attached = desk.hang("run --name nn")
    reply = desk.docker("logs nn")
    assert reply.said == (0, attached.stdout, attached.stderr)
    assert "turn.completed" not in reply.stdout
    desk.box.runtime.release()
    assert desk.docker("logs --follow nn").said == (0, attached.stdout, attached.stderr)
    assert desk.docker("logs --tail 1 nn").stdout == attached.stdout.splitlines(keepends=True)[-1]


def test_logs_can_be_followed_to_the_end(desk: Desk) -> None:
    attached = desk.hang("run --name nn")
    reply = desk.docker("logs -f nn")
    assert reply.code is None
    desk.box.runtime.release()
    assert reply.said == (0, attached.stdout, attached.stderr)


def test_attach_shows_only_what_comes_from_now_on(desk: Desk) -> None:
    desk.hang()
    reply = desk.docker("attach nn")
    assert reply.said == (None, "", "")
    desk.box.runtime.release()
    assert (reply.code, "thread.started" in reply.stdout, "turn.completed" in reply.stdout) == (0, False, True)
    assert desk.docker("attach nn").stderr == "cannot attach to a stopped container, start it first\n"


def test_a_scenario_s_end_ends_every_program(desk: Desk) -> None:
    replies = [desk.hang("run --name nn"), desk.docker("wait nn"), desk.docker("logs -f nn")]
    done = desk.docker("ps")
    desk.programs.close()
    assert [reply.code for reply in replies] == [137, 137, 137]
    assert (done.code, desk.box.runtime.parked("nn")) == (0, True)
