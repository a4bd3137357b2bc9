"""`session-tck containers` where something is missing or fails: one line, and an exit code that says whose it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tck_driver.vocabulary import AdapterId
from tck_kit.containers import command
from tck_kit.containers.clis import ADAPTER_OF, chosen, found
from tck_kit.containers.command import containers
from tck_kit.containers.probes import About, Probe
from tck_kit.faults import SuiteFault, UsageFault
from tck_kit.workers import clear_after_the_dead

_ABOUT = About("Podman", "4.3.1", "1.41", "overlay", "linux/amd64")


def _kit(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "tck_kit.command_line", "containers", *words],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize("words", [("check",), ("build",), ("clean",), ("prove", "claude")])
def test_without_an_engine_every_command_says_where_it_looked_and_how_to_get_one(words: tuple[str, ...]) -> None:
    pytest.importorskip("docker")
    done = _kit(*words, DOCKER_HOST="unix:///nowhere/docker.sock")
    assert done.returncode == 2
    assert done.stderr == (
        "session-tck: containers: no container engine answers at unix:///nowhere/docker.sock "
        "(No such file or directory); start Docker, or name its socket in DOCKER_HOST\n"
    )


@pytest.mark.parametrize("words", [("prove", "grok"), ("build", "nothing"), ("check", "--json")])
def test_words_that_are_none_are_refused(words: tuple[str, ...]) -> None:
    assert _kit(*words).returncode == 2


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[list[Probe]], None]:
    """Give an engine in name alone, and let the probes find this."""

    @contextmanager
    def connected(**_: bool) -> Iterator[object]:
        yield object()

    def finds(probes: list[Probe]) -> None:
        monkeypatch.setattr(command, "_engine", connected)
        monkeypatch.setattr("tck_fakes.images.base", lambda _client, _given: "session-tck/base:1")
        monkeypatch.setattr("tck_kit.containers.probes.about", lambda _client: _ABOUT)
        monkeypatch.setattr("tck_kit.containers.probes.probes", lambda *_: iter(probes))

    monkeypatch.chdir(tmp_path)
    return finds


_FINE = Probe("exit code", ok=True, seen="`exit 3` is told as 3")
_LIES = Probe("exit code with --rm", ok=False, seen="`run --rm … exit 3` is told as 0")
_LACKS = Probe("memory limit", ok=False, seen="who takes more than it has ends with 0", needed=False)


@pytest.mark.parametrize(
    ("probes", "code", "last"),
    [
        ([_FINE], 0, "Podman 4.3.1 can be used"),
        ([_FINE, _LACKS], 0, "Podman 4.3.1 can be used, without memory limit"),
        (
            [_FINE, _LIES, _LACKS],
            1,
            "Podman 4.3.1 cannot be used: exit code with --rm; take another engine, or a newer one",
        ),
    ],
)
def test_check_refuses_an_engine_by_name_for_what_it_needs_and_only_mentions_the_rest(
    engine: Callable[[list[Probe]], None], probes: list[Probe], code: int, last: str
) -> None:
    engine(probes)
    done = CliRunner().invoke(containers, ["check", "--json", "check.json"], standalone_mode=False)
    assert done.return_value == code, done.output
    lines = done.output.splitlines()
    assert lines[0] == "Engine: Podman 4.3.1 (API 1.41), storage overlay, linux/amd64"
    assert lines[-1] == last
    assert [line.split()[0] for line in lines[2:-1]] == [
        "ok" if probe.ok else "fails" if probe.needed else "lacks" for probe in probes
    ]
    told = json.loads(Path("check.json").read_text(encoding="utf-8"))
    assert told["usable"] is (code == 0)
    assert told["engine"]["storageDriver"] == "overlay"


@pytest.mark.parametrize("words", [("check",), ("prove", "claude")])
def test_a_file_that_has_no_place_is_named_before_anything_is_done(words: tuple[str, ...]) -> None:
    done = CliRunner().invoke(containers, [*words, "--json", "nowhere/x.json"], standalone_mode=False)
    assert str(done.exception) == ("nowhere/x.json: cannot be written: its folder is not there; name another file")


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("words", [("check",), ("prove", "claude")])
def test_a_file_that_nobody_here_may_write_is_named_before_anything_is_done(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: tuple[str, ...], *, there: bool
) -> None:
    target = tmp_path / "x.json"
    if there:
        target.touch()
    # As root one could write everywhere. click asks as well, and whether a file can be read.
    asked = target if there else tmp_path
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != asked or not mode & os.W_OK)
    done = CliRunner().invoke(containers, [*words, "--json", str(target)], standalone_mode=False)
    assert isinstance(done.exception, UsageFault)
    assert str(done.exception) == f"{target}: cannot be written: Permission denied; name another file"


@pytest.mark.parametrize("host", ["tcp://10.255.255.1:2375", "ssh://somebody@elsewhere"])
def test_a_proof_on_another_machine_is_refused_before_anything_is_asked_of_it(host: str) -> None:
    pytest.importorskip("docker")
    done = _kit("prove", "claude", DOCKER_HOST=host)
    assert done.returncode == 2
    assert done.stderr == (
        f"session-tck: {host}: its containers would be on another machine; name a local socket in DOCKER_HOST\n"
    )


def test_folders_of_commands_that_are_no_more_go_and_no_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "elsewhere" / "below").mkdir(parents=True)
    for name in (f"{gone.pid}-proof-a", f"{gone.pid}-packages-b", f"{gone.pid}-c", f"{os.getpid()}-proof-d", "proof-e"):
        (tmp_path / f"session-tck-{name}" / "engine").mkdir(parents=True)
    (tmp_path / f"session-tck-{gone.pid}-link").symlink_to(tmp_path / "elsewhere")
    clear_after_the_dead()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["elsewhere", f"session-tck-{gone.pid}-link", f"session-tck-{os.getpid()}-proof-d", "session-tck-proof-e"]
    )
    assert (tmp_path / "elsewhere" / "below").is_dir()


def test_a_file_that_cannot_be_written_is_named(engine: Callable[[list[Probe]], None]) -> None:
    engine([_FINE])
    done = CliRunner().invoke(containers, ["check", "--json", "/dev/full"], standalone_mode=False)
    assert str(done.exception) == "/dev/full: cannot be written: No space left on device; name another file"
    # What was found is shown all the same.
    assert done.output.splitlines()[-1] == "Podman 4.3.1 can be used"


def test_an_error_of_the_engine_in_the_middle_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    errors = pytest.importorskip("docker.errors")

    class _Client:
        def close(self) -> None:
            """Let go."""

    def broken(_client: object) -> None:
        raise errors.APIError("no space left on device")

    monkeypatch.setattr("tck_fakes.images.connect", _Client)
    monkeypatch.setattr(command, "_swept", broken)
    with pytest.raises(SuiteFault, match="did not do as it was asked: no space left on device"):
        CliRunner().invoke(containers, ["clean"], standalone_mode=False, catch_exceptions=False)


# --- where the CLIs come from


@pytest.mark.parametrize(
    ("words", "adapters"),
    [
        ((), tuple(ADAPTER_OF.values())),
        (("all", "claude"), tuple(ADAPTER_OF.values())),
        (("codex", "claude", "codex"), (AdapterId.CODEX, AdapterId.CLAUDE_CODE)),
    ],
)
def test_who_is_meant(words: tuple[str, ...], adapters: tuple[AdapterId, ...]) -> None:
    assert chosen(words) == adapters


def _installed(folder: Path) -> Path:
    package = folder / "node_modules" / "@openai" / "codex"
    (package / "bin").mkdir(parents=True)
    (package / "package.json").write_text('{"name": "@openai/codex", "version": "0.171.0"}', encoding="utf-8")
    program = package / "bin" / "codex.js"
    program.write_text("#!/usr/bin/env node\n", encoding="utf-8")
    (folder / "node_modules" / ".bin").mkdir()
    (folder / "node_modules" / ".bin" / "codex").symlink_to("../@openai/codex/bin/codex.js")
    return folder


@pytest.mark.parametrize("by", ["option", "variable", "link"])
def test_a_cli_is_found_where_npm_has_put_it_and_its_version_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    place = _installed(tmp_path / "installed")
    if by == "link":
        links = tmp_path / "links"
        links.mkdir()
        (links / "codex").symlink_to(place / "node_modules" / ".bin" / "codex")
        place = links
    if by == "variable":
        monkeypatch.setenv("TCK_CLIS", str(place))
    cli = found(AdapterId.CODEX, None if by == "variable" else place, "pinned", tmp_path)
    assert (cli.program, cli.version) == ("codex", "0.171.0")
    assert "{model}/v1" in cli.files[".codex/config.toml"]
    assert "node_modules" in cli.place.parts


def test_a_folder_without_the_cli_is_named_with_the_way_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(UsageFault) as fault:
        found(AdapterId.CLAUDE_CODE, tmp_path, "pinned", tmp_path)
    assert str(fault.value) == (
        f"--clis: {tmp_path} holds no claude; npm install --prefix {tmp_path} @anthropic-ai/claude-code"
    )


def test_without_npm_and_without_a_folder_the_missing_part_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TCK_CLIS", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageFault, match=r"npm is not on PATH; install Node\.js with npm"):
        found(AdapterId.CODEX, None, "pinned", tmp_path)


def test_a_proof_is_told_in_one_line_each(
    engine: Callable[[list[Probe]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tck_kit.containers.claims import Claim  # noqa: PLC0415 -- as the command does

    class _Proof:
        def __init__(self, program: str, *claims: Claim) -> None:
            self.program, self.claims = program, claims
            self.holds = all(claim.holds for claim in claims)
            self.summary = f"{program}: {'proved' if self.holds else 'not proved'}"

        def fields(self) -> dict[str, Any]:
            return {"cli": self.program, "proved": self.holds}

    proofs = {
        AdapterId.CLAUDE_CODE: _Proof("claude", Claim("the history is back", holds=True, evidence="request 1")),
        AdapterId.CODEX: _Proof("codex", Claim("the history is back", holds=False, evidence="none of 1 requests")),
    }
    engine([])
    monkeypatch.setattr("tck_kit.containers.probes.distrust", lambda *_: None)
    monkeypatch.setattr("tck_kit.containers.clis.found", lambda adapter, *_: adapter)
    monkeypatch.setattr("tck_kit.containers.proof.proved", lambda _client, adapter, *_: proofs[adapter])
    done = CliRunner().invoke(containers, ["prove", "claude", "codex", "--json", "p.json"], standalone_mode=False)
    assert done.return_value == 1
    assert done.output.splitlines()[1:] == [
        "claude    holds  the history is back                    request 1",
        "codex     FAILS  the history is back                    none of 1 requests",
        "claude: proved",
        "codex: not proved",
    ]
    assert [one["proved"] for one in json.loads(Path("p.json").read_text(encoding="utf-8"))["proofs"]] == [True, False]
    alone = CliRunner().invoke(containers, ["prove", "claude"], standalone_mode=False)
    assert alone.return_value == 0


def test_no_proof_is_begun_on_an_engine_that_tells_wrong_exit_codes(
    engine: Callable[[list[Probe]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine([])
    monkeypatch.setattr("tck_kit.containers.probes.distrust", lambda *_: "Podman 4.3.1: exit code with --rm: told as 0")
    with pytest.raises(UsageFault, match=r"Podman 4\.3\.1: exit code with --rm: told as 0; take another engine"):
        CliRunner().invoke(containers, ["prove", "claude"], standalone_mode=False, catch_exceptions=False)
