"""An arena: a HOME, a working directory and a model server in which a CLI finds nothing of the caller's."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tck_driver.vocabulary import AdapterId
from tck_kit.faults import UsageFault
from tck_kit.probe.arena import Arena, arena
from tck_kit.probe.configured import CONFIGURED, KEY
from tck_kit.probe.run_of_cli import MARK, Start
from tck_kit.probe.subject import Subject, executable, installed, stand_in

#: A CLI that says its version, does what it is told in a shell, and asks the model where it is told to.
CLI = """\
import json, os, subprocess, sys, urllib.request
if sys.argv[1:] == ["--version"]:
    print("1.2.3 (Not a CLI)")
elif sys.argv[1] == "sh":
    sys.exit(subprocess.call(["/bin/sh", "-c", *sys.argv[2:]]))
elif sys.argv[1] == "argv":
    print(json.dumps(sys.argv[2:]))
elif sys.argv[1] == "ask":
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": sys.argv[2]}]}
    request = urllib.request.Request(
        os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages",
        json.dumps(body).encode(),
        {"content-type": "application/json", "x-api-key": os.environ["ANTHROPIC_API_KEY"]},
    )
    print(json.load(urllib.request.urlopen(request))["content"][0]["text"])
"""
SECRETS = {
    "ANTHROPIC_API_KEY": "planted-anthropic",
    "OPENAI_API_KEY": "planted-openai",
    "GH_TOKEN": "planted-github",
    "GITHUB_TOKEN": "planted-github-2",
    "AWS_SECRET_ACCESS_KEY": "planted-aws",
    "SSH_AUTH_SOCK": "/tmp/planted-agent",  # noqa: S108 -- no file is made
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/0/planted-bus",
    "HTTPS_PROXY": "http://planted:planted@127.0.0.1:9",
    "NODE_OPTIONS": "--title=planted",
    "PYTHONPATH": "/planted",
    "CLAUDE_CONFIG_DIR": "/planted/claude",
    "CODEX_HOME": "/planted/codex",
    "XDG_DATA_HOME": "/planted/data",
    "GIT_AUTHOR_EMAIL": "planted@example.org",
    "GIT_DIR": "/planted/.git",
}


@pytest.fixture(name="cli")
def _cli(tmp_path: Path) -> Subject:
    script = tmp_path / "cli.py"
    script.write_text(CLI, encoding="utf-8")
    tmp_path.chmod(0o755)
    return Subject(AdapterId.CLAUDE_CODE, (os.path.realpath(sys.executable), "-I", "-S", str(script)), "installed")


@pytest.fixture(name="first")
def _first(cli: Subject) -> Iterator[Arena]:
    with arena(cli) as first:
        yield first


def sh(place: Arena, script: str, **more: str) -> str:
    ended = place.run(Start(("claude", "sh", script), environment=more))
    assert ended.exit_code == 0, ended
    return ended.stdout


def running(mark: str) -> list[psutil.Process]:
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


def test_the_version_is_known_before_anything_else(first: Arena) -> None:
    assert first.subject.version == "1.2.3"


def test_home_is_private_to_whom_the_cli_runs_as(first: Arena) -> None:
    about = first.home.stat()
    assert (stat.S_IMODE(about.st_mode), about.st_uid) == (0o700, first.seal.user)
    assert sh(first, "id -u; echo x > ~/written; cat ~/written") == f"{first.seal.user}\nx\n"


def test_its_environment_is_what_the_arena_says_and_its_mark_alone(first: Arena) -> None:
    given = dict(part.split("=", 1) for part in sh(first, "cat /proc/$PPID/environ").split("\0") if part)
    mark = given.pop(MARK)
    assert given == first.environment
    assert len(mark) == 16
    assert sorted(given) == sorted(
        ["HOME", "PATH", "LANG", "TMPDIR", *CONFIGURED[AdapterId.CLAUDE_CODE].environment(first.configured)]
    )


def test_nothing_that_the_caller_has_is_seen_by_any_process_or_stands_in_any_file(
    cli: Subject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "caller"
    for file in (".claude/.credentials.json", ".codex/auth.json", ".config/gh/hosts.yml", ".netrc", ".gitconfig"):
        (home / file).parent.mkdir(parents=True, exist_ok=True)
        (home / file).write_text("planted-in-home", encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    with arena(cli) as first:
        process = first.begin(Start(("claude", "sh", "sleep 60 & setsid sleep 60 & wait")))
        until = time.monotonic() + 30
        while len(seen := running(process.mark)) < 4 and time.monotonic() < until:
            time.sleep(0.02)
        environments = [Path(f"/proc/{one.pid}/environ").read_bytes() for one in seen]
        holder = psutil.Process(first.seal.holder or 0)
        environments.append(Path(f"/proc/{holder.pid}/environ").read_bytes())
        process.end()
        assert len(environments) == 5, "the shell, both that it started, the CLI, and what holds the place"
        assert not [text for text in environments if b"planted" in text or str(home).encode() in text]
        files = [path for path in first.home.parents[1].rglob("*") if path.is_file()]
        assert (first.work / ".git/HEAD") in files
        assert not [path for path in files if b"planted" in path.read_bytes()]
        found = sh(
            first,
            "grep -rl planted-in-home / --include='.*' --include='*.json' --include='*.yml' 2>/dev/null"
            " --exclude-dir=proc --exclude-dir=sys --exclude-dir=usr || true",
        )
        assert found == ""


def test_the_working_directory_is_a_repository_with_one_commit_of_nobody(first: Arena) -> None:
    assert sh(first, "pwd; git log --format='%an %ae %s'; git status --short") == (
        f"{first.work}\nsession-tck tck@localhost First\n"
    )


def test_the_model_server_is_asked_and_what_was_asked_is_told(first: Arena) -> None:
    before = first.run(Start(("claude", "ask", "hello tck-0123abcd")))
    after = first.run(Start(("claude", "ask", "again tck-0123abce")))
    assert before.stdout.startswith("Heard 1 prompts: tck-0123abcd.")
    assert [asked.marks for asked in (*before.asked, *after.asked)] == [("tck-0123abcd",), ("tck-0123abce",)]
    assert {asked.credential for asked in after.asked} != {"none"}


def test_two_at_once_have_overlapped(first: Arena) -> None:
    script = "echo x > $HOME/$1; while ! [ -e $HOME/$2 ]; do sleep 0.01; done"
    one, two = first.together(
        Start(("claude", "sh", script, "x", "a", "b")), Start(("claude", "sh", script, "x", "b", "a")), gap=0.1
    )
    assert (one.exit_code, two.exit_code) == (0, 0)


def test_a_fault_of_one_of_two_is_told(first: Arena) -> None:
    with pytest.raises(UsageFault, match="/nowhere: cannot be the working directory"):
        first.together(Start(("claude", "sh", "true")), Start(("claude", "sh", "true"), cwd=Path("/nowhere")))


def test_a_killed_one_is_in_the_middle_of_a_request_and_the_next_is_answered(first: Arena) -> None:
    killed = first.run(Start(("claude", "ask", "hello tck-00000001"), kill_when_asked=True))
    assert (killed.exit_code, killed.stdout) == (-9, "")
    assert [asked.marks for asked in killed.asked] == [("tck-00000001",)]
    assert first.run(Start(("claude", "ask", "hello tck-00000002"))).exit_code == 0


def test_paths_that_an_adapter_knows_are_the_arenas_own(first: Arena) -> None:
    words = ("/workspace", "/workspace/a", "/workspaces", "say /workspace", "/home/agent/.x", "/home/agents")
    told = json.loads(first.run(Start(("claude", "argv", *words))).stdout)
    assert told == [
        str(first.work), f"{first.work}/a", "/workspaces", "say /workspace", f"{first.home}/.x", "/home/agents",
    ]  # fmt: skip
    assert sh(first, "echo $DB", DB="/home/agent/.local/x.db") == f"{first.home}/.local/x.db\n"


def test_another_home_is_fresh_and_configured_and_works_at_the_same_place(first: Arena) -> None:
    sh(first, "echo x > ~/.mine; echo x > ours")
    second = first.another("second")
    assert sh(second, "ls -A ~; ls ours; pwd") == f".claude\nours\n{first.work}\n"
    own = {name: value for name, value in second.environment.items() if first.environment[name] != value}
    assert own == {"HOME": str(second.home), "TMPDIR": second.environment["TMPDIR"]}
    assert second.model is first.model
    with pytest.raises(ValueError, match="there is an arena of this name: second"):
        first.another("second")


def test_what_is_left_in_the_temporary_folder_of_one_home_is_not_seen_from_another(first: Arena) -> None:
    sh(first, "echo x > $TMPDIR/left")
    assert sh(first.another("second"), "ls -A $TMPDIR; stat -c '%a %u' $TMPDIR") == f"700 {first.seal.user}\n"
    with first.apart("third") as third:
        assert sh(third, "ls -A $TMPDIR") == ""


def test_another_place_to_work_is_a_repository_or_a_plain_folder(first: Arena) -> None:
    elsewhere, plain = first.place("elsewhere"), first.place("plain", repository=False)
    assert sh(first.another("second", elsewhere), "pwd; git log --format=%s") == f"{elsewhere}\nFirst\n"
    assert sh(first.another("third", plain), "ls -A; git log 2>&1 || true").startswith("fatal: not a git repository")


def test_a_home_apart_has_a_model_server_of_its_own(first: Arena) -> None:
    with first.apart("apart") as other:
        other.model.always("401")
        assert other.run(Start(("claude", "ask", "a"))).exit_code != 0
        assert first.run(Start(("claude", "ask", "b"))).exit_code == 0
        assert len(other.model.asked()) == len(first.model.asked()) == 1


def test_a_model_that_is_down_can_be_reached_again(first: Arena) -> None:
    first.model.always("down")
    assert "Connection refused" in first.run(Start(("claude", "ask", "a"))).stderr
    first.model.always(None)
    assert first.run(Start(("claude", "ask", "b"))).exit_code == 0


def test_files_are_told_without_what_differs_from_run_to_run(first: Arena) -> None:
    slug = str(first.work).replace("/", "-").replace("_", "-")
    for name in (
        f".claude/projects/{slug}/0b9c5a4e-1111-4222-8333-123456789abc.jsonl",
        f".claude/projects/{slug}/0b9c5a4e-1111-4222-8333-123456789abd.jsonl",
        ".codex/sessions/2026/11/30/rollout-2026-11-30T12-36-12-01a22c73-7b1d-7ba1-8e32-243b14c81212.jsonl",
        ".backup.1796042188074",
        "snapshot/d4c3f1c89c10e4c09e57b889996bc5446e09d1c3/HEAD",
        "logs/process-1796042188074-4711.log",
        "store/ses_dd38b4723ffeVLUwNLZn957fZH.json",
        "state_5.sqlite",
        "v2/decade.txt",
    ):
        path = first.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (first.home / "link").symlink_to("/etc/passwd")
    os.mkfifo(first.home / "pipe")
    assert first.files() == (
        ".backup.<date>",
        ".claude/projects/<slug>/<id>.jsonl",
        ".codex/sessions/<date>/rollout-<date>-<id>.jsonl",
        "logs/process-<date>-<number>.log",
        "snapshot/<hash>/HEAD",
        "state_5.sqlite",
        "store/<id>.json",
        "v2/decade.txt",
    )


@pytest.mark.parametrize("adapter", [*CONFIGURED])
def test_what_points_a_cli_at_the_model_server_is_no_file_of_its_own(cli: Subject, adapter: AdapterId) -> None:
    with arena(Subject(adapter, cli.words, "installed", "1.2.3")) as first:
        assert first.files() == ()
        assert first.state.is_dir()
        told = [*first.environment.values(), *(path.read_text() for path in first.home.rglob("*") if path.is_file())]
        assert any(first.model.url in text for text in told)
        assert any(KEY in text for text in told)
        assert {path.stat().st_uid for path in first.home.rglob("*")} == {first.seal.user}


def test_what_is_put_there_can_be_given_to_the_cli(first: Arena) -> None:
    planted = first.state / "project" / "x.jsonl"
    planted.parent.mkdir()
    planted.write_text("state", encoding="utf-8")
    planted.chmod(0o600)
    first.own(first.state)
    assert sh(first, f"cat {planted}") == "state"


def test_nothing_is_left_whatever_modes_it_was_given(cli: Subject, tmp_path: Path) -> None:
    with arena(cli, below=tmp_path) as first:
        sh(first, "mkdir -p ~/a/b; echo x > ~/a/b/c; chmod 400 ~/a/b/c; chmod 500 ~/a/b; chmod 0 ~/a; ln -s / ~/root")
        process = first.begin(Start(("claude", "sh", "setsid sleep 300 & sleep 300")))
        folder, holder = first.home.parents[1], first.seal.holder
        assert folder.parent == tmp_path
    assert not folder.exists()
    assert holder is not None
    assert not psutil.pid_exists(holder)
    assert not running(process.mark)


def test_an_interrupt_leaves_nothing_either(cli: Subject, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), arena(cli, below=tmp_path):
        raise KeyboardInterrupt
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


def test_a_kit_that_is_killed_leaves_nothing_either(cli: Subject, tmp_path: Path) -> None:
    script = f"""
