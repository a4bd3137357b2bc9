"""CLIs from npm: what is fetched, what runs afterwards and where, and what is said where something is missing."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tck_driver.vocabulary import AdapterId
from tck_kit.faults import UsageFault
from tck_kit.probe import npm
from tck_kit.probe.npm import PACKAGES, install
from tck_kit.probe.sealed import Seal

from ..needs import need  # noqa: TID252 -- the room that this one is in

#: An npm that has one package, and notes how it was called.
NPM = """\
#!/usr/bin/python3
import json, os, sys
with open(os.environ["NOTES"], "a") as notes:
    print(json.dumps({"words": sys.argv[1:], "cwd": os.getcwd(), "token": os.environ.get("NPM_TOKEN")}), file=notes)
answer = json.loads(os.environ.get("ANSWER", "{}"))
if sys.argv[1] in answer:
    told = answer[sys.argv[1]]
    sys.stderr.write(told.get("stderr", ""))
    print(json.dumps(told.get("json")))
    sys.exit(told.get("code", 1))
wanted = sys.argv[2] if sys.argv[1] == "view" else sys.argv[-1]
wanted = next(word for word in sys.argv[2:] if "@" in word[1:] and not word.startswith("--"))
name, version = wanted.rsplit("@", 1)
version = {"latest": "2.9.0"}.get(version, version)
if sys.argv[1] == "view":
    print(json.dumps(version))
else:
    prefix = next(word.split("=", 1)[1] for word in sys.argv if word.startswith("--prefix="))
    package = os.path.join(prefix, "node_modules", name)
    os.makedirs(package)
    script = os.environ.get("SCRIPT", "")
    with open(os.path.join(package, "package.json"), "w") as file:
        json.dump({"name": name, "version": version, "scripts": {"postinstall": script} if script else {}}, file)
    with open(os.path.join(package, "program"), "w") as file:
        file.write("not finished")
    os.makedirs(os.path.join(prefix, "node_modules", ".bin"))
    os.symlink(f"../{name}/program", os.path.join(prefix, "node_modules", ".bin", "claude"))
    print("{}")
