"""A peer of our own, published as a package and as a repository, on this machine."""

from __future__ import annotations

import hashlib
import os
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

from tck_kit.peers.table import PEERS, Peer

PACKAGE, VERSION = "peer-of-our-own", "1.2.3"


def repository(folder: Path, text: str = "one\n") -> str:
    """Make a repository with a program in it; give its commit."""
    folder.mkdir()
    (folder / "program.txt").write_text(text, encoding="utf-8")
    (folder / "empty").mkdir()
    (folder / "empty" / "kept").write_text("", encoding="utf-8")
    names = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example", "GIT_COMMITTER_NAME": "a"}
    environment = {**os.environ, **names, "GIT_COMMITTER_EMAIL": "a@example", "GIT_CONFIG_GLOBAL": os.devnull}

    def git(*words: str) -> str:
        done = subprocess.run(
            ("git", "-C", str(folder), *words), capture_output=True, text=True, check=True, env=environment
        )
        return done.stdout.strip()

    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "a program")
    return git("rev-parse", "HEAD")


def of_repository(pin: str, source: str = "https://example.invalid/peer.git") -> Peer:
    """Give a peer whose source is pinned to this commit, and which is built once `built.txt` is there."""
    return replace(PEERS["cyrus-main"], name="ours", source=source, pin=pin, built=("built.txt",), needs=())


def wheel(folder: Path) -> Peer:
    """Make a wheel in a folder; give the peer that it is."""
    folder.mkdir()
    stem = f"{PACKAGE.replace('-', '_')}-{VERSION}"
    path = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("peer/program.txt", "one\n")
        made.writestr(f"{stem}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: {VERSION}\n")
        made.writestr(f"{stem}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr(f"{stem}.dist-info/RECORD", "")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return replace(
        PEERS["zeroshot-10"],
        name="ours",
        source=PACKAGE,
        pin=VERSION,
        version=VERSION,
        digests={"any": digest},
        built=("site/peer/program.txt",),
        needs=(),
    )
