"""Each stand-in as a program of its own, with a home of its own, at the model server that it is configured with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tck_fakes.modelserver.faults import Fault
from tck_fakes.modelserver.server import ModelServer

from .box import fresh, resume

CLIS = ("claude", "codex", "opencode", "copilot")
UNKNOWN = {"opencode": "ses_dd6a30a4effeiY5w2zPmP9jZZZ"}
ONE, TWO = "first tck-00000001", "second tck-00000002"
FAULTS: tuple[Fault, ...] = ("401", "404", "529", "overflow", "cut")
#: Seconds after which a stand-in that should have ended did not.
LIMIT = 60.0


@dataclass(frozen=True, slots=True)
class Alone:
    """A home, a working directory and a model server."""

    home: Path
    work: Path
    model: ModelServer

    def environment(self, cli: str) -> dict[str, str]:
        """Configure a CLI as a user would, and give what it needs around it."""
        url = self.model.url
        if cli == "codex":
            self.put(
                ".codex/config.toml",
                'model = "m"\nmodel_provider = "own"\n[model_providers.own]\nname = "own"\n'
                f'base_url = "{url}/v1"\nwire_api = "responses"\nenv_key = "OWN_KEY"\n',
            )
        if cli == "opencode":
            options = {"baseURL": f"{url}/v1", "apiKey": "key"}
            settings = {"model": "own/m", "provider": {"own": {"options": options}}}
            self.put(".config/opencode/opencode.json", json.dumps(settings))
        more = {
            "claude": {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "key"},
            "codex": {"OWN_KEY": "key"},
            "opencode": {},
            "copilot": {"COPILOT_PROVIDER_BASE_URL": f"{url}/v1", "COPILOT_PROVIDER_API_KEY": "key"},
        }
        return {"HOME": str(self.home), "PATH": os.defpath, "LANG": "C.UTF-8", **more[cli]}

    def put(self, name: str, text: str) -> None:
        """Write a file below home."""
        (self.home / name).parent.mkdir(parents=True, exist_ok=True)
        (self.home / name).write_text(text)

    def run(
        self, cli: str, *argv: str, stdin: str = "", more: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run it to its end; `/workspace` in its arguments is the working directory."""
        words = [str(self.work) if word == "/workspace" else word for word in argv]
        return subprocess.run(
            [sys.executable, "-P", "-m", "tck_fakes.standins.alone", cli, *words],
            cwd=self.work,
            env=self.environment(cli) | (more or {}),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Alone]:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    with ModelServer() as model:
        yield Alone(home, work, model)


def ids(stdout: str) -> set[str]:
    """Give the ids that its events report."""
    events = [json.loads(line) for line in stdout.splitlines()]
    names = ("session_id", "thread_id", "sessionID", "sessionId")
    return {event[name] for event in events for name in names if name in event}


def begun(alone: Alone, cli: str) -> str:
    """Make a session of one prompt, and give its id."""
    first = alone.run(cli, *fresh(cli, ONE))
    assert first.returncode == 0, first.stderr
    (session,) = ids(first.stdout)
    return session


@pytest.mark.parametrize("cli", CLIS)
def test_a_resume_sends_the_model_what_was_said_before(alone: Alone, cli: str) -> None:
    session = begun(alone, cli)
    second = alone.run(cli, *resume(cli, session, TWO))
    assert (second.returncode, ids(second.stdout)) == (0, {session})
    first, asked = alone.model.asked()
    assert asked.marks == ("tck-00000001", "tck-00000002")
    assert [turn.role for turn in asked.turns] == ["user", "assistant", "user"]
    assert asked.turns[1].text.startswith("Heard 1 prompts: tck-00000001.")
    assert "Heard 2 prompts: tck-00000001 tck-00000002." in second.stdout
    assert (first.streaming, first.credential == "none") == (True, False)


@pytest.mark.parametrize("cli", CLIS)
def test_an_id_that_nobody_knows_is_refused_before_the_model_is_called(alone: Alone, cli: str) -> None:
    unknown = UNKNOWN.get(cli, "baa62f74-fa32-4fee-bf27-aeac3b92b2a0")
    ended = alone.run(cli, *resume(cli, unknown, TWO))
    assert (ended.returncode, alone.model.asked()) == (1, ())
    assert ended.stderr


