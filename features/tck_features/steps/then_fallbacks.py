"""Falling back to a fresh session, and what it must not be noticed by: causes, second starts, twins, detection."""

from __future__ import annotations

import hashlib
import re
import shutil

from tck_driver.bench import Link, Script, Write
from tck_driver.views import CounterRow, ExchangeRow, InstallationRow
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import ContainerEnded, ContainerStarted, VersionAsked
from tck_features.checks import Value
from tck_features.sentences import given, then
from tck_features.world import STATE_PATHS, Start, World, shown


@given("the {adapter} CLI has version {word} and prints it within a banner")
def banner_version(world: World, adapter: AdapterId, version: str) -> None:
    """Let the version command name a newer version than its own as well, in a notice after it."""
    world.bench.set_version(adapter, version, "banner")


@given("at its next start the CLI answers {string}")
def next_answer(world: World, answer: str) -> None:
    """Let the model answer in words that matter."""
    world.script(world.adapter(), Script(answer=answer))


@given("at its next start the CLI saves nothing while the agent writes to its worktree")
def unsaved_but_busy(world: World) -> None:
    """Let the CLI lose its transcript in a run that changes other files."""
    world.script(world.adapter(), Script("unsaved", acts=(Write("/workspace/notes.txt", "done"),)))


@given("at its next start the CLI saves nothing while the agent plants a link among its sessions")
def unsaved_but_linked(world: World) -> None:
    """Let the CLI lose its transcript in a run that leaves a link to a file behind, which is no session."""
    place = f"{STATE_PATHS[world.adapter()]}/notes"
    acts = (Write("/workspace/notes.txt", "done"), Link(place, "/workspace/notes.txt"))
    world.script(world.adapter(), Script("unsaved", acts=acts))


@given("the whole session directory of {party} was removed")
def session_directory_removed(world: World, party: str) -> None:
    """Remove what a move to another host would leave behind."""
    shutil.rmtree(world.standing(party).parent)


@given("only empty folders are left of the state of {party}")
def only_folders(world: World, party: str) -> None:
    """Remove every file of a state directory and keep its folders."""
    for path in world.standing(party).rglob("*"):
        if path.is_file():
            path.unlink()
    (world.state_dir(party) / "empty").mkdir(exist_ok=True)


@given("only a link to the state of the other issue is left of the state of the issue")
def only_a_link(world: World) -> None:
    """Leave nothing in a state directory but a link to files that are another mailbox's."""
    state = world.standing("the issue")
    other = world.standing("the other issue")
    shutil.rmtree(state)
    state.mkdir(mode=0o700)
    (state / "link").symlink_to(other)


@given("the transcript of {party} was overwritten with zero bytes")
def transcript_zeroed(world: World, party: str) -> None:
    """Overwrite what holds the conversation, and nothing that stands beside it."""
    _damage(world, party, b"\0" * 512)


@given("the transcript of {party} was cut off in its first line")
def transcript_cut(world: World, party: str) -> None:
    """Leave of the conversation what a crash in the middle of its first write would leave."""
    _damage(world, party, b'{"type')


@given("the transcript of {party} was emptied")
def transcript_emptied(world: World, party: str) -> None:
    """Leave a transcript of no bytes."""
    _damage(world, party, b"")


def _damage(world: World, party: str, content: bytes) -> None:
    transcripts = [file for file in world.standing(party).rglob("*") if file.suffix in (".jsonl", ".db")]
    world.checks.expect("there is a transcript", expected=True, actual=bool(transcripts), rests_on="witnessed")
    for file in transcripts:
        file.write_bytes(content)


@then("every file that was noted of {party} is still as it was")
def noted_files_kept(world: World, party: str) -> None:
    """Check that no file was repaired, moved or removed; new ones may stand beside them."""
    noted = world.notes[f"files of {party}"]
    expected = noted if isinstance(noted, dict) else {}
    folder = world.state_dir(party).parent
    found = {name: _content(world, party, name) for name in expected}
    world.checks.expect("there were files to note", expected=True, actual=bool(expected), rests_on="witnessed")
    world.checks.expect(f"the noted files of {folder.name}", expected=expected, actual=found, rests_on="witnessed")


def _content(world: World, party: str, name: str) -> str | None:
    path = world.state_dir(party).parent / name
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() and not path.is_symlink() else None


# --- starts ----------------------------------------------------------------------------------------------------------


@then("no start of the {ordinal} run was given the native id of the {ordinal} run")
def id_kept_away(world: World, ordinal: int, earlier: int) -> None:
    """Check that the session of an earlier run is nowhere in the arguments and the environment of a later one."""
    past, found = _starts(world, earlier), _starts(world, ordinal)
    served = past[-1].answer.session_id if past[-1].answer else None
    world.checks.expect("the earlier run had a session", expected=True, actual=served is not None, rests_on="witnessed")
    places = [place for start in found for place in _given_to(start) if served is not None and served in place]
    world.checks.expect("arguments that hold it", expected=[], actual=places, rests_on="witnessed")


