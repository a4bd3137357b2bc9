"""What the CLIs were recorded to print, cut to what an adapter can see, and what it means.

Versions measured: claude 2.1.197, codex 0.171.0, opencode 1.18.33, copilot 1.0.102, each against a model server that
answers as told; another version is named where the output is of that one. Ids, paths and long advice are shortened. A
line marked *made up* was never seen: it puts together what §16.5.4 keeps apart.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from tck_driver.vocabulary import AdapterId
from tck_simulator.adapters import Reading
from tck_simulator.ports import ContainerState

UUID = "6bb83803-0e89-4a15-a460-2928817ba68f"
OTHER = "01a2295a-63b2-71c1-8096-46c1c225d5c9"
SES = "ses_dd6a30a4effeiY5w2zPmP9jBMq"
KILLED = 137


@dataclass(frozen=True, slots=True)
class Recorded:
    """One output and its right reading."""

    name: str
    exit_code: int | None
    reading: Reading
    stdout: str = ""
    stderr: str = ""

    @property
    def state(self) -> ContainerState:
        """What the container runtime would give."""
        return ContainerState(self.exit_code, self.stdout, self.stderr)


def lines(*events: dict[str, object]) -> str:
    """Give events as the CLIs print them, one a line."""
    return "".join(f"{json.dumps(event)}\n" for event in events)


def answered(text: str, *reported: str) -> Reading:
    return Reading(ok=True, reported=reported, turn=True, cannot_resume=False, text=text)


def failed(*reported: str, turn: bool = False, text: str = "") -> Reading:
    return Reading(ok=False, reported=reported, turn=turn, cannot_resume=False, text=text)


#: The reading of every refusal that names no session.
REFUSED = Reading(ok=False, reported=(), turn=False, cannot_resume=True, text="")


# --- claude ----------------------------------------------------------------------------------------------------------


def _init(session: str = UUID) -> dict[str, object]:
    return {"type": "system", "subtype": "init", "session_id": session}


def _result(text: str, *, error: bool = False, session: str = UUID, status: int | None = None) -> dict[str, object]:
    return {
        "type": "result",
        "subtype": "success",
        "is_error": error,
        "api_error_status": status,
        "result": text,
        "session_id": session,
        "terminal_reason": "completed",
    }


def _not_found(session: str = UUID) -> dict[str, object]:
    text = f"No conversation found with session ID: {session}"
    return {
        "type": "result",
        "subtype": "error_during_execution",
        "is_error": True,
        "session_id": session,
        "errors": [text],
    }


_CLAUDE_USAGE = "Usage: claude [options] [command] [prompt]\n\nClaude Code - starts an interactive session by default\n"
_CLAUDE_NO_TITLE = (
    "Error: --resume requires a valid session ID or session title when used with --print. Usage: claude -p --resume"
    ' <session-id|title>. Provided value "x" is not a UUID and does not match any session title.'
)

CLAUDE = (
    Recorded("fresh", 0, answered("ok messages=2", UUID), lines(_init(), _result("ok messages=2"))),
    Recorded("resumed, stream-json", 0, answered("ok messages=4", UUID), lines(_result("ok messages=4"))),
    Recorded(
        "cut transcript, loaded without a word", 0, answered("ok messages=5", UUID), lines(_result("ok messages=5"))
    ),
    Recorded(
        "1.0.124: no api_error_status",
        0,
        answered("ok messages=3", UUID),
        lines(
            {"type": "result", "subtype": "success", "is_error": False, "result": "ok messages=3", "session_id": UUID}
        ),
    ),
    Recorded(
        "unknown id, stream-json: the id asked for is echoed and names nothing",
        1,
        REFUSED,
        lines(_not_found()),
        f"No conversation found with session ID: {UUID}",
    ),
    Recorded(
        "unknown id, json (1.0.124 and 2.0.54 too)", 1, REFUSED, "", f"No conversation found with session ID: {UUID}"
    ),
    Recorded("unknown id without a log-in", 1, REFUSED, "", f"No conversation found with session ID: {UUID}"),
    Recorded("no title of that name", 1, REFUSED, "", _CLAUDE_NO_TITLE),
    Recorded(
        "a directory in the transcript's place",
        1,
        REFUSED,
        "",
        "Failed to resume session: EISDIR: illegal operation on a directory, read",
    ),
    Recorded(
        "made up: a fresh id named before the refusal",
        1,
        Reading(ok=False, reported=(OTHER,), turn=False, cannot_resume=True, text=""),
        lines(_init(OTHER), _not_found()),
    ),
    Recorded("id in use", 1, failed(), "", f"Error: Session ID {UUID} is already in use."),
    Recorded("made up: in use and not found", 1, failed(), "", "already in use\nNo conversation found with session ID"),
    Recorded(
        "401",
        1,
        failed(UUID),
        lines(_init(), _result("Failed to authenticate. API Error: 401 fake error 401", error=True, status=401)),
    ),
    Recorded(
        "404 of the model",
        1,
        failed(UUID),
        lines(_result("There's an issue with the selected model. It may not exist", error=True, status=404)),
    ),
    Recorded(
        "429",
        1,
        failed(UUID),
        lines(_init(), _result("API Error: Request rejected (429) · fake error 429", error=True, status=429)),
    ),
    Recorded(
        "500",
        1,
        failed(UUID),
        lines(_result("API Error: 500 fake error 500. This is a server-side issue", error=True, status=500)),
    ),
    Recorded(
        "529: no status", 1, failed(UUID), lines(_result("API Error: Repeated 529 Overloaded errors.", error=True))
    ),
    Recorded("no log-in", 1, failed(UUID), lines(_result("Not logged in · Please run /login", error=True))),
    Recorded(
        "made up: a provider's error in the words of a refusal",
        1,
        failed(UUID),
        lines(_result("No conversation found with session ID", error=True)),
        "No conversation found with session ID",
    ),
    Recorded("killed after the first line", KILLED, failed(UUID), lines(_init())),
    Recorded("killed within a line", KILLED, failed(UUID), lines(_init()) + '{"type": "assistant", "mess'),
    Recorded("killed early", KILLED, failed()),
    Recorded("still running", None, failed(UUID), lines(_init())),
    Recorded("help", 0, failed(), _CLAUDE_USAGE),
    Recorded("unknown option", 1, failed(), "", "error: unknown option '--no-such-flag'"),
    Recorded("2.0.54: no label option", 1, failed(), "", "error: unknown option '--name'"),
    Recorded("prompt read as an option", 1, failed(), "", "error: unknown option '--dash prompt'"),
    Recorded("not a UUID on a fresh start", 1, failed(), "", "Error: Invalid session ID. Must be a valid UUID."),
    Recorded("made up: an empty answer", 0, failed(UUID, turn=True), lines(_init(), _result(""))),
    Recorded("made up: an answer and a failing exit", 1, failed(UUID, turn=True, text="ok"), lines(_result("ok"))),
    Recorded(
        "made up: an answer that speaks of a session not found",
        0,
        answered(f"No conversation found with session ID: {OTHER}", UUID),
        lines(
            _init(),
            {"type": "assistant", "session_id": UUID, "message": {"content": f"session_id {OTHER}"}},
            _result(f"No conversation found with session ID: {OTHER}"),
        ),
    ),
)


# --- codex -----------------------------------------------------------------------------------------------------------


def _thread(thread: str = UUID) -> dict[str, object]:
    return {"type": "thread.started", "thread_id": thread}


_TURN: dict[str, object] = {"type": "turn.started"}
_COMPLETED: dict[str, object] = {"type": "turn.completed", "usage": {"input_tokens": 5, "output_tokens": 5}}


def _item(text: str, kind: str = "agent_message") -> dict[str, object]:
    return {"type": "item.completed", "item": {"id": "item_1", "type": kind, "text": text}}


def _turn_failed(message: str) -> str:
    return lines(
        _thread(),
        _TURN,
        {"type": "error", "message": f"Reconnecting... 1/5 ({message})"},
        {"type": "error", "message": message},
        {"type": "turn.failed", "error": {"message": message}},
    )


_RESUME_FAILED = "Error: thread/resume: thread/resume failed: "
_METADATA = (
    f"{_RESUME_FAILED}failed to read thread: thread-store internal error: failed to read session metadata /r.jsonl: "
)
_IN_STDIN = "Reading additional input from stdin..."
_OK_CODEX = lines(_thread(), _TURN, _item("ok input=4"), _COMPLETED)

CODEX = (
    Recorded("fresh", 0, answered("ok input=4", UUID), _OK_CODEX, _IN_STDIN),
    Recorded("resumed", 0, answered("ok input=6", UUID), lines(_thread(), _TURN, _item("ok input=6"), _COMPLETED)),
    Recorded(
        "a name that matches nothing: a new session without a word (0.55 and 0.100 for unknown ids too)",
        0,
        answered("ok input=4", OTHER),
        lines(_thread(OTHER), _TURN, _item("ok input=4"), _COMPLETED),
    ),
    Recorded("unknown id", 1, REFUSED, "", f"{_RESUME_FAILED}no rollout found for thread id {UUID} (code -32600)"),
    Recorded("0.122.0: unknown id", 1, REFUSED, "", f"{_RESUME_FAILED}no rollout found for thread id {UUID}"),
    Recorded("empty transcript", 1, REFUSED, "", f"{_METADATA}rollout at /r.jsonl is empty (code -32603)"),
    Recorded("random bytes", 1, REFUSED, "", f"{_METADATA}stream did not contain valid UTF-8 (code -32603)"),
    Recorded("a damaged index", 1, REFUSED, "", f"{_RESUME_FAILED}list_turns is not supported yet (code -32601)"),
    Recorded(
        "0.144.3 reads a newer session",
        1,
        REFUSED,
        "",
        f"{_RESUME_FAILED}paginated_threads is not supported yet (code -32601)",
    ),
    Recorded(
        "written by 0.122.0 in between",
        1,
        REFUSED,
        "",
        f"{_RESUME_FAILED}final paginated rollout record at /r.jsonl is missing an ordinal (code -32603)",
    ),
    Recorded(
        "an active writer",
        1,
        failed(),
        "",
        f"{_RESUME_FAILED}thread {UUID} already has an active writer (code -32600)",
    ),
    Recorded("an unreadable transcript", 1, failed(), "", f"{_METADATA}Permission denied (os error 13) (code -32603)"),
    Recorded(
        "its provider is gone",
        1,
        failed(),
        "",
        f"{_RESUME_FAILED}This chat uses model provider “fake”, which is no longer configured. (code -32600)",
    ),
    Recorded(
        "a home that cannot be written",
        1,
        failed(),
        "",
        "Error: failed to initialize in-process app-server client: Permission denied (os error 13)",
    ),
    Recorded("a broken configuration", 1, failed(), "", "Error loading config.toml:\n/c:1:1: invalid key-value pair"),
    Recorded("401", 1, failed(UUID), _turn_failed("unexpected status 401 Unauthorized: fake error 401")),
    Recorded("404", 1, failed(UUID), _turn_failed("unexpected status 404 Not Found: fake error 404")),
    Recorded("429", 1, failed(UUID), _turn_failed("exceeded retry limit, last status: 429 Too Many Requests")),
    Recorded("500", 1, failed(UUID), _turn_failed("We\u2019re currently experiencing high demand")),
    Recorded("no log-in", 1, failed(UUID), _turn_failed("Missing environment variable: `FAKE_KEY`.")),
    Recorded(
        "made up: a failed turn in the words of a refusal",
        1,
        failed(UUID),
        _turn_failed("no rollout found"),
        f"{_RESUME_FAILED}no rollout found",
    ),
    Recorded("killed midway", KILLED, failed(UUID), lines(_thread(), _TURN), _IN_STDIN),
    Recorded("killed early", KILLED, failed()),
    Recorded(
        "0.55.0: an option after resume",
        2,
        failed(),
        "",
        "error: unexpected argument '--json' found\n\n  tip: to pass '--json' as a value, use '-- --json'",
    ),
    Recorded("made up: a usage error in the words of a refusal", 2, failed(), "", f"{_RESUME_FAILED}no rollout found"),
    Recorded("help", 0, failed(), "Resume a previous session by id or pick the most recent with --last\n"),
    Recorded(
        "made up: words of a refusal without the failed resume",
        1,
        failed(),
        "",
        "ERROR codex_core: the file is empty; no rollout found",
    ),
    Recorded(
        "made up: a warning of the CLI's own is no model turn",
        1,
        failed(UUID),
        lines(_thread(), _item("unknown model", "error")),
    ),
    Recorded(
        "made up: a tool call is one", 1, failed(UUID, turn=True), lines(_thread(), _item("", "command_execution"))
    ),
    Recorded(
        "made up: an answer without the end of its turn",
        0,
        failed(UUID, turn=True, text="ok"),
        lines(_thread(), _item("ok")),
    ),
)


# --- opencode --------------------------------------------------------------------------------------------------------


def _step(kind: str, session: str = SES, **more: object) -> dict[str, object]:
    return {"type": kind, "sessionID": session, **more}


def _api_error(status: int) -> str:
    data = {"message": f"fake error {status}", "statusCode": status, "isRetryable": status != 401}
    return lines(_step("error", error={"name": "APIError", "data": data}))


_OPENCODE_USAGE = "opencode run [message..]\n\nrun opencode with a message\n"
_OK_OPENCODE = lines(_step("step_start"), _step("text", text="ok chat=4"), _step("step_finish"))

OPENCODE = (
    Recorded("fresh, and resumed", 0, answered("ok chat=4", SES), _OK_OPENCODE),
    Recorded(
        "1.3.2: a migration first",
        0,
        answered("ok chat=4", SES),
        _OK_OPENCODE,
        "Performing one time database migration, may take a few minutes...\nDatabase migration complete.",
    ),
    Recorded(
        "unknown id, in colour even into a pipe",
        1,
        REFUSED,
        "",
        "\x1b[91m\x1b[1mError:\x1b[0m Session \x1b[0mnot found\n",
    ),
    Recorded("1.15.3: unknown id", 1, REFUSED, "", "Error: Session not found"),
    Recorded(
        "1.3.2: unknown id, exit code 0",
        0,
        REFUSED,
        "",
        f'NotFoundError: NotFoundError\n data: {{\n  message: "Session not found: {SES}",\n}},\n',
    ),
    Recorded("exit code 0 without a word", 0, REFUSED),
    Recorded("the id read as --help: usage on stderr, exit code 0", 0, REFUSED, "", _OPENCODE_USAGE),
    Recorded("cut database", 1, REFUSED, "", "Error: Unexpected error\n\ndatabase disk image is malformed"),
    Recorded("random bytes", 1, REFUSED, "", "Error: Unexpected error\n\nfile is not a database"),
    Recorded("unreadable", 1, failed(), "", "Error: Unexpected error\n\nunable to open database file"),
    Recorded("made up: silent, but it may not read", 0, failed(), "", "Permission denied"),
    Recorded(
        "a database that cannot be written",
        1,
        failed(),
        "",
        'Error: Unexpected error\n\nFailed query: insert into "project" ("id", "worktree") values (?, ?)',
    ),
    Recorded("a folder that cannot be read", 1, failed(), "", "EACCES: permission denied, mkdir '/h/opencode/repos'"),
    Recorded("401", 1, failed(SES), _api_error(401)),
    Recorded("404", 1, failed(SES), _api_error(404)),
    Recorded("429", 1, failed(SES), _api_error(429)),
    Recorded("500", 1, failed(SES), _api_error(500)),
    Recorded(
        "no log-in",
        1,
        failed(SES),
        lines(_step("error", error={"name": "UnknownError", "data": {"message": "Unexpected server error."}})),
    ),
    Recorded("made up: an error in the words of a refusal", 1, failed(SES), _api_error(404), "Session not found"),
    Recorded("the old directory is gone", 1, failed(), "", "Error: Unexpected server error\n\nSession not found"),
    Recorded("killed midway: it names its session after the model's answer only", KILLED, failed()),
    Recorded("still running", None, failed()),
    Recorded("unknown option", 1, failed(), "", _OPENCODE_USAGE),
    Recorded("1.3.2: help on stdout", 0, REFUSED, _OPENCODE_USAGE),
    Recorded("made up: no end of the step", 0, failed(SES, turn=True, text="ok"), lines(_step("text", text="ok"))),
    Recorded(
        "made up: a tool call, then killed",
        KILLED,
        failed(SES, turn=True),
        lines(_step("step_start"), _step("tool_use")),
    ),
    Recorded("made up: a begun step is no model turn", KILLED, failed(SES), lines(_step("step_start"))),
)


# --- copilot ---------------------------------------------------------------------------------------------------------


def _ended(code: int, session: str = UUID) -> dict[str, object]:
    return {"type": "result", "sessionId": session, "exitCode": code}


def _session_error(kind: str, status: int, message: str) -> str:
    return lines(
        {"type": "session.info", "message": "Request failed due to a transient API error. Retrying..."},
        {"type": "session.error", "errorType": kind, "statusCode": status, "message": message},
        _ended(1),
    )


_SKILLS: dict[str, object] = {"type": "session.skills_loaded", "data": {"skills": []}}
_SAID: dict[str, object] = {"type": "assistant.message", "data": {"content": "Done."}}
_NO_MATCH = (
    f"Error: No session, task, or name matched '{UUID}'.\n\nTo resume by session or task ID:  copilot --resume=<id>"
)
_NO_LOG_IN = (
    "Error: No authentication information found.\n\nCopilot can be authenticated with GitHub using an OAuth Token"
)

COPILOT = (
    Recorded("fresh, and resumed", 0, answered("Done.", UUID), lines(_SKILLS, _SAID, _ended(0))),
    Recorded("unknown id (1.0.73 too), with or without a log-in", 1, REFUSED, "", _NO_MATCH),
    Recorded(
        "random bytes",
        1,
        REFUSED,
        "",
        f"Error: Session '{UUID}' was found but could not be loaded.\nError: Session file is corrupted (line 1: EOF)",
    ),
    Recorded("no output at all", 1, failed()),
    Recorded("no log-in", 1, failed(), "", _NO_LOG_IN),
    Recorded("made up: no log-in and no match", 1, failed(), "", f"{_NO_LOG_IN}\n{_NO_MATCH}"),
    Recorded(
        "state that cannot be written",
        1,
        failed(),
        lines(_SKILLS),
        "Error executing prompt: Error: Request session.send failed with message: Permission denied (os error 13)",
    ),
    Recorded(
        "401", 1, failed(UUID), _session_error("authentication", 401, "Authentication failed with provider (HTTP 401).")
    ),
    Recorded("404", 1, failed(UUID), _session_error("query", 404, "Model 'fake-model' not found on provider")),
    Recorded("429", 1, failed(UUID), _session_error("rate_limit", 429, "Failed to get response; retried 5 times")),
    Recorded("500", 1, failed(UUID), _session_error("query", 500, "Last error: 500 fake error 500")),
    Recorded(
        "made up: an error in the words of a refusal",
        1,
        failed(UUID),
        _session_error("query", 404, "not found"),
        _NO_MATCH,
    ),
    Recorded("killed midway: it names its session in the last event only", KILLED, failed(), lines(_SKILLS)),
    Recorded("killed after the answer", KILLED, failed(turn=True, text="Done."), lines(_SKILLS, _SAID)),
    Recorded(
        "help", 0, failed(), "Usage: copilot [OPTIONS] [COMMAND]\n\nGitHub Copilot CLI - An AI-powered assistant.\n"
    ),
    Recorded(
        "the id exists: the pair of --session-id and --name creates only",
        1,
        failed(),
        "",
        "error: option '-n, --name <name>' cannot be used with option '--session-id <id>' when it resolves to"
        " an existing or remote session or task.",
    ),
    Recorded("a label of 101 characters", 1, failed(), "", "Session name must be 100 characters or less."),
    Recorded("unknown option", 1, failed(), "", "error: Invalid command format.\n\nTry 'copilot --help'"),
    Recorded(
        "made up: exit code 0, and the last event says 1",
        0,
        failed(UUID, turn=True, text="Done."),
        lines(_SAID, _ended(1)),
    ),
)

#: Grok Build was not measured; nothing that it says is a refusal (§16.5.4).
GROK = (
    Recorded(
        "made up: an answer", 0, answered("Done.", "abcd1234"), lines({"response": "Done.", "session_id": "abcd1234"})
    ),
    Recorded("made up: a refusal by any other", 1, failed(), "", "Session not found"),
    Recorded("made up: silent", 0, failed()),
)

RECORDED = {
    AdapterId.CLAUDE_CODE: CLAUDE,
    AdapterId.CODEX: CODEX,
    AdapterId.OPENCODE: OPENCODE,
    AdapterId.COPILOT: COPILOT,
    AdapterId.GROK_BUILD: GROK,
}
