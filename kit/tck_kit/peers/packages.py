"""The package of a peer: a wheel of a known digest, installed into a folder of its own.

The Python that runs the kit has a pip in most cases. Where it was installed by uv it has none, and then uv does the
same; where there is neither, Python makes a pip for the occasion.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tck_kit.faults import UsageFault
from tck_kit.peers.programs import cure, done, end
from tck_kit.peers.table import Peer

#: Where a package is installed, below a peer's folder.
SITE: Final = "site"
#: What all of them are told: this one package, as it was built, of a digest that is known.
_THIS_ALONE: Final = ("--quiet", "--no-deps", "--only-binary=:all:", "--require-hashes")


def install(peer: Peer, place: Path) -> str:
    """Install it, and give the digest of the wheel that was taken. Raises `UsageFault`."""
    wanted = place / "wanted.txt"
    hashes = " ".join(f"--hash=sha256:{digest}" for digest in peer.digests.values())
    wanted.write_text(f"{peer.source}=={peer.pin} {hashes}\n", encoding="utf-8")
    digest = _by_whatever_is_there(peer, place, wanted)
    wanted.unlink()
    gone = next((one for one in peer.built if not (place / one).exists()), None)
    if gone is not None:
        raise UsageFault(
            f"it was installed elsewhere, or not at all: there is no {gone}",
            f"{peer.source}=={peer.pin}",
            "look at the settings that pip or uv is given (pip config list)",
        )
    return digest


def _by_whatever_is_there(peer: Peer, place: Path, wanted: Path) -> str:
    own = (sys.executable, "-P", "-m", "pip")
    code, said = _by_pip(own, place, wanted)
    if code and "No module named pip" in said:
        uv = shutil.which("uv")
        if uv is not None:
            return _by_uv(uv, peer, place, wanted)
        code, said = _by_a_pip_for_now(place, wanted)
    _sure((code, said), "pip", peer)
    return _taken(place, peer)


def _by_pip(pip: Sequence[str], place: Path, wanted: Path) -> tuple[int, str]:
    settings = ("--no-input", "--disable-pip-version-check", "install", "--no-compile", *_THIS_ALONE)
    places = ("--report", str(_told(place)), "--target", str(place / SITE), "--requirement", str(wanted))
    return done((*pip, *settings, *places), "pip")


def _by_uv(uv: str, peer: Peer, place: Path, wanted: Path) -> str:
    # What uv keeps for next time must not be the same file as what is run.
    settings = ("--python", sys.executable, "--link-mode=copy", *_THIS_ALONE)
    places = ("--target", str(place / SITE), "--requirement", str(wanted))
    _sure(done((uv, "pip", "install", *settings, *places), "uv"), "uv", peer)
    # It has checked that it is one of these, and does not say which.
    return f"sha256 {' or '.join(peer.digests.values())}"


def _by_a_pip_for_now(place: Path, wanted: Path) -> tuple[int, str]:
    helper = place / "pip"
    try:
        code, said = done((sys.executable, "-I", "-m", "venv", str(helper)), "python")
        if code:
            raise UsageFault(
                f"it has no pip, and can make none: {end(said)}",
                sys.executable,
                cure(
                    said, "install uv, or the package of your system that makes environments of Python (python3-venv)"
                ),
            )
        return _by_pip((str(helper / "bin" / "python"), "-I", "-m", "pip"), place, wanted)
    finally:
        shutil.rmtree(helper, ignore_errors=True)


def _told(place: Path) -> Path:
    return place / "told.json"


def _taken(place: Path, peer: Peer) -> str:
    """Give the digest of the wheel of which pip tells that it has taken it."""
    path = _told(place)
    try:
        told: Any = json.loads(path.read_text(encoding="utf-8"))
        taken = str(told["install"][0]["download_info"]["archive_info"]["hash"])
    except (OSError, ValueError, KeyError, IndexError, TypeError) as fault:
        raise UsageFault("pip does not say what it installed", f"{peer.source}=={peer.pin}", "renew pip") from fault
    path.unlink()
    return taken.replace("=", " ")


def _sure(ended: tuple[int, str], program: str, peer: Peer) -> None:
    code, said = ended
    if not code:
        return
    otherwise = (
        f"it is there for {', '.join(peer.digests)}; look at the network and at {program}'s settings, and try again"
    )
    if any(sign in said for sign in ("THESE PACKAGES DO NOT MATCH", "HASHES", "Hash mismatch")):
        otherwise = f"it is not what was pinned: look at the registry that {program} is set up with"
    raise UsageFault(
        f"{program} could not install it: {end(said)}", f"{peer.source}=={peer.pin}", cure(said, otherwise)
    )
