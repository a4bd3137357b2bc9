"""The options of codex, level by level, and what it says of arguments that it does not take."""

from __future__ import annotations

from tck_fakes.standins.base import (
    Err,
    Out,
    Stop,
)
from tck_fakes.standins.words import Words, options

TOP = options(
    {
        "-c,--config": "one",
        "-m,--model": "one",
        "-p,--profile": "one",
        "-s,--sandbox": "one",
        "-a,--ask-for-approval": "one",
        "-C,--cd": "one",
        "--add-dir": "one",
        "--enable": "one",
        "--disable": "one",
        "--full-auto": "none",
        "--yolo,--dangerously-bypass-approvals-and-sandbox": "none",
        "--search": "none",
        "--oss": "none",
    }
)
EXEC = options(
    {
        "-c,--config": "one",
        "-m,--model": "one",
        "-p,--profile": "one",
        "-s,--sandbox": "one",
        "-C,--cd": "one",
        "-i,--image": "one",
        "-o,--output-last-message": "one",
        "--output-schema": "one",
        "--add-dir": "one",
        "--color": "one",
        "--enable": "one",
        "--disable": "one",
        "--full-auto": "none",
        "--yolo,--dangerously-bypass-approvals-and-sandbox": "none",
        "--skip-git-repo-check": "none",
        "--ephemeral": "none",
        "--oss": "none",
        "--experimental-json,--json": "none",
    }
)
#: `exec resume` takes fewer options than `exec`: a sandbox or a directory must stand before it.
RESUME = options(
    {
        "-c,--config": "one",
        "-m,--model": "one",
        "-i,--image": "one",
        "-o,--output-last-message": "one",
        "--output-schema": "one",
        "--enable": "one",
        "--disable": "one",
        "--last": "none",
        "--all": "none",
        "--full-auto": "none",
        "--yolo,--dangerously-bypass-approvals-and-sandbox": "none",
        "--skip-git-repo-check": "none",
        "--ephemeral": "none",
        "--experimental-json,--json": "none",
    }
)
TOP_USAGE = "Usage: codex [OPTIONS] [PROMPT]\n       codex [OPTIONS] <COMMAND> [ARGS]"
EXEC_USAGE = "Usage: codex exec [OPTIONS] [PROMPT]\n       codex exec [OPTIONS] <COMMAND> [ARGS]"
RESUME_USAGE = "Usage: codex exec resume [OPTIONS] [SESSION_ID] [PROMPT]"
#: Usage → what stands below it in the help.
_HELPS = {
    EXEC_USAGE: """

Commands:
  resume  Resume a previous session by id or pick the most recent with --last
  fork    Fork a previous session by id into a new session""",
    RESUME_USAGE: """

Arguments:
  [SESSION_ID]
          Conversation/session id (UUID) or thread name. UUIDs take precedence if it parses. If
          omitted, use --last to pick the most recent recorded session""",
}


def _wrong_usage(text: str, tip: str, usage: str) -> Stop:
    return Stop((Err(f"{text}{tip}\n\n{usage}\n\nFor more information, try '--help'."),), 2, text)


def unexpected_word(word: str, usage: str) -> Stop:
    """Refuse a word that is not expected."""
    tip = f"\n\n  tip: to pass '{word}' as a value, use '-- {word}'" if word.startswith("-") else ""
    return _wrong_usage(f"error: unexpected argument '{word}' found", tip, usage)


def wrong_words(words: Words, usage: str) -> Stop | None:
    """Give what is said of words that cannot be taken, None where they can."""
    if words.help:
        return Stop((Out(usage + _HELPS.get(usage, "")),), 0, "the arguments ask for the usage")
    if words.unknown is not None:
        return unexpected_word(words.unknown.partition("=")[0], usage)
    if words.missing is not None:
        return _wrong_usage(f"error: a value is required for '{words.missing}' but none was supplied", "", usage)
    return None