@then("no start after the refusal in the {ordinal} run was given an id that the refusal named")
def decoy_kept_away(world: World, ordinal: int) -> None:
    """Check that neither the asked id nor one that the CLI named while it refused is in a later start's arguments."""
    found = _starts(world, ordinal)
    world.checks.expect(
        "starts of the CLI in this run", expected=2, actual=len(found), rests_on="witnessed", evidence=shown(found)
    )
    named = {found[0].cli.asked_id or "", *(found[0].answer.reported_ids if found[0].answer else ())} - {""}
    places = [place for place in _given_to(found[1]) if any(native_id in place for native_id in named)]
    world.checks.expect("the refused start asked for an id", expected=True, actual=bool(named), rests_on="witnessed")
    world.checks.expect("arguments that hold one", expected=[], actual=places, rests_on="witnessed")


@then("the arguments of the last start of the {ordinal} run are those that the twin issue got afresh in the same phase")
def arguments_of_a_first_run(world: World, ordinal: int) -> None:
    """Check an argument vector against a first run's: names, numbers and chosen ids aside, they are one (FALLBACK-19).

    Options are compared as a set of words, since their order says nothing.
    """
    start, twin = _starts(world, ordinal)[-1], _starts(world, -1, "the twin issue")[-1]
    world.checks.expect("the twin's run was a fresh one", expected=None, actual=twin.cli.asked_id, rests_on="witnessed")
    expected = _without_names(world, twin, "the twin issue")
    actual = _without_names(world, start, "the issue")
    world.checks.expect("arguments", expected=expected, actual=actual, rests_on="witnessed", evidence=shown([start]))


def _without_names(world: World, start: Start, party: str) -> list[str]:
    names = {row.session_name for row in world.runs_of(party) if row.session_name}
    words: list[str] = []
    for argument in start.cli.argv:
        word = argument.replace(start.cli.prompt, "<prompt>") if start.cli.prompt else argument
        for name in names:
            word = word.replace(name, "<name>")
        if start.cli.chosen_id:
            word = word.replace(start.cli.chosen_id, "<new id>")
        words.append(word)
    return sorted(words)


def _given_to(start: Start) -> list[str]:
    return [*start.cli.argv, *(f"{name}={value}" for name, value in start.container.environment)]


@then("the container of the first start of the {ordinal} run was gone before the second one started")
def one_leg_after_the_other(world: World, ordinal: int) -> None:
    """Check that the refused container had ended and was removed or stopped by then (§16.5.4)."""
    found = _starts(world, ordinal)
    world.checks.expect("starts of the CLI in this run", expected=2, actual=len(found), rests_on="witnessed")
    records = world.bench.witness.records
    begun = next(place for place, record in enumerate(records) if record is found[1].container)
    ends = [
        record.how
        for record in records[:begun]
        if isinstance(record, ContainerEnded) and record.container == found[0].container.container
    ]
    gone = bool({"removed", "stopped"} & set(ends))
    world.checks.expect("it was gone", expected=True, actual=gone, rests_on="witnessed", evidence=tuple(ends))


def _starts(world: World, ordinal: int, party: str = "the issue") -> list[Start]:
    found = world.starts_of(world.row(ordinal, party))
    world.checks.expect("the CLI was started", expected=True, actual=bool(found), rests_on="witnessed")
    return found


# --- twins -----------------------------------------------------------------------------------------------------------


@then("the issue has had the same comments as the twin issue, none of which speaks of sessions")
def same_comments(world: World) -> None:
    """Check that a fallback said nothing to anybody (FALLBACK-10)."""
    one, two = (_seen(world, party, ("comment",)) for party in ("the issue", "the twin issue"))
    world.checks.expect("comments", expected=two, actual=one, rests_on="witnessed")
    talk = re.compile(r"\b(session|resum|fallback|fell back|memory|fresh|afresh|refus)", re.IGNORECASE)
    found = [text for text in one if talk.search(text.removeprefix("comment "))]
    world.checks.expect("comments about sessions", expected=[], actual=found, rests_on="witnessed")


@then("the issue has had the same labels, branches and merge requests as the twin issue")
def same_labels(world: World) -> None:
    """Check everything that the tracker saw but for comments (FALLBACK-9)."""
    kinds = ("label", "unlabel", "status", "assign", "branch", "merge_request")
    one, two = (_seen(world, party, kinds) for party in ("the issue", "the twin issue"))
    world.checks.expect("the tracker has seen something", expected=True, actual=bool(two), rests_on="witnessed")
    world.checks.expect("labels, branches, merge requests", expected=two, actual=one, rests_on="witnessed")


