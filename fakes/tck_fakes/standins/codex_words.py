"""The options of codex, level by level, and what it says of arguments that it does not take."""

from __future__ import annotations

from collections.abc import Iterator

from tck_fakes.standins.base import (
    Err,
    Out,
    Stop,
)
from tck_fakes.standins.words import Options, Words, every, options

# fmt: off
#: What every level takes.
_EVERYWHERE = (
    every(
        "one",
        "-c,--config", "--enable", "--disable", "-m,--model", "--remote", "--remote-auth-token-env",
    )
    | every(
        "none",
        "--yolo,--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", "--full-auto",
        "--strict-config", "--worktree",
    )
)
#: What the top and `exec` take; a sandbox or a directory must stand before `resume`.
_BEFORE = (
    every("one", "--add-dir", "-C,--cd", "-i,--image", "--local-provider", "-p,--profile", "-s,--sandbox")
    | every("none", "--approve-for-me", "--oss")
)
#: What `exec` takes, and `resume` below it.
_RUNS = (
    every("one", "--cyber-access-program", "-o,--output-last-message", "--output-schema", "--thread-source")
    | every(
        "none",
        "--ephemeral", "--experimental-json,--json", "--ignore-rules", "--ignore-user-config", "--skip-git-repo-check",
        "--trust",
    )
)
TOP = options(
    _EVERYWHERE | _BEFORE | every("one", "-a,--ask-for-approval")
    | every("none", "--no-alt-screen", "--no-daemon", "--search")
)
EXEC = options(_EVERYWHERE | _BEFORE | _RUNS | every("one", "--color"))
RESUME = options(_EVERYWHERE | _RUNS | every("one", "-i,--image") | every("none", "--last", "--all"))
# fmt: on
#: Spellings that are taken, and not named in any help.
_HIDDEN = ("--yolo", "--full-auto", "--experimental-json")
TOP_USAGE = "Usage: codex [OPTIONS] [PROMPT]\n       codex [OPTIONS] <COMMAND> [ARGS]"
EXEC_USAGE = "Usage: codex exec [OPTIONS] [PROMPT]\n       codex exec [OPTIONS] <COMMAND> [ARGS]"
RESUME_USAGE = "Usage: codex exec resume [OPTIONS] [SESSION_ID] [PROMPT]"
#: Usage → the options below it.
_LEVELS = {TOP_USAGE: TOP, EXEC_USAGE: EXEC, RESUME_USAGE: RESUME}
#: Usage → its subcommands, each with what it is for.
_COMMANDS = {
    TOP_USAGE: (
        ("exec", "without a terminal"),
        ("resume", "go on with an earlier session"),
        ("fork", "branch off one"),
    ),
    EXEC_USAGE: (("resume", "go on with an earlier session"), ("fork", "branch off one")),
}
#: Subcommands and options that a codex which cannot resume would not have.
_OF_RESUMING = ("resume", "fork", "--last", "--all")


def usage_of(usage: str, *, advertised: bool) -> str:
    """Give the help of a level: the names of what it takes; `advertised` says whether resuming is among them."""
    if usage == RESUME_USAGE and not advertised:
        usage = EXEC_USAGE
    commands = [pair for pair in _COMMANDS.get(usage, ()) if advertised or pair[0] not in _OF_RESUMING]
    lines = [usage, ""]
    if commands:
        lines += ["Commands:", *(f"  {name}  {what}" for name, what in commands), ""]
    return "\n".join([*lines, "Options:", *_spelled(_LEVELS[usage], advertised=advertised), "  -h, --help"])


def _spelled(level: Options, *, advertised: bool) -> Iterator[str]:
    """Give a line for each option of a level."""
    for name in sorted({name for name, _ in level.values()}):
        spellings = [word for word, (known, _) in level.items() if known == name and word not in _HIDDEN]
        if spellings and (advertised or name not in _OF_RESUMING):
            yield f"  {', '.join(spellings)}{'' if level[name][1] == 'none' else ' <VALUE>'}"


def _wrong_usage(text: str, tip: str, usage: str) -> Stop:
    return Stop((Err(f"{text}{tip}\n\n{usage}\n\nFor more information, try '--help'."),), 2, text)


def unexpected_word(word: str, usage: str) -> Stop:
    """Refuse a word that is not expected."""
    tip = f"\n\n  tip: to pass '{word}' as a value, use '-- {word}'" if word.startswith("-") else ""
    return _wrong_usage(f"error: unexpected argument '{word}' found", tip, usage)


def wrong_words(words: Words, usage: str, *, advertised: bool = True) -> Stop | None:
    """Give what is said of words that cannot be taken, None where they can; `advertised` as for the help."""
    if words.help:
        return Stop((Out(usage_of(usage, advertised=advertised)),), 0, "the arguments ask for the usage")
    if words.unknown is not None:
        return unexpected_word(words.unknown.partition("=")[0], usage)
    if words.missing is not None:
        return _wrong_usage(f"error: a value is required for '{words.missing}' but none was supplied", "", usage)
    return None