"""
#: What `postinstall` does: it finishes the program, and writes down whatever it sees.
SCRIPT = """
printf '#!/bin/sh\\necho 2.1.197\\n' > program; chmod 755 program; id -u > seen; env >> seen; pwd >> seen
cat /proc/net/dev | grep -c : >> seen; ls -d {home} >> seen 2>&1
echo x > $HOME/.mess; true
"""

Fake = Callable[..., Path]


@pytest.fixture(name="fake")
def _fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """Put the npm on PATH; give the file that it writes its notes to."""

    def put(script: str = SCRIPT, **answer: object) -> Path:
        program = tmp_path / "bin" / "npm"
        program.parent.mkdir()
        program.write_text(NPM, encoding="utf-8")
        program.chmod(0o755)
        home = tmp_path / "home"
        home.mkdir()
        (home / ".npmrc").write_text("//registry.example/:_authToken=planted", encoding="utf-8")
        tmp_path.chmod(0o755)
        notes = tmp_path / "notes"
        for name, value in {
            "PATH": f"{program.parent}:/usr/bin:/bin",
            "HOME": str(home),
            "NPM_TOKEN": "planted",
            "NOTES": str(notes),
            "SCRIPT": script.format(home=home),
            "ANSWER": json.dumps(answer),
        }.items():
            monkeypatch.setenv(name, value)
        return notes

    return put


def noted(notes: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in notes.read_text(encoding="utf-8").splitlines()]


def test_the_pinned_version_is_fetched_into_a_folder_of_its_own_and_nothing_of_it_runs_meanwhile(
    fake: Fake, tmp_path: Path
) -> None:
    notes = fake()
    subject = install(AdapterId.CLAUDE_CODE, "pinned", tmp_path / "clis")
    place = tmp_path / "clis" / "claude-2.1.197"
    assert subject.words == (str(place / "node_modules/@anthropic-ai/claude-code/program"),)
    assert (subject.origin, subject.adapter) == ("npm", AdapterId.CLAUDE_CODE)
    view, fetch = noted(notes)
    assert view["words"][:3] == ["view", "@anthropic-ai/claude-code@2.1.197", "version"]
    assert {"--ignore-scripts", "--include=optional", "@anthropic-ai/claude-code@2.1.197"} <= set(fetch["words"])
    # The caller's own settings reach npm, and it looks for no project of the caller's.
    assert fetch["token"] == "planted"  # noqa: S105 -- planted by this test
    assert Path(fetch["cwd"]).parent == tmp_path / "clis"
    assert [path.name for path in (tmp_path / "clis").iterdir()] == ["claude-2.1.197"]
    assert sorted(path.name for path in place.iterdir()) == ["node_modules", "package.json"]


def test_its_own_script_runs_where_nothing_of_the_caller_is(fake: Fake, tmp_path: Path) -> None:
    fake()
    subject = install(AdapterId.CLAUDE_CODE, "pinned", tmp_path / "clis")
    package = Path(subject.words[0]).parent
    seen = (package / "seen").read_text(encoding="utf-8")
    assert "planted" not in seen
    with Seal() as seal:
        user, closed = seal.user, seal.closure.network
    lines = seen.splitlines()
    assert lines[0] == str(user)
    assert {line.split("=")[0] for line in lines if "=" in line} <= {
        "HOME", "PATH", "LANG", "SESSION_TCK_PROBE", "PWD", "SHLVL", "_", "OLDPWD",
    }  # fmt: skip
    if closed:
        assert lines[-2] == "1", "one network interface"
        assert "No such file" in lines[-1]
    # What it made belongs to us again: an agent cannot change its own program.
    assert {path.lstat().st_uid for path in package.rglob("*")} == {os.geteuid()}


def test_what_is_there_is_used_without_asking_anybody(fake: Fake, tmp_path: Path) -> None:
    notes = fake()
    first = install(AdapterId.CLAUDE_CODE, "pinned", tmp_path / "clis")
    calls = len(noted(notes))
    assert install(AdapterId.CLAUDE_CODE, "2.1.197", tmp_path / "clis") == first
    assert len(noted(notes)) == calls


def test_the_latest_is_asked_for_by_its_tag_and_put_by_its_number(fake: Fake, tmp_path: Path) -> None:
    notes = fake()
    subject = install(AdapterId.CLAUDE_CODE, "latest", tmp_path / "clis")
    assert str(tmp_path / "clis" / "claude-2.9.0") in subject.words[0]
    assert install(AdapterId.CLAUDE_CODE, "latest", tmp_path / "clis") == subject
    assert [call["words"][0] for call in noted(notes)] == ["view", "install", "view"]


@pytest.mark.parametrize("version", ["", "^1", "~2", "1 || 2", "-g", "--registry=x", "../x", "x" * 65, "1.2.3\n", "é"])
def test_a_range_or_an_option_is_no_version(fake: Fake, tmp_path: Path, version: str) -> None:
    notes = fake()
    with pytest.raises(UsageFault, match=r"is no version and no tag; say pinned, latest, or 0\.171\.0"):
        install(AdapterId.CODEX, version, tmp_path / "clis")
    assert not notes.exists()


FAULTS = [
    (
        "view",
        {"json": {"error": {"code": "E404"}}},
        "the registry has no such version; name one that it has, or latest",
    ),
    ("view", {"json": {"error": {"code": "ECONNREFUSED"}}}, "the registry cannot be reached (ECONNREFUSED); name the"),
    ("view", {"json": {"error": {"code": "ENOTFOUND"}}}, "the registry cannot be reached (ENOTFOUND)"),
    ("view", {"json": {"error": {"code": "SELF_SIGNED_CERT_IN_CHAIN"}}}, "the registry cannot be reached (SELF_SIGNED"),
    ("view", {"json": {"error": {"code": "E503"}}}, "the registry cannot be reached (E503)"),
    ("view", {"json": {"error": {"code": "E401"}}}, "the registry refuses it to you (E401); log in with npm, or name"),
    ("view", {"json": None, "stderr": "npm ERR! code ENOTFOUND\n"}, "the registry cannot be reached (ENOTFOUND)"),
    ("view", {"json": None, "stderr": "npm error code EAI_AGAIN\nnpm error x"}, "the registry cannot be reached (EAI_"),
    ("view", {"json": ["1.0.0", "2.0.0"], "code": 0}, "the registry names no version for it"),
    ("view", {"json": None, "code": 0}, "the registry names no version for it"),
    ("install", {"json": {"error": {"code": "ETARGET"}}}, "the registry has no such version"),
    ("install", {"json": {"error": {"code": "EBADPLATFORM"}}}, "there is none for this machine; name the path of a"),
    (
        "install",
        {"json": {"error": {"code": "ENOSPC", "summary": "no space\nleft"}}},
        "npm failed (ENOSPC): no space; ",
    ),
    ("install", {"json": None, "stderr": "Segmentation fault"}, "npm failed: Segmentation fault; "),
    ("install", {"json": None}, "npm failed: it says nothing; "),
    ("install", {"json": {}, "code": 0}, "npm has not brought what it should; "),
]


@pytest.mark.parametrize(("call", "answer", "said"), FAULTS)
def test_what_npm_says_is_said_in_one_line_and_nothing_is_left(
    fake: Fake, tmp_path: Path, call: str, answer: object, said: str
) -> None:
    fake(**{call: answer})
    with pytest.raises(UsageFault) as fault:
        install(AdapterId.CLAUDE_CODE, "pinned", tmp_path / "clis")
    assert str(fault.value).startswith(f"@anthropic-ai/claude-code@2.1.197: {said}")
    assert "\n" not in str(fault.value)
    assert not (tmp_path / "clis").exists() or not [*(tmp_path / "clis").iterdir()]


def test_a_script_that_fails_is_said_and_nothing_is_left(fake: Fake, tmp_path: Path) -> None:
    fake(script="echo 'no native package' >&2; exit 4")
    with pytest.raises(UsageFault, match="its postinstall script ended with 4 and said no native package; "):
        install(AdapterId.CLAUDE_CODE, "pinned", tmp_path / "clis")
    assert not [*(tmp_path / "clis").iterdir()]


def test_a_script_that_does_not_end_is_ended(fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(script="sleep 300")
    monkeypatch.setattr(npm, "_SCRIPT", 0.5)
    with pytest.raises(UsageFault, match=r"its postinstall script did not end in 0\.5 seconds; "):
        install(AdapterId.CLAUDE_CODE, "pinned", tmp_path / "clis")


def test_an_npm_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "npm"
    program.write_text("#!/bin/sh\nsleep 300 & wait\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(npm, "_SAYING", 0.5)
    with pytest.raises(UsageFault, match=r"opencode-ai@1.18.33: npm did not end in 0.5 seconds; "):
        install(AdapterId.OPENCODE, "pinned", tmp_path / "clis")


def test_no_npm_is_said_with_the_way_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageFault, match=r"@github/copilot@1.0.102: npm is not on PATH; install Node.js with npm"):
        install(AdapterId.COPILOT, "pinned", tmp_path / "clis")


def test_a_folder_that_cannot_be_made_is_said(fake: Fake, tmp_path: Path) -> None:
    fake()
    (tmp_path / "file").touch()
    with pytest.raises(UsageFault, match="/file/clis: nothing can be written there: Not a directory; "):
        install(AdapterId.CLAUDE_CODE, "pinned", tmp_path / "file" / "clis")


def test_an_old_half_is_replaced(fake: Fake, tmp_path: Path) -> None:
    fake()
    half = tmp_path / "clis" / "claude-2.1.197" / "node_modules"
    half.mkdir(parents=True)
    (half / "rest").touch()
    install(AdapterId.CLAUDE_CODE, "pinned", tmp_path / "clis")
    assert not (half / "rest").exists()


@pytest.mark.parametrize("adapter", [AdapterId.CODEX])
def test_a_registry_that_nobody_serves_is_said_soon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, adapter: AdapterId
) -> None:
    need("npm", "npm")
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9")
    began = time.monotonic()
    with pytest.raises(UsageFault) as fault:
        install(adapter, "pinned", tmp_path / "clis")
    assert str(fault.value).startswith(f"{PACKAGES[adapter].name}@{PACKAGES[adapter].version}: the registry cannot be")
    assert time.monotonic() - began < 60
