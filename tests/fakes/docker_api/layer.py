"""An image's files for comparisons: this machine's shell, and a `claude` that answers as the stand-in does."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

_CLAUDE = """#!/bin/sh
case "$*" in
  --version) echo "2.1.197 (Claude Code)" ;;
  "-p -- wait") read -r line ;;
  -p) read -r line || true; echo "Done." ;;
  *) echo "Done." ;;
esac
"""


def layer() -> bytes:
    """Give a root file system with this machine's shell, what it is linked to, and a `claude`."""
    shell = str(Path(shutil.which("sh") or "/bin/sh").resolve())
    linked = subprocess.run(("ldd", shell), capture_output=True, text=True, check=True).stdout
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as packed:
        for place in re.findall(r"/\S+", linked):
            _add(packed, place, Path(place).resolve().read_bytes())
        _add(packed, "/bin/sh", Path(shell).read_bytes())
        _add(packed, "/bin/claude", _CLAUDE.encode())
    return held.getvalue()


def _add(packed: tarfile.TarFile, place: str, data: bytes) -> None:
    info = tarfile.TarInfo(place.lstrip("/"))
    info.size, info.mode = len(data), 0o755
    packed.addfile(info, io.BytesIO(data))
