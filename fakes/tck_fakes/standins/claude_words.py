"""The options of claude, its help, and what it says of arguments that it does not take."""

from __future__ import annotations

from collections.abc import Sequence

from tck_fakes.standins.claude_sessions import UUID
from tck_fakes.standins.words import Arity, Words, every, options, read_words

#: The format of both streams in which a program holds a dialogue with claude.
STREAMED = "stream-json"
#: Option → the only values that it takes.
_CHOICES = {"--output-format": ("text", "json", STREAMED), "--input-format": ("text", STREAMED)}

# fmt: off
#: Options that the help names.
_SHOWN: dict[str, Arity] = (
    every(
        "none",
        "--allow-dangerously-skip-permissions", "--ax-screen-reader", "--bare", "--brief", "--chrome", "-c,--continue",
        "--dangerously-skip-permissions", "--disable-slash-commands", "--exclude-dynamic-system-prompt-sections",
        "--fork-session", "--ide", "--include-hook-events", "--include-partial-messages", "--no-chrome",
        "--no-session-persistence", "-p,--print", "--replay-user-messages", "--safe-mode", "--strict-mcp-config",
        "--verbose",
    )
    | every(
        "one",
        "--agent", "--agents", "--append-system-prompt", "--debug-file", "--effort", "--fallback-model",
        "--input-format", "--json-schema", "--max-budget-usd", "--model", "-n,--name", "--output-format",
        "--permission-mode", "--plugin-dir", "--plugin-url", "--session-id", "--setting-sources", "--settings",
        "--system-prompt",
    )
    | every("maybe", "-d,--debug", "--from-pr", "--prompt-suggestions", "-r,--resume")
    | every(
        "many",
        "--add-dir", "--allowed-tools,--allowedTools", "--betas", "--disallowed-tools,--disallowedTools", "--file",
        "--mcp-config", "--tools",
    )
)
#: Options that it takes all the same, as programs that speak with it give them.
_HIDDEN: dict[str, Arity] = (
    every("none", "--debug-to-stderr", "--enable-auth-status", "--enable-auto-mode", "--init", "--session-mirror")
    | every(
        "one",
        "--append-system-prompt-file", "--managed-settings", "--max-thinking-tokens", "--max-turns",
        "--permission-prompt-tool", "--prefill", "--resume-session-at", "--rewind-files", "--system-prompt-file",
        "--task-budget", "--thinking", "--thinking-display", "--workload",
    )
    | every("many", "--channels")
)
# fmt: on
_OPTIONS = options(_SHOWN | _HIDDEN)
#: What the help of a claude that cannot resume would not name.
_OF_RESUMING = ("--resume", "--continue", "--fork-session", "--from-pr")
_PLACES: dict[Arity, str] = {"none": "", "one": " <value>", "maybe": " [value]", "many": " <values...>"}


def read(argv: Sequence[str]) -> Words:
    """Read the arguments as commander does: an option that needs a value takes any next word."""
    return read_words(argv, _OPTIONS, dash_values=True)


def converses(argv: Sequence[str]) -> bool:
    """Tell whether the arguments ask for a dialogue over standard input, line by line."""
    words = read(argv)
    return words.values.get("--input-format") == STREAMED and not words.help


def usage(*, advertised: bool) -> str:
    """Give the help: the names of the options; `advertised` says whether those that resume are among them."""
    lines = ["Usage: claude [options] [command] [prompt]", "", "Options:"]
    for spellings, arity in sorted(_SHOWN.items(), key=lambda item: item[0].rpartition("--")[2]):
        names = spellings.split(",")
        if advertised or names[-1] not in _OF_RESUMING:
            choices = ", ".join(f'"{choice}"' for choice in _CHOICES.get(names[-1], ()))
            lines.append(f"  {', '.join(names)}{_PLACES[arity]}" + (f"  (choices: {choices})" if choices else ""))
    return "\n".join([*lines, "  -v, --version", "  -h, --help"])


def fault(words: Words, prompt: str) -> str | None:
    """Give what claude says of arguments that it does not take, None where it takes them."""
    values = words.values
    style, chosen = values.get("--output-format", "text"), values.get("--session-id") or None
    given = values.get("--input-format", "text")
    resumes = words.flag("--resume") or words.flag("--continue")
    text: str | None = None
    if words.unknown is not None:
        text = f"error: unknown option '{words.unknown}'"
    elif words.missing is not None:
        text = f"error: option '{words.missing}' argument missing"
    elif style not in _CHOICES["--output-format"]:
        text = _not_allowed("--output-format", style)
    elif given not in _CHOICES["--input-format"]:
        text = _not_allowed("--input-format", given)
    elif given == STREAMED != style:
        text = f"Error: --input-format={STREAMED} requires output-format={STREAMED}."
    elif chosen is not None and not UUID.fullmatch(chosen):
        text = "Error: Invalid session ID. Must be a valid UUID."
    elif chosen is not None and resumes and not words.flag("--fork-session"):
        text = "Error: --session-id can only be used with --continue or --resume if --fork-session is also specified."
    elif style == STREAMED and not words.flag("--verbose"):
        text = f"Error: When using --print, --output-format={STREAMED} requires --verbose"
    elif not prompt and given != STREAMED:
        text = "Error: Input must be provided either through stdin or as a prompt argument when using --print"
    return text


def _not_allowed(option: str, value: str | None) -> str:
    choices = ", ".join(_CHOICES[option])
    return f"error: option '{option} <format>' argument '{value}' is invalid. Allowed choices are {choices}."
