"""The agent CLIs from npm, each version in a folder of its own.

npm fetches with the caller's own settings, since a registry, a proxy or a certificate may stand in them; it is told to
run nothing of what it fetches. What a package wants to do after it was unpacked then happens in a sealed place, as the
ordinary user and with nothing of the caller's in its environment, as everything else that the package ever does.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tck_driver.vocabulary import AdapterId
from tck_kit.faults import UsageFault
from tck_kit.probe.configured import CONFIGURED
from tck_kit.probe.run_of_cli import CliProcess, Launch
from tck_kit.probe.sealed import Seal
from tck_kit.probe.subject import Subject, executable


@dataclass(frozen=True, slots=True)
class Package:
    """Where a CLI comes from, and the version that its shipped record was made with."""

    name: str
    version: str


PACKAGES: Mapping[AdapterId, Package] = MappingProxyType(
    {
        AdapterId.CLAUDE_CODE: Package("@anthropic-ai/claude-code", "2.1.197"),
        AdapterId.CODEX: Package("@openai/codex", "0.171.0"),
        AdapterId.OPENCODE: Package("opencode-ai", "1.18.33"),
        AdapterId.COPILOT: Package("@github/copilot", "1.0.102"),
    }
)
#: The word for the pinned version.
PINNED = "pinned"
#: A version or a tag; a range would not say what was probed.
_WANTED = re.compile(r"(?![-.])[0-9A-Za-z.+-]{1,64}")
#: Seconds for the registry to say a version, for a package to come, and for its own script.
_SAYING, _FETCHING, _SCRIPT = 120.0, 900.0, 120.0
_CURE = "name the CLI's path instead, or mend it and try again"
#: What npm's error codes mean to whoever started us.
_UNREACHABLE = re.compile(
    r"ECONN|ENOTFOUND|EAI_|ETIMEDOUT|ENET|EHOST|ERR_SOCKET|CERT|SELF_SIGNED|UNABLE_TO|E5\d\d|EINVALIDPROXY"
)
_NOT_THERE = frozenset({"E404", "ETARGET", "ENOVERSIONS"})
_REFUSED = frozenset({"E401", "E403", "ENEEDAUTH", "EOTP"})


def install(adapter: AdapterId, version: str, folder: Path) -> Subject:
    """Have a version, a tag such as `latest`, or the pinned one, below a folder; what is there already is used.

    Raises `UsageFault` where there is no npm, no registry, or no such version.
    """
    package = PACKAGES[adapter]
    exact = package.version if version == PINNED else version
    if not _WANTED.fullmatch(exact):
        raise UsageFault(f"{version!r} is no version and no tag", "npm", f"say {PINNED}, latest, or {package.version}")
    program = CONFIGURED[adapter].program
    place = folder.absolute() / f"{program}-{exact}"
    if not exact[0].isdigit() or _installed(place, package.name) != exact:
        # Asked for a version, a registry that cannot be reached says so much sooner than asked for a package.
        exact = _resolved(package.name, exact)
        place = place.with_name(f"{program}-{exact}")
    if _installed(place, package.name) != exact:
        _into(place, f"{package.name}@{exact}", package.name)
    return Subject(adapter, executable(place / "node_modules" / ".bin" / program), "npm")


def _told(package: Path) -> Mapping[str, object]:
    """Read what a package says of itself; nothing where it is not there."""
    try:
        told: object = json.loads((package / "package.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return _object(told)


def _object(value: object) -> Mapping[str, object]:
    """Give a JSON object, an empty one for anything else."""
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType] -- JSON has string keys


def _installed(place: Path, name: str) -> str | None:
    """Give the version of a package that lies in a folder."""
    version = _told(place / "node_modules" / name).get("version")
    return version if isinstance(version, str) else None


def _resolved(name: str, tag: str) -> str:
    """Ask the registry which version a tag means."""
    told = _npm(
        ("view", f"{name}@{tag}", "version", "--fetch-retries=1", "--fetch-retry-mintimeout=1000"),
        f"{name}@{tag}",
        Path.cwd(),
        _SAYING,
    )
    if not isinstance(told, str) or not _WANTED.fullmatch(told):
        raise UsageFault("the registry names no version for it", f"{name}@{tag}", _CURE)
    return told


def _into(place: Path, wanted: str, name: str) -> None:
    """Fetch it into a folder beside the place, and put that in the place once it is whole."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
    except OSError as fault:
        raise UsageFault(f"nothing can be written there: {fault.strerror}", str(place.parent), _CURE) from fault
    try:
        beside.chmod(0o755)
        # Without one, npm would look for a project in the folders above.
        (beside / "package.json").write_text('{"private": true}\n', encoding="utf-8")
        options = ("--ignore-scripts", "--include=optional", "--no-package-lock", "--install-strategy=hoisted")
        _npm(("install", *options, f"--prefix={beside}", wanted), wanted, beside, _FETCHING)
        _after(beside, beside / "node_modules" / name, wanted)
        if place.exists():
            shutil.rmtree(place)
        try:
            beside.rename(place)
        except OSError as fault:
            # Somebody else may have been faster with the same.
            if _installed(place, name) is None:
                raise UsageFault(f"nothing can be written there: {fault.strerror}", str(place), _CURE) from fault
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _npm(words: tuple[str, ...], what: str, directory: Path, limit: float) -> Any:  # noqa: ANN401 -- any JSON
    """Run npm, and give the JSON that it answers. Raises `UsageFault` where it fails, in the words of a user."""
    npm = shutil.which("npm")
    if npm is None:
        raise UsageFault(
            "npm is not on PATH", what, "install Node.js with npm (Debian: apt-get install npm), or name the CLI's path"
        )
    quiet = ("--json", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error", "--no-progress")
    process = subprocess.Popen(
        [npm, *words, *quiet],
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        raise UsageFault(f"npm did not end in {limit:g} seconds", what, _CURE) from None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    try:
        told = json.loads(stdout or b"null")
    except ValueError:
        told = None
    if process.returncode == 0:
        return told
    raise _said(what, told, stderr.decode("utf-8", "replace"))


def _said(what: str, told: object, stderr: str) -> UsageFault:
    """Say in one line why npm failed."""
    fields = _object(_object(told).get("error"))
    found = re.search(r"^npm (?:error|ERR!) code (\S+)", stderr, re.MULTILINE)
    code = str(fields.get("code") or (found[1] if found else ""))
    if code in _NOT_THERE:
        return UsageFault("the registry has no such version", what, "name one that it has, or latest")
    if code in _REFUSED:
        return UsageFault(f"the registry refuses it to you ({code})", what, "log in with npm, or name the CLI's path")
    if code == "EBADPLATFORM":
        return UsageFault("there is none for this machine", what, "name the path of a CLI that runs here")
    if _UNREACHABLE.search(code):
        return UsageFault(f"the registry cannot be reached ({code})", what, _CURE)
    summary = str(fields.get("summary") or stderr).strip()
    line = next((line for line in summary.splitlines() if line.strip()), "it says nothing")
    return UsageFault(f"npm failed{f' ({code})' if code else ''}: {line[:200]}", what, _CURE)


def _after(folder: Path, package: Path, what: str) -> None:
    """Let a package do what it does once it is unpacked, where it sees nothing and reaches nobody."""
    told = _told(package)
    if not told:
        raise UsageFault("npm has not brought what it should", what, _CURE)
    scripts = _object(told.get("scripts"))
    node = shutil.which("node")
    path = dict.fromkeys((*((str(Path(node).resolve().parent),) if node else ()), "/usr/local/bin", "/usr/bin", "/bin"))
    home = folder / ".home"
    environment = {"HOME": str(home), "PATH": ":".join(path), "LANG": "C.UTF-8"}
    for name in ("preinstall", "install", "postinstall"):
        script = scripts.get(name)
        if not isinstance(script, str):
            continue
        keep = [(folder, True), *(((Path(node).resolve(), False),) if node else ())]
        home.mkdir(exist_ok=True)
        with Seal(keep) as seal:
            seal.own(folder)
            process = CliProcess(seal, Launch(("/bin/sh", "-c", script), package, environment))
            try:
                in_time = process.ended(_SCRIPT)
            finally:
                process.end()
                seal.disown(folder)
            code, stdout, stderr, _ = process.result()
        shutil.rmtree(home)
        if not in_time:
            raise UsageFault(f"its {name} script did not end in {_SCRIPT:g} seconds", what, _CURE)
        if code != 0:
            said = " ".join((stderr or stdout).split())[:200] or "nothing"
            raise UsageFault(f"its {name} script ended with {code} and said {said}", what, _CURE)
