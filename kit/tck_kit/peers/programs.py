"""The programs that fetch a peer: run to their end, with nothing in their environment that leads them elsewhere."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tck_kit.faults import UsageFault

#: Seconds that one of them may take.
PATIENCE: Final = 900.0
#: How much of what one of them wrote stands in a message.
_LONGEST: Final = 300
#: What git is to hear of a caller's environment: how to reach others, and never which repository is meant.
_OF_GIT: Final = frozenset(
    {
        *("GIT_ALLOW_PROTOCOL", "GIT_ASKPASS", "GIT_EXEC_PATH", "GIT_PROXY_COMMAND", "GIT_PROXY_SSL_CERT"),
        *("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_SSL_CERT"),
        *("GIT_SSL_KEY", "GIT_SSL_NO_VERIFY", "GIT_HTTP_USER_AGENT", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"),
        *("GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_PARAMETERS"),
    }
)
#: What git is told on its command line by a caller's environment, one pair of variables for each.
_TOLD_TO_GIT: Final = ("GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")
#: What pip is to hear: where packages come from, and never where they go to, or for which Python they are.
_OF_PIP: Final = frozenset(
    {
        *("PIP_CONFIG_FILE", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX", "PIP_FIND_LINKS"),
        *("PIP_CACHE_DIR", "PIP_NO_CACHE_DIR", "PIP_CERT", "PIP_CLIENT_CERT", "PIP_PROXY", "PIP_TRUSTED_HOST"),
        *("PIP_TIMEOUT", "PIP_DEFAULT_TIMEOUT", "PIP_RETRIES", "PIP_RESUME_RETRIES", "PIP_KEYRING_PROVIDER"),
        *("PIP_USE_FEATURE", "PIP_USE_DEPRECATED"),
    }
)
#: What would make uv install for another Python, or into another place, than it is told.
_NOT_OF_UV: Final = frozenset(
    {"UV_PYTHON", "UV_SYSTEM_PYTHON", "UV_PROJECT_ENVIRONMENT", "UV_CONSTRAINT", "UV_OVERRIDE", "UV_EXCLUDE"}
)
#: How programs say that a disk is full.
_FULL: Final = ("Errno 28", "No space left", "os error 28")


def done(words: Sequence[str], program: str) -> tuple[int, str]:
    """Run a program to its end; give its exit code, and what it wrote, or of what it complained.

    Raises `UsageFault` where there is no such program, or it takes too long.
    """
    try:
        ended = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            env=environment(),
            # Whoever runs a peer is somebody else than who fetches it.
            umask=0o022,
            check=False,
        )
    except FileNotFoundError as fault:
        raise UsageFault(f"there is no {program}", program, f"install {program}") from fault
    except subprocess.TimeoutExpired as fault:
        raise UsageFault(f"{program} took longer than {PATIENCE:g} s", program, "try again") from fault
    if ended.returncode == 0:
        return 0, ended.stdout
    lines = [line.strip() for line in ended.stderr.splitlines() if line.strip()]
    return ended.returncode, " ".join(lines) or f"exit code {ended.returncode}"


def end(said: str) -> str:
    """Give what a message has room for; what matters is said last."""
    return said if len(said) <= _LONGEST else f"…{said[-_LONGEST:]}"


def cure(said: str, otherwise: str) -> str:
    """Give what to do about a complaint: where it is of a full disk, nothing else would help."""
    if any(sign in said for sign in _FULL):
        return "make room on the disk, and in the folder for temporary files (TMPDIR)"
    return otherwise


def environment() -> Mapping[str, str]:
    """Give the caller's environment, in which nobody is asked anything, and no other repository or folder is meant."""
    return {**dict(_kept()), "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


def _kept() -> Iterator[tuple[str, str]]:
    for name, value in os.environ.items():
        if name.startswith("GIT_"):
            kept = name in _OF_GIT or name.startswith(_TOLD_TO_GIT)
        else:
            kept = name in _OF_PIP if name.startswith("PIP_") else name not in _NOT_OF_UV
        if kept:
            yield name, value
