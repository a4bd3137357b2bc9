"""How each CLI's version command answers, and in which ways it may fail to (§16.6, CAPABILITY-4)."""

from __future__ import annotations

from dataclasses import dataclass

from tck_driver.bench import VersionShape
from tck_driver.vocabulary import AdapterId

#: The version that each stand-in imitates.
DEFAULT_VERSIONS: dict[AdapterId, str] = {
    AdapterId.CLAUDE_CODE: "2.1.197",
    AdapterId.CODEX: "0.171.0",
    AdapterId.OPENCODE: "1.18.33",
    AdapterId.COPILOT: "1.0.102",
    AdapterId.GROK_BUILD: "0.1.0",
}

#: The real form of each answer.
_FORMS: dict[AdapterId, str] = {
    AdapterId.CLAUDE_CODE: "{} (Claude Code)",
    AdapterId.CODEX: "codex-cli {}",
    AdapterId.OPENCODE: "{}",
    AdapterId.COPILOT: "GitHub Copilot CLI {}.\nRun 'copilot update' to check for updates.",
    AdapterId.GROK_BUILD: "grok {}",
}

#: A newer version is named only after the own one, as in the notices that were seen.
_NOTICE_BEFORE = "A new release is available. See the release notes for what has changed."
_NOTICE_AFTER = "Update available: 99.1.0. Run the package manager to install it."


@dataclass(frozen=True, slots=True)
class VersionAnswer:
    """What a version command puts out. `hangs`: it does nothing of this until it is released."""

    stdout: str
    stderr: str = ""
    exit_code: int = 0
    hangs: bool = False


def answer(adapter: AdapterId, version: str, shape: VersionShape) -> VersionAnswer:
    """Give the answer of an adapter's version command."""
    plain = _FORMS[adapter].format(version)
    match shape:
        case "plain":
            return VersionAnswer(f"{plain}\n")
        case "banner":
            return VersionAnswer(f"{_NOTICE_BEFORE}\n{plain}\n{_NOTICE_AFTER}\n")
        case "garbage":
            return VersionAnswer("\x1b[?25l\ufffd\ufffd not-a-version v.x.y\n")
        case "exit_one":
            # A launcher can name a version and then fail: what it says does not count (§16.6).
            return VersionAnswer(f"{plain}\n", "Error: cannot find module\n", 1)
        case "hang":
            return VersionAnswer(f"{plain}\n", hangs=True)
        case "empty":
            return VersionAnswer("")
