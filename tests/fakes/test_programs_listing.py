"""What the docker command tells: listings, descriptions, surroundings, and what the stand-in does not know."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from tck_fakes.programs.call import ProgramCall
from tck_fakes.programs.options import COMMANDS

from .box import Box
from .desk import CODEX, Desk


@pytest.fixture
def desk(box: Box) -> Desk:
    return Desk(box)


# Listing

LISTS = [
    ("ps -q", ["cc", "bb"]),
    ("ps -aq", ["cc", "bb", "aa"]),
    ("ps -aq --filter label=run", ["bb", "aa"]),
    ("ps -aq --filter label=run=r1", ["aa"]),
    ("ps -aq --filter label=run --filter label=kind=x", ["bb"]),
    ("ps -q -f name=b", ["bb"]),
    ("ps -q -f name=^/bb$", ["bb"]),
    ("ps -q -f name=b -f name=c", ["cc", "bb"]),
    ("ps -q --filter status=exited", ["aa"]),
    ("ps -q --filter status=running", ["cc", "bb"]),
    ("ps -q --filter exited=0", ["aa"]),
    ("ps -q --filter ancestor=other", []),
    ("container ls -q", ["cc", "bb"]),
]


@pytest.mark.parametrize(("words", "names"), LISTS)
def test_containers_are_listed_by_filters_newest_first(desk: Desk, words: str, names: Sequence[str]) -> None:
    desk.docker(f"run --name aa --label run=r1 {CODEX}")
    desk.hang("run -d --name bb --label run=r2 --label kind=x")
    desk.hang("run -d --name cc")
    found = desk.docker(words).stdout.split()
    assert [desk.docker(f"inspect -f '{{{{.Name}}}}' {one}").stdout.strip() for one in found] == [
        f"/{name}" for name in names
    ]
    assert all(len(one) == 12 for one in found)


def test_a_listing_has_docker_s_columns(desk: Desk) -> None:
    assert desk.docker("ps").stdout == "CONTAINER ID   IMAGE   COMMAND   CREATED   STATUS   PORTS   NAMES\n"
    desk.hang()
    desk.box.clock.advance(125_000)
    head, line = desk.docker("ps --no-trunc").stdout.splitlines()
    assert [line[head.index(name) :].split("  ")[0].strip() for name in ("IMAGE", "CREATED", "STATUS", "NAMES")] == [
        "image",
        "2 minutes ago",
        "Up 2 minutes",
        "nn",
    ]
    assert len(line.split()[0]) == 64


TEMPLATES = [
    ("{{.Names}}", "nn"),
    ("{{.Names}}\\t{{.State}}", "nn\texited"),
    ('{{.Label "run"}}|{{.Label "no"}}|', "r1||"),
    ("{{.Labels}}", "run=r1,b="),
    ("{{.Status}}", "Exited (0) Less than a second ago"),
    ("{{.Image}} {{.Command}}", 'image "codex exec --json -…"'),
    ("{{json .Names}}", '"nn"'),
    ("table {{.Names}}\\t{{.Status}}", "NAMES   STATUS\nnn      Exited (0) Less than a second ago"),
]


@pytest.mark.parametrize(("template", "text"), TEMPLATES)
def test_a_listing_can_be_shaped(desk: Desk, template: str, text: str) -> None:
    desk.docker(f"run --name nn -l run=r1 -l b {CODEX}")
    assert desk.docker(f"ps -a --format '{template}'").said == (0, f"{text}\n", "")


def test_a_listing_can_be_json(desk: Desk) -> None:
    desk.docker(f"run --name nn {CODEX}")
    line = json.loads(desk.docker("ps -a --format json").stdout)
    assert (line["Names"], line["State"], line["Networks"]) == ("nn", "exited", "bridge")


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        ("ps -f x", 125, 'invalid argument "x" for "-f, --filter" flag: bad format of filter (expected name=value)'),
        ("ps --format {{.Foo", 1, "failed to parse template: template: :1: unclosed action"),
        ("ps x", 1, "docker: 'docker ps' accepts no arguments"),
    ],
)
def test_a_listing_that_docker_refuses_is_refused(desk: Desk, words: str, code: int, text: str) -> None:
    desk.docker(f"run -d {CODEX}")
    reply = desk.docker(words)
    assert (reply.code, reply.stderr.splitlines()[0], desk.programs.unknown) == (code, text, [])


# Describing

PATHS = [
    ("{{.State.Running}}", "true", "false"),
    ("{{.State.Status}}", "running", "exited"),
    ("{{.State.ExitCode}}", "0", "137"),
    ("{{.Name}}", "/nn", "/nn"),
    ("{{.Config.Image}}", "image", "image"),
    ('{{index .Config.Labels "run"}}', "r1", "r1"),
    ('{{index .Config.Labels "no"}}', "", ""),
    ("{{.Config.User}} {{.HostConfig.NetworkMode}}", "5:5 none", "5:5 none"),
    ("{{range .Mounts}}{{.Destination}} {{.RW}}{{end}}", "/w false", "/w false"),
    ("{{.State.FinishedAt}}", "0001-01-01T00:00:00Z", "2026-01-05T09:00:00.000000Z"),
]


@pytest.mark.parametrize(("template", "running", "ended"), PATHS)
def test_a_container_is_described_while_it_runs_and_after(desk: Desk, template: str, running: str, ended: str) -> None:
    desk.hang(f"run -d --name nn -l run=r1 -u 5:5 --network none -v {desk.root}:/w:ro")
    assert desk.docker(f"inspect -f '{template}' nn").said == (0, f"{running}\n", "")
    desk.docker("kill nn")
    assert desk.docker(f"container inspect --format='{template}' nn").said == (0, f"{ended}\n", "")


def test_inspect_gives_the_whole_document(desk: Desk) -> None:
    full = desk.hang(f"run -d --name nn -e A=b --init -w /w -v {desk.root}:/w").stdout.strip()
    (document,) = json.loads(desk.docker("inspect nn").stdout)
    assert document["Id"] == full
    assert document["Config"]["Env"] == ["A=b"]
    assert document["Config"]["Cmd"] == ["codex", "exec", "--json", "--skip-git-repo-check", "--", "hello"]
    assert document["HostConfig"]["Binds"] == [f"{desk.root}:/w"]
    assert document["HostConfig"]["Init"] is True
    assert [(mount["Source"], mount["RW"]) for mount in document["Mounts"]] == [(str(desk.root), True)]


def test_what_is_not_there_is_missing_from_the_document(desk: Desk) -> None:
    assert desk.docker("inspect nobody").said == (1, "[]\n", "Error: No such object: nobody\n")
    assert desk.docker("inspect -f '{{.Id}}' nobody").said == (1, "\n", "Error: No such object: nobody\n")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("image inspect -f '{{index .RepoTags 0}}' runner", "runner:latest\n"),
        ("image inspect -f '{{index .RepoTags 0}}' host:5000/runner:2", "host:5000/runner:2\n"),
        ("inspect --type image -f '{{.Os}}' runner", "linux\n"),
        ("images --format '{{.Repository}}:{{.Tag}}' runner:3", "runner:3\n"),
        ("images -q", ""),
        ("pull -q runner:3", "runner:3\n"),
        ("version --format '{{.Server.Version}}'", "28.2.2\n"),
        ("version -f '{{.Client.Version}}'", "28.2.2\n"),
        ("info -f '{{.OSType}} {{.ContainersRunning}}'", "linux 0\n"),
        ("network ls --filter name=bridge --format '{{.Name}}'", "bridge\n"),
        ("--version", "Docker version 28.2.2, build e6534b4\n"),
        ("-H unix:///x --log-level debug ps -q", ""),
    ],
)
def test_questions_about_the_surroundings_are_answered(desk: Desk, words: str, text: str) -> None:
    assert desk.docker(words).said == (0, text, "")


def test_networks_are_made_found_and_removed(desk: Desk) -> None:
    assert desk.docker("network inspect nn").said == (
        1,
        "[]\n",
        "Error response from daemon: network nn not found\n",
    )
    full = desk.docker("network create --internal nn").stdout.strip()
    assert desk.docker("network inspect -f '{{.Id}}' nn").stdout.strip() == full
    assert desk.docker("network create nn").code == 1
    assert desk.docker("network rm nn").said == (0, "nn\n", "")
    assert desk.docker("network rm nn").code == 1


# What the stand-in does not know

UNKNOWN = [
    ("exec nn ls", "docker exec"),
    ("container exec nn ls", "docker exec"),
    ("cp a b", "the command docker cp"),
    ("volume create x", "the command docker volume"),
    ("system prune -f", "the command docker system prune"),
    ("foo", "the command docker foo"),
    (f"run --foo {CODEX}", "unknown flag: --foo (docker run)"),
    ("ps -z", "unknown shorthand flag: 'z' in -z (docker ps)"),
    ("ps -a --filter health=x", "the filter health for containers"),
    ("ps -a --format '{{pad .Names 1 2}}'", "what the template"),
    ("inspect -f '{{.Foo}}' nn", "what the template"),
]


@pytest.mark.parametrize(("words", "noted"), UNKNOWN)
def test_what_the_stand_in_does_not_know_is_refused_and_remembered(desk: Desk, words: str, noted: str) -> None:
    desk.hang()
    reply = desk.docker(words)
    assert (reply.code, reply.stdout, "session-tck's stand-in for docker" in reply.stderr) == (125, "", True)
    assert [one.startswith(noted) for one in desk.programs.unknown] == [True]


def test_an_unknown_option_is_refused_in_docker_s_words_too(desk: Desk) -> None:
    assert desk.docker("rm --foo").stderr.splitlines()[1:] == [
        "unknown flag: --foo",
        "",
        "Usage:  docker rm [OPTIONS] CONTAINER [CONTAINER...]",
        "",
        "Run 'docker rm --help' for more information",
    ]


@pytest.mark.parametrize("command", ["run", "create", "start", "stop", "kill", "rm", "wait", "logs", "inspect"])
def test_a_command_without_its_arguments_is_refused_in_docker_s_words(desk: Desk, command: str) -> None:
    text = (
        f"docker: 'docker {command}' requires at least 1 argument\n\n"
        f"Usage:  docker {command} {COMMANDS[command].usage}\n\nSee 'docker {command} --help' for more information\n"
    )
    assert desk.docker(command).said == (1, "", text)


def test_a_command_shows_its_usage(desk: Desk) -> None:
    reply = desk.docker("run --help")
    assert (reply.code, reply.stdout.splitlines()[0]) == (0, "Usage:  docker run [OPTIONS] IMAGE [COMMAND] [ARG...]")


WANTS = [
    ("run -i image claude", True),
    ("run --rm -it image claude", True),
    ("run --interactive=false image claude", False),
    ("run image claude -p -i", False),
    ("run --name -i image claude", False),
    ("start -i x", True),
    ("start -ai x", True),
    ("start x", False),
    ("logs x", False),
    ("container run -i image claude", True),
    ("-H x run -i image claude", True),
    ("run --foo -i image", False),
    ("exec -i x ls", False),
    ("", False),
]


@pytest.mark.parametrize(("words", "wants"), WANTS)
def test_standard_input_is_read_only_where_docker_reads_it(desk: Desk, words: str, wants: bool) -> None:  # noqa: FBT001 -- a row of the table
    assert desk.programs.wants_stdin(ProgramCall("docker", tuple(words.split()), "/", {})) is wants
    assert not desk.programs.wants_stdin(ProgramCall("docker", tuple(words.split()), "/", {}, terminal=True))
