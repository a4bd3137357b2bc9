"""Debian packages for a root file system: which ones are needed, and their files.

apt resolves against an empty system, so it names everything that must be there and nothing that the host happens to
have. Nothing is installed and no right is needed: archives are downloaded into a folder of our own and read.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tck_fakes.images.layer import Layer, links
from tck_fakes.images.missing import MissingPartError

#: Python with its standard library, a shell with the usual small programs, and what natively built CLIs link.
NEEDED = ("python3", "busybox-static", "libstdc++6")
#: Taken without what it needs, for its files alone: some CLIs do not start where there is no certificate to trust.
CERTIFICATES = "ca-certificates"
#: What the scripts of the packages would have done, in the image, as its root.
SETTLE = (
    "busybox --install -s /usr/bin 2>/dev/null; "
    "cat /usr/share/ca-certificates/mozilla/*.crt > /etc/ssl/certs/ca-certificates.crt"
)
_LIMIT = 300.0
_NO_APT = "give an image that has Python 3.11 or newer: --base python:3.13-slim"

_USERS = """\
root:x:0:0:root:/root:/bin/sh
agent:x:1000:1000:agent:/home/agent:/bin/sh
nobody:x:65534:65534:nobody:/nonexistent:/bin/false
"""
_GROUPS = "root:x:0:\nagent:x:1000:\nnogroup:x:65534:\n"


def release() -> str:
    """Name the host's Debian release and architecture, for whose packages an image is made."""
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise MissingPartError("this machine has no apt-get to take Debian packages from", _NO_APT)
    known: dict[str, str] = {}
    for line in Path("/etc/os-release").read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition("=")
        known[name] = value.strip("\"'")
    architecture = _run(["dpkg", "--print-architecture"]).strip()
    return f"{known.get('ID', 'debian')}-{known.get('VERSION_ID', known.get('VERSION_CODENAME', ''))}-{architecture}"


def fetch(folder: Path, names: Sequence[str] = NEEDED) -> tuple[Path, ...]:
    """Download the packages and all that they need into a folder; give the archives, in order of their names."""
    archives = folder / "archives"
    (archives / "partial").mkdir(parents=True)
    status = folder / "status"
    status.touch()
    settings = {
        "Dir::State::status": str(status),
        "Dir::Cache": str(folder / "cache"),
        "Dir::Cache::archives": str(archives),
        "APT::Install-Recommends": "false",
        "APT::Sandbox::User": "root",
        "Debug::NoLocking": "true",
    }
    options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
    _run(["apt-get", *options, "--download-only", "--yes", "--quiet", "install", *names])
    _run(["apt-get", *options, "--quiet", "download", CERTIFICATES], archives)
    found = tuple(sorted(archives.glob("*.deb")))
    if not found:
        raise MissingPartError("apt-get downloaded no package", f"run apt-get update, or {_NO_APT}")
    return found


def _run(words: Sequence[str], folder: Path | None = None) -> str:
    environment = {**os.environ, "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            words,
            check=False,
            capture_output=True,
            text=True,
            timeout=_LIMIT,
            env=environment,
            stdin=subprocess.DEVNULL,
            cwd=folder,
        )
    except subprocess.TimeoutExpired:
        raise MissingPartError(f"{words[0]} did not end in {_LIMIT:.0f} s", f"mend its sources, or {_NO_APT}") from None
    if done.returncode:
        errors = (line for line in done.stderr.splitlines() if line.startswith("E:"))
        said = next(errors, f"exit code {done.returncode}")
        raise MissingPartError(f"{words[0]} failed: {said}", f"run apt-get update, or {_NO_APT}")
    return done.stdout


def unpack(archives: Sequence[Path], layer: Layer) -> None:
    """Make a root file system of the packages: their files, an ordinary user, and the folders of a container."""
    links(layer)
    for path, mode in (("tmp", 0o1777), ("var/tmp", 0o1777), ("root", 0o700)):
        layer.folder(path, mode)
    layer.folder("home/agent", 0o755, 1000)
    layer.folder("workspace", 0o755, 1000)
    layer.file("etc/passwd", _USERS.encode())
    layer.file("etc/group", _GROUPS.encode())
    layer.folder("etc/ssl/certs")
    for archive in archives:
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(archive)], stdout=subprocess.PIPE) as unpacking:
            assert unpacking.stdout is not None  # noqa: S101 -- it was asked for
            layer.merge(unpacking.stdout)
            # dpkg-deb would be killed by a pipe that is closed before its padding.
            while unpacking.stdout.read(65536):
                pass
        if unpacking.returncode:
            raise MissingPartError(f"{archive.name} cannot be unpacked", "make room and try again")
    layer.link("usr/bin/sh", "busybox")
