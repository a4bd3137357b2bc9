"""Argument vectors: exactly those of §16.5.1 with the model of the binding, and nothing read as an option."""

# ruff: noqa: FBT001 -- pytest and hypothesis hand parameters over by name

from __future__ import annotations

from dataclasses import replace

import pytest

from tck_driver.vocabulary import AdapterId
from tck_simulator.adapters import ADAPTERS, Call
from tck_simulator.versions import Version

ID = "a0be0c93-d022-4b61-b67b-44eb3d0ed457"
NEW = "6bb83803-0e89-4a15-a460-2928817ba68f"
SES = "ses_dd6a30a4effeiY5w2zPmP9jBMq"
NAME = "agent/issue-7-add-a-page"
STATE = "/home/agent/.local/state/opencode-sessions"

CALL = Call(
    prompt="Do it.", read_only=False, model="m-1", label=NAME, fresh_id=NEW, version=Version(2, 1, 197), state_files=()
)
LOCAL = tuple(ADAPTERS)
CLAUDE, CODEX, OPENCODE, COPILOT = (
    ADAPTERS[adapter]
    for adapter in (
        AdapterId.CLAUDE_CODE,
        AdapterId.CODEX,
        AdapterId.OPENCODE,
        AdapterId.COPILOT,
    )
)
#: Texts that a careless vector lets a CLI read as its own.
PROMPTS = ("--help", "-p", "resume", "--resume=x", "-", "--", "", "a b\nc", 'say "hi" $(id)', "exec")


def words(line: str, *last: str) -> tuple[str, ...]:
    return (*line.split(), *last)


#: (fresh, resume, without a session) of each CLI, by §16.5.1.
VECTORS = {
    AdapterId.CLAUDE_CODE: (
        words(
            f"claude -p --session-id {NEW} --name={NAME} --model m-1 --output-format stream-json --verbose --", "Do it."
        ),
        words(f"claude -p --resume={ID} --model m-1 --output-format stream-json --verbose --", "Do it."),
        words("claude -p --model m-1 --output-format stream-json --verbose --", "Do it."),
    ),
    AdapterId.CODEX: (
        words("codex exec --json --skip-git-repo-check -m m-1 -s workspace-write --", "Do it."),
        words(f"codex exec --json --skip-git-repo-check -m m-1 -s workspace-write resume -- {ID}", "Do it."),
        words("codex exec --json --skip-git-repo-check -m m-1 -s workspace-write --", "Do it."),
    ),
    AdapterId.OPENCODE: (
        words(f"opencode run --format json --model m-1 --title={NAME} --", "Do it."),
        words(f"opencode run --format json --model m-1 --session={SES} --dir /workspace --", "Do it."),
        words("opencode run --format json --model m-1 --", "Do it."),
    ),
    AdapterId.COPILOT: (
        (
            *("copilot", "--prompt=Do it."),
            *words(f"--session-id={NEW} --name={NAME} --model m-1 --output-format json --allow-all-tools"),
        ),
        (
            *("copilot", "--prompt=Do it."),
            *words(f"--resume={ID} -C /workspace --model m-1 --output-format json --allow-all-tools"),
        ),
        ("copilot", "--prompt=Do it.", *words("--model m-1 --output-format json --allow-all-tools")),
    ),
}


def native_id(adapter: AdapterId) -> str:
    return SES if adapter is AdapterId.OPENCODE else ID


@pytest.mark.parametrize("adapter", VECTORS)
def test_the_vectors_are_those_of_the_specification(adapter: AdapterId) -> None:
    fresh, resume, plain = VECTORS[adapter]
    known = ADAPTERS[adapter]
    assert known.fresh(CALL).argv == fresh
    assert known.resume(CALL, native_id(adapter)).argv == resume
    assert known.plain(CALL).argv == plain
    assert known.plain(replace(CALL, label=None, fresh_id=None)) == known.plain(CALL)


@pytest.mark.parametrize("adapter", LOCAL)
@pytest.mark.parametrize("prompt", PROMPTS)
def test_a_prompt_is_one_argument_behind_the_options_or_tied_to_its_own(adapter: AdapterId, prompt: str) -> None:
    known = ADAPTERS[adapter]
    for argv in (
        known.plain(replace(CALL, prompt=prompt)).argv,
        known.fresh(replace(CALL, prompt=prompt)).argv,
        known.resume(replace(CALL, prompt=prompt), native_id(adapter)).argv,
    ):
        if adapter is AdapterId.COPILOT:
            assert argv[1] == f"--prompt={prompt}"
        elif adapter is AdapterId.GROK_BUILD:  # not measured; the prompt is the value of -p
            assert argv[1:3] == ("-p", prompt)
        else:
            assert argv[-1] == prompt
            assert "--" in argv[:-1]


@pytest.mark.parametrize("adapter", VECTORS)
def test_an_id_is_tied_to_its_option_or_stands_behind_the_end_of_options(adapter: AdapterId) -> None:
    argv = ADAPTERS[adapter].resume(CALL, native_id(adapter)).argv
    place = next(number for number, word in enumerate(argv) if native_id(adapter) in word)
    assert argv[place] in (f"--resume={ID}", f"--session={SES}") or argv[place - 1] == "--"


@pytest.mark.parametrize("adapter", VECTORS)
def test_the_leg_after_a_refusal_is_built_as_a_first_run_is(adapter: AdapterId) -> None:
    fresh = ADAPTERS[adapter].fresh(CALL)
    assert not any(word.startswith(("--resume", "--session=", "resume")) for word in fresh.argv)
    assert native_id(adapter) not in " ".join(fresh.argv)


