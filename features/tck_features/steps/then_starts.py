"""What the CLIs were asked to do, as the kit's stand-ins saw it."""

from __future__ import annotations

from tck_driver.vocabulary import AdapterId
from tck_features.sentences import then
from tck_features.world import Start, World, shown

#: By adapter, the options that belong to sessions and nothing else; without the feature none of them is given.
SESSION_OPTIONS: dict[AdapterId, tuple[str, ...]] = {
    AdapterId.CLAUDE_CODE: ("--session-id", "--resume", "-r", "--continue", "-c", "--name", "-n", "--fork-session"),
    AdapterId.CODEX: ("resume", "fork", "--last"),
    AdapterId.OPENCODE: ("--session", "-s", "--continue", "-c", "--title", "--fork", "--dir"),
    AdapterId.COPILOT: ("--session-id", "--resume", "--continue", "--name", "-n", "-C"),
    AdapterId.GROK_BUILD: ("--resume", "--session", "--session-id", "--continue", "--name"),
}


@then("the CLI was started {int} time(s) in the {ordinal} run")
def count_of_starts(world: World, count: int, ordinal: int) -> None:
    """Check how often the CLI was started in one run."""
    found = world.starts_of(world.row(ordinal))
    world.checks.expect(
        "starts of the CLI in this run",
        expected=count,
        actual=len(found),
        rests_on="witnessed",
        evidence=shown(found),
    )


@then("the {ordinal} run asked the CLI to resume the native id of the {ordinal} run")
def asked_for(world: World, ordinal: int, earlier: int) -> None:
    """Check the id in the arguments of a run's first start against the session that an earlier run really had."""
    start = _first(world, ordinal, "the issue")
    past = world.starts_of(world.row(earlier))
    served = past[-1].answer.session_id if past and past[-1].answer else None
    world.checks.expect("the earlier run had a session", expected=True, actual=served is not None, rests_on="witnessed")
    world.checks.expect(
        "the id that the CLI was asked to resume",
        expected=served,
        actual=start.cli.asked_id,
        rests_on="witnessed",
        evidence=shown([start]),
    )


@then("the {ordinal} run did not ask the CLI to resume anything")
def asked_for_nothing(world: World, ordinal: int) -> None:
    """Check that no start of a run asked for a session."""
    _no_ids(world, ordinal, "the issue")


@then("the {ordinal} run of {party} did not ask the CLI to resume anything")
def asked_for_nothing_of(world: World, ordinal: int, party: str) -> None:
    """Check the same for a party."""
    _no_ids(world, ordinal, party)


def _no_ids(world: World, ordinal: int, party: str) -> None:
    found = world.starts_of(world.row(ordinal, party))
    world.checks.expect("the CLI was started", expected=True, actual=bool(found), rests_on="witnessed")
    asked = [start.cli.asked_id for start in found if start.cli.asked_id is not None]
    world.checks.expect(
        "ids that the CLI was asked to resume",
        expected=[],
        actual=asked,
        rests_on="witnessed",
        evidence=shown(found),
    )


@then("the session of the {ordinal} run remembers the prompt of the {ordinal} run")
def remembers(world: World, ordinal: int, earlier: int) -> None:
    """Check that the history which the CLI loaded holds what an earlier run was asked."""
    start = _last(world, ordinal)
    prompt = _last(world, earlier).cli.prompt
    remembered = start.answer.remembered if start.answer else ()
    world.checks.expect(
        "the loaded history holds the earlier prompt",
        expected=True,
        actual=prompt in remembered,
        rests_on="witnessed",
        evidence=(f"earlier prompt: {prompt[:200]}", *(f"remembered: {text[:200]}" for text in remembered)),
    )


@then("the session of the {ordinal} run remembers nothing")
def remembers_nothing(world: World, ordinal: int) -> None:
    """Check that the CLI worked in an empty session."""
    _nothing(world, _last(world, ordinal))


@then("the session of the {ordinal} run of {party} remembers nothing")
def remembers_nothing_of(world: World, ordinal: int, party: str) -> None:
    """Check the same for a party."""
    _nothing(world, _last(world, ordinal, party))


def _nothing(world: World, start: Start) -> None:
    remembered = start.answer.remembered if start.answer else ()
    world.checks.expect(
        "what the session remembered", expected=[], actual=remembered, rests_on="witnessed", evidence=shown([start])
    )


@then("the last start of the {ordinal} run has nothing of the session that was refused")
def fresh_leg_is_clean(world: World, ordinal: int) -> None:
    """Check that the id of the first start is nowhere in the arguments and environment of the last one."""
    found = world.starts_of(world.row(ordinal))
    world.checks.expect(
        "starts of the CLI in this run", expected=2, actual=len(found), rests_on="witnessed", evidence=shown(found)
    )
    old = found[0].cli.asked_id or ""
    world.checks.expect("the first start asked for an id", expected=True, actual=bool(old), rests_on="witnessed")
    places = [*found[1].cli.argv, *(value for _, value in found[1].cli.environment)]
    world.checks.expect(
        "arguments of the second start that hold the refused id",
        expected=[],
        actual=[place for place in places if old in place],
        rests_on="witnessed",
    )
    world.checks.expect(
        "the id that the second start asks for", expected=None, actual=found[1].cli.asked_id, rests_on="witnessed"
    )


