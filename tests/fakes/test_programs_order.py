"""What `docker run` was told, and what was witnessed of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tck_driver.witness import CliStarted, ContainerEnded, ContainerStarted, Mount

from .box import Box
from .desk import Desk

TOOL = "image tool-runner"


@pytest.fixture
def desk(box: Box) -> Desk:
    for name in ("one", "two", "with,comma", "with space"):
        (box.root / name).mkdir()
    return Desk(box, {"HOME": "/home/somebody", "SECRET": "s", "EMPTY": ""})


MOUNTS = [
    ("-v {root}/one:/w", [("{root}/one", "/w", False)]),
    ("-v {root}/one:/w:ro", [("{root}/one", "/w", True)]),
    ("-v {root}/one:/w:rw,Z", [("{root}/one", "/w", False)]),
    ("-v {root}/one:/w:z,ro", [("{root}/one", "/w", True)]),
    ("-v ./one:/w", [("{root}/one", "/w", False)]),
    ("--volume={root}/one:/a -v{root}/two:/b", [("{root}/one", "/a", False), ("{root}/two", "/b", False)]),
    ("--mount type=bind,src={root}/one,dst=/w", [("{root}/one", "/w", False)]),
    ("--mount type=bind,source={root}/one,target=/w,readonly", [("{root}/one", "/w", True)]),
    ("--mount type=bind,source={root}/one,destination=/w,ro=true", [("{root}/one", "/w", True)]),
    ("--mount type=bind,source={root}/one,target=/w,readonly=false", [("{root}/one", "/w", False)]),
    ("--mount destination=/w,type=bind,consistency=cached,source={root}/one", [("{root}/one", "/w", False)]),
    ("""--mount 'type=bind,"source={root}/with,comma",target=/w'""", [("{root}/with,comma", "/w", False)]),
    ("--mount 'type=bind,source={root}/with space,target=/w'", [("{root}/with space", "/w", False)]),
    ("--mount type=bind,source=./one,target=/w", [("{root}/one", "/w", False)]),
    ("-v /anonymous", []),
    ("--mount type=tmpfs,target=/t", []),
    ("--tmpfs /t:mode=1777", []),
]


@pytest.mark.parametrize(("words", "mounts"), MOUNTS)
def test_mounts_are_witnessed_as_asked_for(desk: Desk, words: str, mounts: list[tuple[str, str, bool]]) -> None:
    root = str(desk.root)
    started = desk.started(f"run --rm {words.format(root=root)} {TOOL}")
    assert [(mount.source, mount.target, mount.read_only) for mount in started.mounts] == [
        (source.format(root=root), target, read_only) for source, target, read_only in mounts
    ]


def test_a_folder_that_begins_empty_is_witnessed_among_the_limits(desk: Desk) -> None:
    started = desk.started(f"run -v /a --tmpfs /t:mode=1777 --mount type=tmpfs,target=/u {TOOL}")
    assert started.limits == (("volume", "/a"), ("tmpfs", "/t:mode=1777"), ("tmpfs", "/u"))


def test_a_missing_source_of_a_volume_is_made(desk: Desk) -> None:
    assert desk.docker(f"run -v {desk.root}/a/b:/w {TOOL}").code == 0
    assert (desk.root / "a" / "b").is_dir()


def test_a_missing_source_of_a_mount_is_refused_and_not_made(desk: Desk) -> None:
    reply = desk.docker(f"run --name nn --mount type=bind,src={desk.root}/a,dst=/w {TOOL}")
    text = 'docker: Error response from daemon: invalid mount config for type "bind": bind source path does not exist: '
    assert reply.said == (125, "", f"{text}{desk.root}/a\n\nRun 'docker run --help' for more information\n")
    assert not (desk.root / "a").exists()
    assert desk.docker("ps -aq").stdout == ""
    assert desk.programs.unknown == []


REFUSED_MOUNTS = [
    ("-v {root}/one:/w -v {root}/two:/w/", "Duplicate mount point: /w"),
    ("-v {root}/one:/w --tmpfs /w", "Duplicate mount point: /w"),
    ("-v {root}/one:w", "invalid mount path: 'w' mount path must be absolute"),
    ("-v {root}/one:/", "destination can't be '/'"),
    ("-v {root}/one:/w:zz", "invalid mode: zz"),
    ("-v a:b:c:d", "invalid volume specification: 'a:b:c:d'"),
    ("--mount type=bind,source=one,target=/w", "invalid mount path: 'one' mount path must be absolute"),
]


@pytest.mark.parametrize(("words", "text"), REFUSED_MOUNTS)
def test_a_mount_that_docker_refuses_is_refused(desk: Desk, words: str, text: str) -> None:
    reply = desk.docker(f"run {words.format(root=desk.root)} {TOOL}")
    assert (reply.code, text in reply.stderr, desk.programs.unknown) == (125, True, [])
    assert reply.stderr.startswith("docker: Error response from daemon: ")


@pytest.mark.parametrize(
    "words", ["-v named:/w", "--mount source=named,target=/w", "--mount type=npipe,source=a,target=/w"]
)
def test_a_mount_that_only_the_stand_in_does_not_know_is_remembered(desk: Desk, words: str) -> None:
    reply = desk.docker(f"run {words} {TOOL}")
    assert (reply.code, "stand-in" in reply.stderr, len(desk.programs.unknown)) == (125, True, 1)


ENVIRONMENT = [
    ("-e A=b", [("A", "b")]),
    ("-e A=b=c", [("A", "b=c")]),
    ("-e A=", [("A", "")]),
    ("-e SECRET", [("SECRET", "s")]),
    ("-e EMPTY", [("EMPTY", "")]),
    ("-e NOWHERE", []),
    ("-e A=b -e A=c", [("A", "c")]),
    ("--env-file {root}/vars", [("B", "1"), ("SECRET", "s"), ("C", "x # y")]),
    ("--env-file vars -e B=2", [("B", "2"), ("SECRET", "s"), ("C", "x # y")]),
]


@pytest.mark.parametrize(("words", "environment"), ENVIRONMENT)
def test_variables_are_those_given_and_no_others(desk: Desk, words: str, environment: list[tuple[str, str]]) -> None:
    (desk.root / "vars").write_text("\ufeff# comment\n\n  B=1\nSECRET\nNOWHERE\nC=x # y\n")
    assert list(desk.started(f"run {words.format(root=desk.root)} {TOOL}").environment) == environment


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "docker: open vars: no such file or directory"),
        ("A B=c", "docker: poorly formatted environment: variable 'A B' contains whitespaces"),
        ("=c", "docker: poorly formatted environment: no variable name on line '=c'"),
    ],
)
def test_a_file_of_variables_that_cannot_be_read_is_refused(desk: Desk, text: str | None, said: str) -> None:
    if text is not None:
        (desk.root / "vars").write_text(text)
    reply = desk.docker(f"run --env-file vars {TOOL}")
    assert (reply.code, reply.stderr.splitlines()[0]) == (125, said)


GIVEN = [
    ("", {"user": "", "network": "bridge", "workdir": "/", "read_only_root": False, "home": "/home/agent"}),
    ("-u 1000:1000", {"user": "1000:1000"}),
    ("--user=me", {"user": "me"}),
    ("--network none", {"network": "none"}),
    ("--net=host", {"network": "host"}),
    ("--network name=n1,alias=x --network n2", {"network": "n1,n2"}),
    ("-w /workspace", {"workdir": "/workspace"}),
    ("--read-only", {"read_only_root": True}),
    ("-e HOME=/root", {"home": "/root"}),
    ("-l a -l b=c -l b=d --label e=f=g", {"labels": (("a", ""), ("b", "d"), ("e", "f=g"))}),
    ("--label-file {root}/labels -l b=2", {"labels": (("a", "1"), ("b", "2"))}),
]


@pytest.mark.parametrize(("words", "fields"), GIVEN)
def test_everything_else_is_witnessed(desk: Desk, words: str, fields: dict[str, object]) -> None:
    (desk.root / "labels").write_text("a=1\nb=1\n")
    started = desk.started(f"run {words.format(root=desk.root)} {TOOL}")
    assert {name: getattr(started, name) for name in fields} == fields


LIMITS = [
    ("-m 512m", [("memory", "512m")]),
    ("--memory=1g --memory-swap 1g --cpus 2", [("memory", "1g"), ("memory-swap", "1g"), ("cpus", "2")]),
    ("--pids-limit 256 --init", [("pids-limit", "256"), ("init", "true")]),
    ("--init=false", []),
    ("--cap-drop ALL --cap-add CHOWN", [("cap-drop", "ALL"), ("cap-add", "CHOWN")]),
    ("--security-opt no-new-privileges --privileged", [("security-opt", "no-new-privileges"), ("privileged", "true")]),
    ("--ulimit nofile=10:10 --shm-size 1g", [("ulimit", "nofile=10:10"), ("shm-size", "1g")]),
    ("--stop-timeout 3 --stop-signal INT", [("stop-timeout", "3"), ("stop-signal", "INT")]),
    (
        "--add-host a:1.2.3.4 --dns 1.1.1.1 -h here",
        [("add-host", "a:1.2.3.4"), ("dns", "1.1.1.1"), ("hostname", "here")],
    ),
    ("--group-add 5 --userns host --ipc none", [("group-add", "5"), ("userns", "host"), ("ipc", "none")]),
    ("--log-driver none --platform linux/amd64 --pull never -q --rm", [("log-driver", "none")]),
    ("-p 80:80 --gpus all", [("publish", "80:80"), ("gpus", "all")]),
]


@pytest.mark.parametrize(("words", "limits"), LIMITS)
def test_limits_are_witnessed_by_the_names_of_their_options(
    desk: Desk, words: str, limits: list[tuple[str, str]]
) -> None:
    assert list(desk.started(f"run {words} {TOOL}").limits) == limits


def test_a_container_of_the_simulator_has_no_limits(box: Box) -> None:
    box.fresh("codex")
    assert [record.limits for record in box.witness.of(ContainerStarted)] == [()]


@pytest.mark.parametrize(
    ("words", "argv"),
    [
        ("image claude -p --name x -- hello", ("claude", "-p", "--name", "x", "--", "hello")),
        ("--entrypoint claude image -p hello", ("claude", "-p", "hello")),
        ("--entrypoint /usr/bin/claude image", ("/usr/bin/claude",)),
        ("--entrypoint= image claude", ("claude",)),
        ("registry.example.com:5000/team/runner:1.2@sha256:ab12 claude", ("claude",)),
    ],
)
def test_the_command_is_what_follows_the_image_or_the_entry_point(
    desk: Desk, words: str, argv: tuple[str, ...]
) -> None:
    assert desk.started(f"run {words}").argv == argv


def test_standard_input_reaches_the_container_only_if_it_is_asked_for(desk: Desk) -> None:
    for words in ("run -i", "run --interactive", "run"):
        desk.docker(f"{words} image claude -p", stdin="a prompt")
    assert [record.stdin for record in desk.box.witness.of(ContainerStarted)] == ["a prompt", "a prompt", ""]
    assert [record.prompt for record in desk.box.witness.of(CliStarted)] == ["a prompt", "a prompt", ""]


REFUSED = [
    ("--name x", "Error response from daemon: Invalid container name (x), only [a-zA-Z0-9][a-zA-Z0-9_.-] are allowed"),
    ("--name a/b", "Error response from daemon: Invalid container name (a/b), only"),
    ("-w rel", "Error response from daemon: the working directory 'rel' is invalid, it needs to be an absolute path"),
    ("--network=", "no name set for network"),
    ("--pull x", 'invalid pull option: \'x\': must be one of "always", "missing" or "never"'),
    ("--rm --restart always", "conflicting options: cannot specify both --restart and --rm"),
    ("--stop-signal NONE", "Error response from daemon: invalid signal: NONE"),
    ("--cidfile vars", "container ID file found, make sure the other container isn't running or delete vars"),
]


@pytest.mark.parametrize(("words", "text"), REFUSED)
def test_an_order_that_docker_refuses_starts_nothing(desk: Desk, words: str, text: str) -> None:
    (desk.root / "vars").touch()
    reply = desk.docker(f"run {words} {TOOL}")
    assert (reply.code, reply.stdout) == (125, "")
    assert reply.stderr.startswith(f"docker: {text}")
    assert reply.stderr.endswith("\n\nRun 'docker run --help' for more information\n")
    assert (desk.box.witness.records, desk.programs.unknown) == ([], [])


@pytest.mark.parametrize(
    ("image", "text"),
    [
        ("''", "invalid reference format"),
        ("'A B'", "invalid reference format"),
        ("UPPER", "invalid reference format: repository name (library/UPPER) must be lowercase"),
    ],
)
def test_a_name_that_no_image_can_have_is_refused(desk: Desk, image: str, text: str) -> None:
    reply = desk.docker(f"run {image} claude")
    assert (reply.code, reply.stderr.splitlines()[0]) == (125, f"docker: {text}")


def test_an_image_without_a_command_has_none(desk: Desk) -> None:
    reply = desk.docker("run image")
    assert (reply.code, "no command specified" in reply.stderr) == (125, True)


@pytest.mark.parametrize(
    ("words", "terminal", "code"), [("-it", False, 1), ("-it", True, 0), ("-t", False, 0), ("-itd", False, 0)]
)
def test_a_terminal_is_asked_for_in_vain_where_there_is_none(
    desk: Desk,
    words: str,
    terminal: bool,  # noqa: FBT001 -- a row of the table
    code: int,
) -> None:
    reply = desk.docker(f"run {words} {TOOL}", terminal=terminal)
    assert (reply.code, reply.stderr == "the input device is not a TTY\n") == (code, code == 1)


def test_an_unknown_program_is_docker_s_error_and_the_kit_s_lack(desk: Desk) -> None:
    reply = desk.docker("run --name nn image sh -c true")
    assert (reply.code, 'exec: "sh": executable file not found in $PATH' in reply.stderr) == (127, True)
    assert desk.programs.unknown == ["the program 'sh' in the image image"]
    assert [record.how for record in desk.box.witness.of(ContainerEnded)] == ["refused"]
    assert desk.docker("ps -a --format '{{.Names}} {{.Status}}'").stdout == "nn Created\n"


def test_the_id_is_written_where_it_is_asked_for(desk: Desk) -> None:
    reply = desk.docker(f"run -d --cidfile id {TOOL}")
    assert Path(desk.root, "id").read_text() == reply.stdout.strip()
    assert len(reply.stdout.strip()) == 64


def test_a_mount_keeps_where_its_source_led(desk: Desk) -> None:
    (desk.root / "link").symlink_to(desk.root / "one")
    started = desk.started(f"run -v {desk.root}/link:/w {TOOL}")
    assert started.mounts == (Mount(f"{desk.root}/link", "/w", real_source=str((desk.root / "one").resolve())),)
