"""Images before there is one: layers, packages, sources, and which part of what npm installed goes in."""

from __future__ import annotations

import io
import json
import os
import signal
import stat
import subprocess
import sys
import tarfile
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import pytest

from tck_fakes.images import MissingPartError, RealCli, engine, packages
from tck_fakes.images.entries import PLACE, PROGRAMS, put_program, put_sources
from tck_fakes.images.inside import LOG, MODEL
from tck_fakes.images.layer import Layer, links, merged
from tck_fakes.images.making import KIND, LABEL, UNTIL, Recipe, discard, labels
from tck_fakes.images.real_image import native
from tck_fakes.images.sources import digest, sources


def _read(written: io.BytesIO) -> dict[str, tarfile.TarInfo]:
    written.seek(0)
    with tarfile.open(fileobj=written) as archive:
        return {member.name: member for member in archive}


def _package(*entries: tuple[str, bytes, str]) -> io.BytesIO:
    """Make the archive of a package's files: name, type, content or target."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, kind, content in entries:
            entry = tarfile.TarInfo(name)
            entry.type = kind
            entry.mode = 0o755
            entry.mtime = 1_700_000_000
            if kind == tarfile.REGTYPE:
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content.encode()))
            else:
                entry.linkname = content
                archive.addfile(entry)
    made.seek(0)
    return made


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ("./lib/x86_64-linux-gnu/libc.so.6", "usr/lib/x86_64-linux-gnu/libc.so.6"),
        ("./usr/lib/python3.11/json/", "usr/lib/python3.11/json"),
        ("./bin/busybox", "usr/bin/busybox"),
        ("./lib64/ld-linux-x86-64.so.2", "usr/lib64/ld-linux-x86-64.so.2"),
        ("./library/file", "library/file"),
        ("./", ""),
    ],
)
def test_a_packages_file_lies_where_a_system_with_one_usr_has_it(path: str, there: str) -> None:
    assert merged(path) == there


def test_the_same_files_give_the_same_bytes_whenever_and_by_whomever_they_are_put_in(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"\x7fELF")
    program.chmod(0o755)
    archives: list[bytes] = []
    for age in (0, 10_000_000):
        os.utime(program, (age, age))
        written = io.BytesIO()
        layer = Layer(written)
        layer.copy("opt/cli/program", program)
        layer.file("etc/x", b"y")
        layer.close()
        archives.append(written.getvalue())
    assert archives[0] == archives[1]


def test_folders_on_the_way_are_made_once_and_a_program_can_be_executed() -> None:
    written = io.BytesIO()
    layer = Layer(written)
    layer.file("usr/local/bin/claude", b"#!/bin/sh\n", 0o755)
    layer.file("usr/local/bin/codex", b"#!/bin/sh\n", 0o755)
    layer.folder("home/agent", 0o755, 1000)
    layer.close()
    found = _read(written)
    assert list(found) == [
        "usr",
        "usr/local",
        "usr/local/bin",
        "usr/local/bin/claude",
        "usr/local/bin/codex",
        "home",
        "home/agent",
    ]
    assert found["usr/local/bin/claude"].mode == 0o755
    assert (found["home"].uid, found["home/agent"].uid) == (0, 1000)


def test_packages_are_merged_without_their_pages_and_what_was_there_first_stays() -> None:
    written = io.BytesIO()
    layer = Layer(written)
    links(layer)
    layer.merge(
        _package(
            ("./", tarfile.DIRTYPE, ""),
            ("./lib/", tarfile.DIRTYPE, ""),
            ("./lib/libx.so.1.2", tarfile.REGTYPE, "code"),
            ("./lib/libx.so.1", tarfile.SYMTYPE, "libx.so.1.2"),
            ("./bin/one", tarfile.REGTYPE, "1"),
            ("./bin/two", tarfile.LNKTYPE, "./bin/one"),
            ("./usr/share/doc/x/copyright", tarfile.REGTYPE, "long"),
        )
    )
    layer.merge(_package(("./usr/bin/one", tarfile.REGTYPE, "another")))
    layer.close()
    found = _read(written)
    assert found["lib"].linkname == "usr/lib"
    assert found["usr/lib/libx.so.1"].linkname == "libx.so.1.2"
    assert found["usr/bin/two"].linkname == "usr/bin/one"
    assert found["usr/bin/one"].size == 1
    assert found["usr/bin/one"].mtime == 0
    assert "usr/share/doc/x/copyright" not in found


def test_a_machine_without_apt_is_told_to_name_an_image(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingPartError) as missing:
        packages.release()
    assert str(missing.value) == (
        "this machine has no apt-get to take Debian packages from; "
        "give an image that has Python 3.11 or newer: --base python:3.13-slim"
    )


def test_what_apt_says_is_handed_on_in_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "apt-get"
    program.write_text("#!/bin/sh\necho 'E: Unable to locate package python3' >&2\nexit 100\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(MissingPartError) as missing:
        packages.fetch(tmp_path / "packages")
    assert missing.value.what == "apt-get failed: E: Unable to locate package python3"
    assert missing.value.cure.startswith("run apt-get update, or give an image")


def test_our_sources_are_those_that_are_installed_and_nothing_that_was_compiled() -> None:
    found = dict(sources())
    assert "tck_fakes/modelserver/__main__.py" in found
    assert (
        found["tck_fakes/images/inside.py"] == Path(str(sys.modules["tck_fakes.images.inside"].__file__)).read_bytes()
    )
    assert {path.split("/")[0] for path in found} == {"tck_driver", "tck_fakes", "tck_simulator"}
    assert all(path.endswith(".py") for path in found)


def test_a_digest_tells_apart_what_lies_next_to_each_other() -> None:
    one = digest((("a", b"bc"), ("d", b"")))
    assert one == digest((("a", b"bc"), ("d", b"")))
    assert (
        len({one, digest((("ab", b"c"), ("d", b""))), digest((("a", b"bc"),)), digest("abc"), digest("ab", "c")}) == 5
    )


def test_a_recipes_name_is_its_kind_and_the_digest_of_what_went_in() -> None:
    assert Recipe("standins", "0123456789abcdef", lambda _: None).tag == "session-tck/standins:0123456789abcdef"


def test_what_is_made_for_a_time_says_until_when() -> None:
    made = labels("proof", 60)
    assert made[LABEL] == "proof"
    assert 0 < int(made[UNTIL]) - time.time() <= 60
    assert labels("image") == {LABEL: "image"}


# --- which images are the kit's


@dataclass
class _Images:
    """As much of an engine as has images: each a record as the engine's API gives it."""

    held: list[dict[str, Any]]
    removed: list[str] = field(default_factory=list[str])

    @property
    def api(self) -> _Api:
        return _Api(self.held)

    @property
    def images(self) -> _Images:
        return self

    def remove(self, name: str) -> None:
        self.removed.append(name)