@then("the LLM retry counter of the issue is that of the twin issue")
def same_retries(world: World) -> None:
    """Check that a fallback counted for nothing (FALLBACK-8)."""
    counts = [
        [row.llm_retries for row in world.view("counters", CounterRow) if row.mailbox == world.ref(party)][-1:]
        for party in ("the issue", "the twin issue")
    ]
    world.checks.expect("the twin has a counter", expected=1, actual=len(counts[1]), rests_on="reported")
    world.checks.expect("LLM retries", expected=counts[1], actual=counts[0], rests_on="reported")


def _seen(world: World, party: str, kinds: tuple[str, ...]) -> list[str]:
    return [line for kind, line in world.tracker_saw(party) if kind in kinds]


# --- contract --------------------------------------------------------------------------------------------------------


@then("the result of the {ordinal} run of {party} is not resumed, without a native id and without a reason")
def result_of_nothing(world: World, ordinal: int, party: str) -> None:
    """Check `LlmResult` of a run that had no session, or that confirmed none (CONTRACT-2)."""
    run = world.row(ordinal, party).run
    found = [row.result for row in world.view("exchanges", ExchangeRow) if row.run == run]
    expected: list[Value] = [{"sessionId": None, "resumed": False, "resumeFallback": None}]
    world.checks.expect("LlmResult", expected=expected, actual=found, rests_on="reported")


# --- detection -------------------------------------------------------------------------------------------------------


@then("every adapter is recorded with a state path exactly where it is recorded as resumable")
def path_with_capability(world: World) -> None:
    """Check every row of `agent_installations` (CAPABILITY-1)."""
    rows = world.view("installations", InstallationRow)
    adapters = sorted({row.adapter_id for row in rows})
    expected = sorted(adapter.value for adapter in AdapterId if adapter is not AdapterId.API)
    world.checks.expect("adapters on record", expected=expected, actual=adapters, rests_on="reported")
    wrong = [str(row) for row in rows if row.resumable_sessions is not (row.session_state_path is not None)]
    world.checks.expect("rows in which the two do not agree", expected=[], actual=wrong, rests_on="reported")
    declared = {row.adapter_id: row.session_state_path for row in rows}
    paths = {adapter.value: STATE_PATHS.get(adapter) for adapter in AdapterId if adapter is not AdapterId.API}
    world.checks.expect("state paths", expected=paths, actual=declared, rests_on="reported")


@then("no version of {adapter} is on record")
def no_version(world: World, adapter: AdapterId) -> None:
    """Check that nothing was taken for a version."""
    rows = [row.version for row in world.view("installations", InstallationRow) if row.adapter_id == adapter]
    world.checks.expect("versions on record", expected=[None], actual=rows, rests_on="reported")


@then("the version command of {adapter} was ended within {int} seconds")
def version_in_time(world: World, adapter: AdapterId, seconds: int) -> None:
    """Check the containers of the version command against the time limit (CAPABILITY-4, §16.6)."""
    asked = _version_containers(world, adapter)
    world.checks.expect("the version command was run", expected=True, actual=bool(asked), rests_on="witnessed")
    ends: dict[str, ContainerEnded] = {}
    for record in world.bench.witness.of(ContainerEnded):
        ends.setdefault(record.container, record)
    late = [
        one.container
        for one in asked
        if one.container not in ends or (ends[one.container].at - one.at).total_seconds() > seconds
    ]
    world.checks.expect("containers that ran for longer", expected=[], actual=late, rests_on="witnessed")


@then("the version command of {adapter} had been run in the image of the {ordinal} run before that run started")
def detected_before(world: World, adapter: AdapterId, ordinal: int) -> None:
    """Check that an image was looked into before the first run in it (CAPABILITY-7)."""
    start = _starts(world, ordinal)[0]
    records = world.bench.witness.records
    begun = next(place for place, record in enumerate(records) if record is start.container)
    images = [
        record.image
        for record in records[:begun]
        if isinstance(record, VersionAsked) and record.adapter == adapter.value
    ]
    world.checks.expect(
        f"the version command was run in {start.container.image}",
        expected=True,
        actual=start.container.image in images,
        rests_on="witnessed",
        evidence=tuple(images),
    )


@then("the images of {adapter} are recorded with versions {word} and {word}")
def versions_by_image(world: World, adapter: AdapterId, one: str, two: str) -> None:
    """Check that each image kept what was found in it (CAPABILITY-7)."""
    rows = [row for row in world.view("installations", InstallationRow) if row.adapter_id == adapter]
    world.checks.expect("versions", expected=[one, two], actual=[row.version for row in rows], rests_on="reported")
    images = len({row.image for row in rows})
    world.checks.expect("images", expected=2, actual=images, rests_on="reported")


def _version_containers(world: World, adapter: AdapterId) -> list[ContainerStarted]:
    """Give the containers that began directly before each question for the version."""
    found: list[ContainerStarted] = []
    last: ContainerStarted | None = None
    for record in world.bench.witness.records:
        if isinstance(record, ContainerStarted):
            last = record
        elif isinstance(record, VersionAsked) and record.adapter == adapter.value and last is not None:
            found.append(last)
    return found