import sys, time
from pathlib import Path
from tck_driver.vocabulary import AdapterId
from tck_kit.probe.arena import Start, Subject, arena
with arena(Subject(AdapterId.CLAUDE_CODE, {cli.words!r}, "installed"), below=Path({str(tmp_path)!r})) as first:
    first.run(Start(("claude", "sh", "mkdir -p ~/a/b; echo x > ~/a/b/c; chmod 0 ~/a")))
    print(first.home.parents[1], flush=True)
    time.sleep(300)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as kit:
        assert kit.stdout is not None
        folder = Path(kit.stdout.readline().strip())
        assert folder.is_dir()
        assert folder.parent == tmp_path
        kit.kill()
    until = time.monotonic() + 20
    while folder.exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not folder.exists()


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 3", "ended with 3 and said nothing"),
        ("echo 'please log in' >&2; exit 1", "ended with 1 and said please log in"),
        ("echo version two", "ended with 0 and said version two"),
    ],
)
def test_one_that_says_no_version_is_not_what_it_should_be(tmp_path: Path, script: str, said: str) -> None:
    program = tmp_path / "codex"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    tmp_path.chmod(0o755)
    with pytest.raises(UsageFault) as fault, arena(installed(AdapterId.CODEX, str(program))):
        pass
    assert str(fault.value) == (
        f"{program}: says no version: codex --version {said}; "
        "name the program of codex itself, or have it installed with --install"
    )
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