@dataclass
class _Api:
    held: list[dict[str, Any]]

    def images(self, filters: dict[str, str]) -> list[dict[str, Any]]:
        return [each for each in self.held if filters["label"] in each["Labels"]]


def _image(*tags: str, kind: str = "standins", digests: tuple[str, ...] = (), age: int = 0) -> dict[str, Any]:
    return {
        "Id": "sha256:0123",
        "RepoTags": [*tags] or None,
        "RepoDigests": [*digests],
        "Labels": {LABEL: "image", KIND: kind},
        "Created": int(time.time()) - age,
    }


@pytest.mark.parametrize(
    ("image", "kind", "taken"),
    [
        (_image("session-tck/standins:1"), None, ["session-tck/standins:1"]),
        (_image("localhost/session-tck/standins:1"), "standins", ["localhost/session-tck/standins:1"]),
        # Somebody's own, made of ours: it has our labels.
        (_image("acme/agent:latest"), None, []),
        (_image("acme/agent:latest"), "standins", []),
        (_image("session-tck/standins:1", "acme/agent:latest"), "standins", ["session-tck/standins:1"]),
        (_image("acme/session-tck/standins:1"), None, []),
        (_image("session-tckish/standins:1"), None, []),
        (_image("session-tck/standins:1"), "base", []),
        # Made of the base, and named as ours by somebody: no kind of ours.
        (_image("session-tck/mine:1", kind="base"), "base", []),
        (_image("session-tck/standins:keep"), "standins", []),
        (_image("localhost/session-tck/standins:keep"), "standins", []),
        (_image(), None, ["sha256:0123"]),
        (_image("<none>:<none>", digests=("<none>@<none>",)), "standins", ["sha256:0123"]),
        (_image(digests=("session-tck/standins@sha256:45",)), "standins", ["sha256:0123"]),
        (_image(digests=("acme/agent@sha256:45",)), None, []),
        (_image(kind="base"), "standins", []),
    ],
)
def test_an_image_is_taken_by_the_kits_own_names_alone(
    image: dict[str, Any], kind: str | None, taken: list[str]
) -> None:
    engine_ = _Images([image])
    assert discard(cast("Any", engine_), kind, "session-tck/standins:keep") == (len(taken), ())
    assert engine_.removed == taken


def test_an_image_that_is_young_stays() -> None:
    engine_ = _Images([_image("session-tck/standins:1", age=50), _image("session-tck/standins:2", age=70)])
    discard(cast("Any", engine_), "standins", age=60)
    assert engine_.removed == ["session-tck/standins:2"]


# --- what npm installed


