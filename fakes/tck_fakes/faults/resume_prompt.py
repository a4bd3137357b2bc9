"""Faults of a run that resumes: what its prompt says, where it works, and how its text reaches the CLI."""

from __future__ import annotations

import re
from dataclasses import replace

from tck_driver.vocabulary import MailboxRef, Phase
from tck_fakes.faults.changed import gives, instead
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.register import Real, fault
from tck_simulator import run
from tck_simulator.adapters import Call, Invocation
from tck_simulator.adapters.base import HOME, WORKDIR
from tck_simulator.adapters.claude_code import ClaudeCode
from tck_simulator.adapters.codex import Codex
from tck_simulator.adapters.copilot import Copilot
from tck_simulator.adapters.opencode import OpenCode
from tck_simulator.live import LiveRun
from tck_simulator.ports import ContainerRequest
from tck_simulator.prompt import READ_ONLY_PHASES
from tck_simulator.run import RunSequence

# --- RESUME-7: the full prompt ---------------------------------------------------------------------------------------


def _prompt_of_resumes(sabotage: Sabotage, change: Real) -> None:
    """Give the CLI another prompt where it resumes; the fresh leg after a refusal gets the full one."""

    def start(real: Real, sequence: RunSequence, live: LiveRun) -> None:
        full = live.call.prompt
        if live.asked is not None:
            live.call = replace(live.call, prompt=change(full, live.phase))
        real(sequence, live)
        live.call = replace(live.call, prompt=full)

    sabotage.replace(RunSequence, "_start", instead(start))


@fault("short-follow-up", "RESUME-7", Kind.WRONG_VALUE, "sends a resumed session the last two lines of the prompt only")
def _short_follow_up(sabotage: Sabotage) -> None:
    def change(full: str, _: Phase) -> str:
        return "\n".join(full.splitlines()[-2:])

    _prompt_of_resumes(sabotage, change)


@fault(
    "answer-without-the-issue", "RESUME-7", Kind.MISSING_EFFECT, "leaves the title out where a resumed run only reads"
)
def _answer_without_the_issue(sabotage: Sabotage) -> None:
    def change(full: str, phase: Phase) -> str:
        lines = full.splitlines()
        return "\n".join([lines[0], *lines[2:]]) if phase in READ_ONLY_PHASES else full

    _prompt_of_resumes(sabotage, change)


@fault("word-of-welcome", "RESUME-7", Kind.EXTRA_EFFECT, "tells a resumed session what it should remember")
def _word_of_welcome(sabotage: Sabotage) -> None:
    def change(full: str, _: Phase) -> str:
        return f"You have worked on this before; go on where you stopped.\n{full}"

    _prompt_of_resumes(sabotage, change)


@fault("short-fix", "RESUME-7", Kind.WRONG_SCOPE, "sends a session that resumes for a ci_fix the failure alone")
def _short_fix(sabotage: Sabotage) -> None:
    def change(full: str, phase: Phase) -> str:
        return "\n".join(full.splitlines()[3:]) if phase is Phase.CI_FIX else full

    _prompt_of_resumes(sabotage, change)


# --- RESUME-8: always in the workspace -------------------------------------------------------------------------------


@fault(
    "folder-for-each-run",
    "RESUME-8",
    Kind.WRONG_VALUE,
    "works in a folder below the workspace named after the worktree",
)
def _folder_for_each_run(sabotage: Sabotage) -> None:
    def request(made: ContainerRequest, **_: object) -> ContainerRequest:
        name = made.mounts[0].source.rpartition("/")[2]
        return replace(made, workdir=f"{WORKDIR}/{name}")

    sabotage.replace(run, "container_request", gives(request))


@fault("home-without-a-session", "RESUME-8", Kind.WRONG_SCOPE, "works in the home directory where there is no session")
def _home_without_a_session(sabotage: Sabotage) -> None:
    def request(made: ContainerRequest, *, state: object, **_: object) -> ContainerRequest:
        return replace(made, workdir=HOME) if state is None else made

    sabotage.replace(run, "container_request", gives(request))


@fault("workspace-once", "RESUME-8", Kind.ONCE, "works in the workspace at an issue's first start only")
def _workspace_once(sabotage: Sabotage) -> None:
    seen: set[tuple[str, str]] = set()

    def request(made: ContainerRequest, **_: object) -> ContainerRequest:
        whose = next(label for label in made.labels if label[0] == "mailbox")
        if whose in seen:
            return replace(made, workdir=HOME)
        seen.add(whose)
        return made

    sabotage.replace(run, "container_request", gives(request))


@fault("opencode-at-home", "RESUME-8", Kind.WRONG_MOMENT, "lets opencode resume in the home directory")
def _opencode_at_home(sabotage: Sabotage) -> None:
    def resume(made: Invocation, *_: object) -> Invocation:
        return replace(made, argv=tuple(HOME if word == WORKDIR else word for word in made.argv))

    sabotage.replace(OpenCode, "resume", gives(resume))


# --- RESUME-16: text stays text --------------------------------------------------------------------------------------


@fault(
    "claude-through-a-shell", "RESUME-16", Kind.WRONG_VALUE, "gives claude's command to a shell, which eats the quotes"
)
def _claude_through_a_shell(sabotage: Sabotage) -> None:
    def argv(made: Invocation, *_: object) -> Invocation:
        *options, prompt = made.argv
        return replace(made, argv=(*options, re.sub("[\"'`]", "", prompt)))

    sabotage.replace(ClaudeCode, "_argv", gives(argv))


def _title_first(sabotage: Sabotage) -> None:
    """Let prompts begin with the title, which is right by itself."""

    def prompt(full: str, _: MailboxRef, title: str, *__: object) -> str:
        return f"{title}\n{full}"

    sabotage.replace(run, "full_prompt", gives(prompt))


@fault("codex-without-an-end", "RESUME-16", Kind.MISSING_EFFECT, "does not tell codex where its options end")
def _codex_without_an_end(sabotage: Sabotage) -> None:
    def argv(made: Invocation, *_: object) -> Invocation:
        return replace(made, argv=tuple(word for word in made.argv if word != "--"))

    _title_first(sabotage)
    sabotage.replace(Codex, "_argv", gives(argv))


@fault("claude-without-an-end", "RESUME-16", Kind.WRONG_SCOPE, "tells claude where its options end only at a resume")
def _claude_without_an_end(sabotage: Sabotage) -> None:
    def fresh(made: Invocation, _: ClaudeCode, call: Call) -> Invocation:
        return replace(made, argv=tuple(word for word in made.argv if word != "--" or word == call.prompt))

    _title_first(sabotage)
    sabotage.replace(ClaudeCode, "fresh", gives(fresh))


@fault("opencode-without-an-end", "RESUME-16", Kind.MISSING_EFFECT, "does not tell opencode where its options end")
def _opencode_without_an_end(sabotage: Sabotage) -> None:
    def argv(made: tuple[str, ...], *_: object) -> tuple[str, ...]:
        return tuple(word for word in made if word != "--")

    _title_first(sabotage)
    sabotage.replace(OpenCode, "_argv", gives(argv))


@fault(
    "copilot-prompt-apart",
    "RESUME-16",
    Kind.WRONG_VALUE,
    "gives copilot the prompt as a word of its own, after the option",
)
def _copilot_prompt_apart(sabotage: Sabotage) -> None:
    def argv(made: Invocation, _: Copilot, call: Call, *__: object) -> Invocation:
        return replace(made, argv=(made.argv[0], "--prompt", call.prompt, *made.argv[2:]))

    _title_first(sabotage)
    sabotage.replace(Copilot, "_argv", gives(argv))