@pytest.mark.parametrize("cli", CLIS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_model_that_fails_is_told_of_with_the_session_that_was_found(alone: Alone, cli: str, fault: Fault) -> None:
    session = begun(alone, cli)
    alone.model.always(fault)
    ended = alone.run(cli, *resume(cli, session, TWO))
    assert ended.returncode == 1
    assert session in ids(ended.stdout)
    alone.model.always(None)
    assert alone.run(cli, *resume(cli, session, "third")).returncode == 0
    assert alone.model.asked()[-1].marks == ("tck-00000001", "tck-00000002"), "the prompt was in the history already"


@pytest.mark.parametrize("cli", CLIS)
def test_a_fault_that_passes_is_got_over_by_calling_again(alone: Alone, cli: str) -> None:
    alone.model.script("429")
    ended = alone.run(cli, *fresh(cli, ONE))
    assert ended.returncode == 0, ended.stdout
    assert len(alone.model.asked()) == 2


@pytest.mark.parametrize("cli", ["claude", "opencode", "copilot"])
def test_a_model_that_nobody_serves_ends_the_run(alone: Alone, cli: str) -> None:
    session = begun(alone, cli)
    alone.model.always("down")
    ended = alone.run(cli, *resume(cli, session, TWO))
    assert ended.returncode == 1
    assert "onnect" in ended.stdout


@pytest.mark.parametrize(("cli", "code"), [("claude", 1), ("codex", 1), ("opencode", 1), ("copilot", 1)])
def test_without_a_credential_or_a_provider_no_model_is_called(alone: Alone, cli: str, code: int) -> None:
    without = {
        "claude": {"ANTHROPIC_API_KEY": ""},
        "codex": {"OWN_KEY": ""},
        "opencode": {"OPENCODE_CONFIG_CONTENT": '{"model": "none/m"}'},
        "copilot": {"COPILOT_PROVIDER_BASE_URL": ""},
    }
    ended = alone.run(cli, *fresh(cli, ONE), more=without[cli])
    assert (ended.returncode, alone.model.asked()) == (code, ())
    assert bool(ended.stdout) == (cli != "copilot")


@pytest.mark.parametrize(("cli", "place"), [("codex", ".codex/config.toml"), ("opencode", "opencode.json")])
def test_settings_that_cannot_be_read_end_the_run(alone: Alone, cli: str, place: str) -> None:
    folder = {"CODEX_HOME": str(alone.home / "other/.codex"), "XDG_CONFIG_HOME": str(alone.home / "other")}
    alone.put("other/.codex/config.toml", "= no toml")
    alone.put("other/opencode/opencode.json", "{ no json")
    ended = alone.run(cli, *fresh(cli, ONE), more=folder)
    assert (ended.returncode, ended.stdout, alone.model.asked()) == (1, "", ())
    assert place in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("cli", CLIS)
def test_a_prompt_may_come_by_standard_input(alone: Alone, cli: str) -> None:
    argv = {
        "claude": ("-p",),
        "codex": ("exec", "--skip-git-repo-check", "-"),
        "opencode": ("run",),
        "copilot": ("--allow-all-tools",),
    }
    assert alone.run(cli, *argv[cli], stdin=ONE).returncode == 0
    assert alone.model.asked()[-1].marks == ("tck-00000001",)


@pytest.mark.parametrize("cli", CLIS)
def test_the_version_is_the_one_that_is_imitated(alone: Alone, cli: str) -> None:
    versions = {"claude": "2.1.197", "codex": "0.171.0", "opencode": "1.18.33", "copilot": "1.0.102"}
    ended = alone.run(cli, "--version")
    assert (ended.returncode, versions[cli] in ended.stdout) == (0, True)


@pytest.mark.parametrize("words", [(), ("sh", "-c", "true")])
def test_what_is_no_stand_in_is_said_in_one_line(words: tuple[str, ...]) -> None:
    ended = subprocess.run(
        [sys.executable, "-P", "-m", "tck_fakes.standins.alone", *words], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1)
    assert "claude, codex, opencode, copilot, grok" in ended.stderr


def test_what_opencode_wrote_lies_in_the_log_beside_its_database(alone: Alone) -> None:
    session = begun(alone, "opencode")
    data = alone.home / ".local/share/opencode"
    assert (data / "opencode.db-wal").stat().st_size > 0
    (data / "opencode.db-wal").unlink()
    (data / "opencode.db-shm").unlink()
    assert "Session not found" in alone.run("opencode", *resume("opencode", session, TWO)).stderr


def test_opencode_puts_quotes_around_a_prompt_with_a_space(alone: Alone) -> None:
    alone.run("opencode", *fresh("opencode", 'Say "tck-00000001".'))
    assert alone.model.asked()[-1].prompts == ('"Say \\"tck-00000001\\"."',)