def _npm(folder: Path, path: str, head: bytes = b"\x7fELF") -> Path:
    program = folder / "node_modules" / path
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_bytes(head + b"...")
    return program


@pytest.mark.parametrize(
    ("program", "path", "inside"),
    [
        ("claude", "@anthropic-ai/claude-code-linux-x64/claude", "claude"),
        ("codex", "@openai/codex-linux-arm64/vendor/aarch64-unknown-linux-musl/bin/codex", "bin/codex"),
        ("opencode", "opencode-linux-x64/bin/opencode", "opencode"),
        ("copilot", "@github/copilot-linux-x64/copilot", "copilot"),
    ],
)
def test_the_native_program_is_found_from_any_place_of_an_installation(
    tmp_path: Path, program: str, path: str, inside: str
) -> None:
    expected = _npm(tmp_path, path)
    wrapper = _npm(tmp_path, f".bin/{program}", b"#!/usr/bin/env node")
    for place in (tmp_path, tmp_path / "node_modules", wrapper):
        files, found = native(RealCli(program, "1.2.3", place))
        assert found == inside
        assert dict(files)[inside] == expected.resolve()


def test_the_program_that_an_installation_has_chosen_is_taken_as_it_is(tmp_path: Path) -> None:
    _npm(tmp_path, "opencode-linux-x64/bin/opencode")
    chosen = _npm(tmp_path, "opencode-ai/bin/opencode.exe")
    link = tmp_path / "opencode"
    link.symlink_to(chosen)
    assert native(RealCli("opencode", "1.18.33", link)) == ((("opencode", chosen.resolve()),), "opencode")


def test_what_no_run_needs_is_left_behind(tmp_path: Path) -> None:
    place = "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl"
    for name in ("bin/codex", "codex-path/rg", "codex-resources/voice/bin/codex-voice-host"):
        _npm(tmp_path, f"{place}/{name}")
    files, _ = native(RealCli("codex", "0.171.0", tmp_path))
    assert [name for name, _ in files] == ["bin/codex", "codex-path/rg"]


def test_a_cli_that_brings_no_native_program_is_refused_by_its_version(tmp_path: Path) -> None:
    _npm(tmp_path, "@anthropic-ai/claude-code/cli.js", b"#!/usr/bin/env node")
    with pytest.raises(MissingPartError) as missing:
        native(RealCli("claude", "1.0.124", tmp_path))
    assert missing.value.what.startswith("claude 1.0.124 in ")
    assert missing.value.what.endswith(" brings no native program for Linux")


def test_a_script_in_the_place_of_a_native_program_is_none(tmp_path: Path) -> None:
    _npm(tmp_path, "@github/copilot-linux-x64/copilot", b"#!/bin/sh")
    with pytest.raises(MissingPartError, match="brings no native program"):
        native(RealCli("copilot", "1.0.102", tmp_path))


def test_a_folder_without_an_installation_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(MissingPartError, match="is no place where npm has installed codex"):
        native(RealCli("codex", "0.171.0", tmp_path))


# --- the container engine


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("unix:///nowhere/docker.sock", "(No such file or directory)"),
        ("gibberish", "(Invalid bind address format"),
    ],
)
def test_an_engine_that_does_not_answer_is_named_with_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch, host: str, said: str
) -> None:
    pytest.importorskip("docker")
    monkeypatch.setenv("DOCKER_HOST", host)
    with pytest.raises(MissingPartError) as missing:
        engine.connect()
    assert missing.value.what.startswith(f"no container engine answers at {host} {said}")
    assert missing.value.cure == "start Docker, or name its socket in DOCKER_HOST"


def test_the_sdk_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "find_spec", lambda _name: None)
    with pytest.raises(MissingPartError) as missing:
        engine.connect()
    assert str(missing.value) == (
        "the Python package docker is missing; install it with: pip install 'session-tck[containers]'"
    )