def test_a_cli_that_is_not_there_is_said_with_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageFault, match="copilot: copilot is not on PATH; install it, name its path, or let the kit"):
        installed(AdapterId.COPILOT)
    with pytest.raises(UsageFault, match="codex: /nowhere/codex is no program that can be executed; install it, name"):
        installed(AdapterId.CODEX, "/nowhere/codex")


def test_an_interpreter_that_is_looked_for_on_the_path_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = tmp_path / "bin" / "node"
    node.parent.mkdir()
    node.write_text("#!/bin/sh\n", encoding="utf-8")
    node.chmod(0o755)
    monkeypatch.setenv("PATH", str(node.parent))
    for first, words in (
        ("#!/usr/bin/env node\n", (str(node), "{}")),
        ("#!/usr/bin/env -S node\n", (str(node), "{}")),
        ("#!/usr/bin/env elsewhere\n", ("{}",)),
        ("#!/bin/sh\n", ("{}",)),
        ("\x7fELF", ("{}",)),
    ):
        script = tmp_path / "script"
        script.write_text(first, encoding="utf-8")
        assert executable(script) == tuple(word.format(script) for word in words)
    (tmp_path / "link").symlink_to("script")
    assert executable(tmp_path / "link") == (str(tmp_path / "script"),)


def test_of_a_package_all_is_seen_and_of_a_program_alone_nothing_beside_it() -> None:
    package = Subject(AdapterId.CODEX, ("/usr/bin/node", "/opt/x/node_modules/@openai/codex/bin/codex.js"), "npm")
    assert package.needed()[-1] == Path("/opt/x/node_modules")
    assert Subject(AdapterId.CODEX, ("/nowhere/bin/codex",), "installed").needed() == (Path("/nowhere/bin/codex"),)


def test_a_stand_in_is_a_program_like_any_other() -> None:
    subject = stand_in(AdapterId.CODEX)
    assert subject.words == (sys.executable, "-P", "-m", "tck_fakes.standins.alone", "codex")
    with arena(subject) as first:
        assert first.subject.version.count(".") == 2


def test_git_that_is_not_there_is_a_users_mistake(cli: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> None:
        raise FileNotFoundError(2, "No such file or directory", "git")

    monkeypatch.setattr(subprocess, "run", missing)
    with pytest.raises(UsageFault, match="git: git init failed: "), arena(cli):
        pass
