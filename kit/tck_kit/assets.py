"""Where the specification and the scenarios are: in the checkout, or in the installed wheel."""

from __future__ import annotations

import hashlib
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_PACKAGED = _HERE / "data"
_CHECKOUT = _HERE.parent.parent


def _asset(packaged: str, checkout: str) -> Path:
    installed = _PACKAGED / packaged
    return installed if installed.exists() else _CHECKOUT / checkout


def specification_file() -> Path:
    """Give the specification that this kit grades by."""
    return _asset("specification.md", "docs/specification.md")


def scenario_folder() -> Path:
    """Give the folder of the kit's scenarios."""
    return _asset("scenarios", "features/scenarios")


def rules_page() -> Path:
    """Give the page that explains the rules of `check`."""
    return _asset("rules.md", "docs/rules.md")


def installed() -> bool:
    """Tell whether the kit's own documents were packed into it, and so left behind what they link to."""
    return _PACKAGED.exists()


def version() -> str:
    """Give the version of the kit."""
    from importlib import metadata  # noqa: PLC0415 -- only a report needs it

    return metadata.version("session-tck")


def suite_digest(folder: Path) -> str:
    """Give the SHA-256 over the scenarios and the steps that give them their meaning."""
    import tck_features  # noqa: PLC0415 -- only a report needs it

    digest = hashlib.sha256()
    steps = Path(str(tck_features.__file__)).parent
    for root, pattern in ((folder, "*.feature"), (steps, "*.py")):
        for path in sorted(root.rglob(pattern)):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