def test_codex_writes_in_the_workspace_only_where_the_phase_may() -> None:
    assert CODEX.fresh(replace(CALL, read_only=True)).argv[6:8] == ("-s", "read-only")
    resume = CODEX.resume(replace(CALL, read_only=True), ID).argv
    assert resume.index("-s") < resume.index("resume")


@pytest.mark.parametrize(
    ("version", "labelled"),
    # Measured: 2.0.54 rejects the option, 2.1.197 takes it (§16.5.1).
    [("2.0.54", False), ("2.1.196", False), ("2.1.197-beta.1", False), ("2.1.197", True), ("2.1.332", True)],
)
def test_claude_gets_the_label_from_the_version_that_knows_the_option(
    version: str,
    labelled: bool,
) -> None:
    argv = CLAUDE.fresh(replace(CALL, version=Version.parse(version))).argv
    assert (f"--name={NAME}" in argv) is labelled
    assert argv[2:4] == ("--session-id", NEW)


def test_claude_gets_no_label_where_the_version_is_unknown() -> None:
    assert not any(word.startswith("--name") for word in CLAUDE.fresh(replace(CALL, version=None)).argv)


def test_copilot_gets_an_id_with_a_label_only_and_no_label_beyond_100_characters() -> None:
    whole = COPILOT.fresh(replace(CALL, label="x" * 100)).argv
    assert f"--name={'x' * 100}" in whole
    for call in (
        replace(CALL, label="x" * 101),
        replace(CALL, label=None),
        replace(CALL, fresh_id=None),
    ):
        assert COPILOT.fresh(call) == COPILOT.plain(call)


def test_codex_takes_no_label_and_no_id() -> None:
    assert CODEX.fresh(CALL) == CODEX.plain(CALL)


@pytest.mark.parametrize(
    ("files", "fresh", "resume"),
    [
        ((), 1, 1),
        (("sessions-1.db",), 2, 1),
        (("sessions-1.db", "sessions-2.db", "sessions-2.db-wal", "sessions-2.db-shm"), 3, 2),
        (("sessions-9.db", "sessions-10.db"), 11, 10),
        (("sessions-x.db", "sessions-3.db.bak", "xsessions-4.db", "opencode.db", "sessions-.db"), 1, 1),
        (("sessions-12345678901234567890.db", "sessions-2.db"), 3, 2),
    ],
)
def test_opencode_gets_a_new_database_when_fresh_and_the_last_one_when_resuming(
    files: tuple[str, ...], fresh: int, resume: int
) -> None:
    call = replace(CALL, state_files=files)
    assert OPENCODE.fresh(call).environment == (("OPENCODE_DB", f"{STATE}/sessions-{fresh}.db"),)
    assert OPENCODE.resume(call, SES).environment == (("OPENCODE_DB", f"{STATE}/sessions-{resume}.db"),)


@pytest.mark.parametrize("adapter", LOCAL)
def test_without_a_session_nothing_is_added_to_the_environment(adapter: AdapterId) -> None:
    assert ADAPTERS[adapter].plain(CALL).environment == ()


@pytest.mark.parametrize(
    ("adapter", "cli"),
    list(zip(LOCAL, ("claude", "codex", "opencode", "copilot", "grok"), strict=True)),
)
def test_the_version_is_asked_of_the_cli_itself(adapter: AdapterId, cli: str) -> None:
    assert ADAPTERS[adapter].version_command() == (cli, "--version")


@pytest.mark.parametrize(
    ("adapter", "path", "rotates", "verified"),
    # §16.5.1 and §16.6.
    [
        (AdapterId.CLAUDE_CODE, "/home/agent/.claude/projects", True, "1.0.124"),
        (AdapterId.CODEX, "/home/agent/.codex/sessions", False, "0.122.0"),
        (AdapterId.OPENCODE, STATE, False, "1.15.3"),
        (AdapterId.COPILOT, "/home/agent/.copilot/session-state", False, "1.0.73"),
        (AdapterId.GROK_BUILD, None, False, None),
    ],
)
def test_each_adapter_declares_what_the_tables_say(
    adapter: AdapterId,
    path: str | None,
    rotates: bool,
    verified: str | None,
) -> None:
    known = ADAPTERS[adapter]
    assert known.id is adapter
    assert known.capability.session_state_path == path
    assert known.capability.resumable_sessions is (path is not None)  # CAPABILITY-1
    assert known.rotates is rotates
    assert (None if known.verified_from is None else str(known.verified_from)) == verified


@pytest.mark.parametrize(
    ("adapter", "native", "fits"),
    [
        (AdapterId.CLAUDE_CODE, ID, True),
        (AdapterId.CLAUDE_CODE, ID.upper(), False),
        (AdapterId.CLAUDE_CODE, f"{ID}\n", False),
        (AdapterId.CODEX, "--help", False),
        (AdapterId.CODEX, "x", False),
        (AdapterId.COPILOT, ID.replace("-", ""), False),
        (AdapterId.OPENCODE, SES, True),
        (AdapterId.OPENCODE, SES[:-1], False),
        (AdapterId.OPENCODE, f"{SES}0", False),
        (AdapterId.OPENCODE, ID, False),
        (AdapterId.GROK_BUILD, "abcd1234", True),
        (AdapterId.GROK_BUILD, "-bcd1234", False),
        (AdapterId.GROK_BUILD, "abcd123", False),
        (AdapterId.GROK_BUILD, "a" * 65, False),
        (AdapterId.GROK_BUILD, "../../etc", False),
    ],
)
def test_only_ids_of_the_adapters_form_match_its_pattern(
    adapter: AdapterId,
    native: str,
    fits: bool,
) -> None:
    assert (ADAPTERS[adapter].id_pattern.fullmatch(native) is not None) is fits