def test_a_socket_that_is_not_for_everybody_says_whose_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("docker")

    def forbidden(_where: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setenv("DOCKER_HOST", "unix:///run/docker.sock")
    monkeypatch.setattr(engine, "_knock", forbidden)
    with pytest.raises(MissingPartError) as missing:
        engine.connect()
    assert missing.value.what == "no container engine answers at unix:///run/docker.sock (Permission denied)"
    assert missing.value.cure == "be in the group that may use its socket"


def test_an_engine_behind_ssh_needs_a_package_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("docker")
    monkeypatch.setenv("DOCKER_HOST", "ssh://somebody@elsewhere")
    monkeypatch.setattr(engine, "find_spec", lambda name: None if name == "paramiko" else find_spec(name))
    with pytest.raises(MissingPartError) as missing:
        engine.connect()
    assert str(missing.value) == (
        "the Python package paramiko is missing, without which nobody gets to ssh://somebody@elsewhere; "
        "install it with: pip install paramiko, or name a local socket in DOCKER_HOST"
    )


@pytest.mark.parametrize(
    ("host", "remote"),
    [
        ("unix:///var/run/docker.sock", None),
        ("npipe:////./pipe/docker_engine", None),
        ("gibberish", None),
        ("tcp://10.0.0.1:2375", "tcp://10.0.0.1:2375"),
        ("ssh://somebody@elsewhere", "ssh://somebody@elsewhere"),
        ("https://10.0.0.1:2376", "https://10.0.0.1:2376"),
    ],
)
def test_an_engine_that_is_no_socket_here_is_elsewhere(
    monkeypatch: pytest.MonkeyPatch, host: str, remote: str | None
) -> None:
    pytest.importorskip("docker")
    monkeypatch.setenv("DOCKER_HOST", host)
    assert engine.elsewhere() == remote


# --- what runs inside, tried outside


def _unpacked(tmp_path: Path) -> Path:
    """Put our sources and a program into a folder, as they lie in an image."""
    written = io.BytesIO()
    layer = Layer(written)
    put_sources(layer, sources())
    for program in PROGRAMS:
        put_program(layer, program, f"a stand-in for {program}", "json.tool", program)
    layer.close()
    written.seek(0)
    with tarfile.open(fileobj=written) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / PLACE.strip("/")


def test_a_program_in_an_image_says_that_it_is_for_tests_alone_and_can_be_started(tmp_path: Path) -> None:
    _unpacked(tmp_path)
    for program in PROGRAMS:
        script = tmp_path / "usr/local/bin" / program
        assert script.stat().st_mode & stat.S_IXOTH
        assert "TEST ONLY" in script.read_text(encoding="utf-8")


def _described(tmp_path: Path, *words: str) -> Path:
    described = tmp_path / "described.json"
    known = {
        "words": [sys.executable, "-I", "-c", *words],
        "environment": {"BASE": f"{MODEL}/v1"},
        "files": {".config/cli.json": json.dumps({"url": MODEL})},
    }
    described.write_text(json.dumps(known), encoding="utf-8")
    return described


def _wrapped(tmp_path: Path, described: Path, *arguments: str) -> list[str]:
    """Give the words that start the wrapper as an image does: from sources alone, without anything installed."""
    entry = _unpacked(tmp_path / "image") / "entry.py"
    # The folder is another one here than in an image.
    entry.write_text(entry.read_text(encoding="utf-8").replace(PLACE, str(entry.parent)), encoding="utf-8")
    return [sys.executable, "-I", "-S", str(entry), "tck_fakes.images.inside", str(described), *arguments]


_ASKS = """
import json, os, pathlib, sys, urllib.request
home = pathlib.Path(os.environ["HOME"])
url = json.loads((home / ".config/cli.json").read_text())["url"]
assert os.environ["BASE"] == url + "/v1"
told = {"model": "m", "stream": False, "messages": [{"role": "user", "content": sys.argv[1]}]}
kind = {"Content-Type": "application/json"}
request = urllib.request.Request(url + "/v1/chat/completions", json.dumps(told).encode(), kind)
print(json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"])
sys.exit(7)
"""


def test_the_wrapper_configures_a_cli_for_a_model_of_its_own_and_ends_as_it_does(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    words = _wrapped(tmp_path, _described(tmp_path, _ASKS), "hello tck-0123abcd")
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode == 7, done.stderr
    assert done.stdout.startswith("Heard 1 prompts: tck-0123abcd. Digest "), done.stderr
    # Nobody has mounted a folder to be told anything in, so nothing is left but the configuration.
    assert [path.name for path in home.rglob("*") if path.is_file()] == ["cli.json"]
    assert not Path(LOG).exists()


def test_a_question_for_the_version_reaches_the_cli_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    described = _described(tmp_path, "import sys; print('cli 1.2.3', sys.argv[1:])")
    words = _wrapped(tmp_path, described, "--version")
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(words, check=True, capture_output=True, text=True, timeout=60, env=environment)
    assert done.stdout == "cli 1.2.3 ['--version']\n"
    assert [*home.rglob("*")] == []


@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 137),
        ("import time; print('began', flush=True); time.sleep(60)", 143),
    ],
)
def test_a_cli_that_a_signal_ends_ends_the_wrapper_with_its_number(tmp_path: Path, what: str, code: int) -> None:
    home = tmp_path / "home"
    home.mkdir()
    words = _wrapped(tmp_path, _described(tmp_path, what))
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as wrapper:
        assert wrapper.stdout is not None
        if wrapper.stdout.readline() == "began\n":
            wrapper.send_signal(signal.SIGTERM)
        assert wrapper.wait(60) == code