@then("the last start of the {ordinal} run has the prompt that the twin issue got in the same phase")
def fresh_leg_prompt(world: World, ordinal: int) -> None:
    """Check a prompt against the one that a fresh run of the same phase got, number and name of the issue aside."""
    _same_prompt(world, _last(world, ordinal), _last(world, -1, "the twin issue"))


@then("the prompt of the {ordinal} run is the one that the twin issue got afresh in the same phase")
def resumed_prompt(world: World, ordinal: int) -> None:
    """Check that a resumed run got the full prompt (RESUME-7)."""
    twin = _last(world, -1, "the twin issue")
    world.checks.expect("the twin's run was a fresh one", expected=None, actual=twin.cli.asked_id, rests_on="witnessed")
    _same_prompt(world, _last(world, ordinal), twin)


def _same_prompt(world: World, start: Start, twin: Start) -> None:
    prompts: list[str] = []
    for one, party in ((start, "the issue"), (twin, "the twin issue")):
        text = one.cli.prompt
        for row in world.runs_of(party):
            text = text.replace(row.session_name or "\0", "<name>")
        prompts.append(text.replace(str(world.ref(party).iid), "<iid>"))
    title = world.titles[world.ref("the issue")]
    world.checks.expect("the prompt names the issue", expected=True, actual=title in prompts[0], rests_on="witnessed")
    world.checks.expect("the prompt", expected=prompts[1], actual=prompts[0], rests_on="witnessed")


@then("the CLI understood the arguments of every start")
def no_usage_errors(world: World) -> None:
    """Check that no start was a usage error for a strict reader of that CLI's options (RESUME-16)."""
    found = world.starts()
    world.checks.expect("the CLI was started", expected=True, actual=bool(found), rests_on="witnessed")
    errors = [f"{' '.join(start.cli.argv)}: {start.cli.usage_error}" for start in found if start.cli.usage_error]
    world.checks.expect("usage errors", expected=[], actual=errors, rests_on="witnessed")


@then("the prompt of the {ordinal} run reached the CLI whole")
def prompt_is_whole(world: World, ordinal: int) -> None:
    """Check that what the CLI took for its prompt holds the issue's title."""
    start = _last(world, ordinal)
    title = world.titles[world.ref("the issue")]
    world.checks.expect(
        "the prompt holds the title",
        expected=True,
        actual=title in start.cli.prompt,
        rests_on="witnessed",
        evidence=(start.cli.prompt[:400],),
    )


@then("every start of the CLI ran in the workspace of the container")
def working_directory(world: World) -> None:
    """Check the working directory of each container and of the CLI in it (RESUME-8)."""
    found = world.starts()
    world.checks.expect("the CLI was started", expected=True, actual=bool(found), rests_on="witnessed")
    places = sorted({start.container.workdir for start in found} | {start.cli.workdir for start in found})
    world.checks.expect("working directories", expected=["/workspace"], actual=places, rests_on="witnessed")


@then("the arguments of the {ordinal} run of {party} have nothing of sessions")
def no_session_options(world: World, ordinal: int, party: str) -> None:
    """Check that no session option of that CLI was given, nor anything in its environment that belongs to sessions."""
    row = world.row(ordinal, party)
    start = world.only_start(row)
    options = SESSION_OPTIONS[AdapterId(row.adapter_id)]
    argv = _options(start)
    found = [word for word in argv if word in options or word.split("=", 1)[0] in options]
    world.checks.expect("session options", expected=[], actual=found, rests_on="witnessed", evidence=shown([start]))
    names = [name for name, _ in start.container.environment if name == "OPENCODE_DB"]
    world.checks.expect("session environment", expected=[], actual=names, rests_on="witnessed")


def _options(start: Start) -> list[str]:
    """Give the arguments without the prompt, whose words are nobody's options."""
    return [word for word in start.cli.argv if start.cli.prompt not in (word, word.partition("=")[2])]


@then("both runs of {party} gave the CLI the same arguments, prompts aside")
def same_arguments(world: World, party: str) -> None:
    """Check that without a session a second run is started as the first was."""
    first = world.only_start(world.row(0, party))
    second = world.only_start(world.row(1, party))
    world.checks.expect(
        "arguments without the prompt",
        expected=_options(first),
        actual=_options(second),
        rests_on="witnessed",
        evidence=shown([first, second]),
    )


def _first(world: World, ordinal: int, party: str) -> Start:
    found = world.starts_of(world.row(ordinal, party))
    world.checks.expect("the CLI was started", expected=True, actual=bool(found), rests_on="witnessed")
    return found[0]


def _last(world: World, ordinal: int, party: str = "the issue") -> Start:
    found = world.starts_of(world.row(ordinal, party))
    world.checks.expect("the CLI was started", expected=True, actual=bool(found), rests_on="witnessed")
    return found[-1]
