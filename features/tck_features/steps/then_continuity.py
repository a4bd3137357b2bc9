"""What stays the same from one run of an issue to the next: its name, its session, and one run at a time."""

from __future__ import annotations

import re
from itertools import pairwise

from tck_driver.bench import Script, Write
from tck_driver.stimuli import MergeRequestEventSent
from tck_driver.views import CounterRow, MailboxRow
from tck_driver.vocabulary import AdapterId, MergeRequestEvent, Phase
from tck_driver.witness import ForgeWrite
from tck_features.sentences import given, then, when
from tck_features.world import STATE_PATHS, Start, World, shown

#: By adapter, an id of the right form that no CLI of a scenario ever gave to a session.
FOREIGN_IDS: dict[AdapterId, str] = {
    AdapterId.CLAUDE_CODE: "0badc0de-1111-4222-8333-444455556666",
    AdapterId.CODEX: "0badc0de-1111-7222-8333-444455556666",
    AdapterId.OPENCODE: "ses_0badc0de00000000000000000A",
    AdapterId.COPILOT: "0badc0de-1111-4222-8333-444455556666",
}

#: Where engines and CLIs are known to keep "the session to go on with"; `{state}` is the session state path.
POINTERS = (
    "{state}/session-id",
    "{state}/session_id",
    "{state}/latest",
    "{state}/last-session.json",
    "{state}/sessions-index.json",
    "{state}/session_index.jsonl",
    "{state}/index.json",
    "{state}/metadata.json",
    "{state}/-workspace/sessions-index.json",
    "/workspace/.session-id",
    "/workspace/.agent-session.json",
    "/workspace/.claude/session-id",
    "/home/agent/.session-id",
)


# --- before ----------------------------------------------------------------------------------------------------------


@given("an issue of the same number and title in another project of the organization")
def a_namesake(world: World) -> None:
    """Add an issue that differs from the first in its project alone."""
    ref = world.ref("the issue")
    project = world.add_project(world.adapter(), ref.organization)
    world.add_party("the twin issue", project, iid=ref.iid, title=world.titles[ref])


@given("at its next start the agent rewrites all it can reach to name another session")
def the_agent_points_elsewhere(world: World) -> None:
    """Leave a newer, foreign session, and every file that an engine could take its next id from (RESUME-4)."""
    adapter = world.adapter()
    text = f'{{"sessionId":"{FOREIGN_IDS[adapter]}","session_id":"{FOREIGN_IDS[adapter]}"}}\n{FOREIGN_IDS[adapter]}\n'
    acts = tuple(Write(path.replace("{state}", STATE_PATHS[adapter]), text) for path in POINTERS)
    world.script(adapter, Script("decoy_beside", acts=acts))


@given("the name of {party} is noted")
def name_noted(world: World, party: str) -> None:
    """Note the branch name that the mailbox has by now."""
    name = _branch_name(world, party)
    world.checks.expect("the mailbox has a branch name", expected=True, actual=bool(name), rests_on="reported")
    world.notes[f"name of {party}"] = name


@given("the mailbox of {party} is noted")
def mailbox_noted(world: World, party: str) -> None:
    """Note state, name and counters."""
    world.notes[f"mailbox of {party}"] = [*_mailbox(world, party)]


@given("the native id on record for the {ordinal} run is noted while it lasts")
def native_id_noted(world: World, ordinal: int) -> None:
    """Note what the row of a live run holds."""
    row = world.row(ordinal)
    world.checks.expect("the run lasts", expected="live", actual=row.outcome, rests_on=world.evidence)
    world.notes["native id"] = row.native_session_id


# --- what happens ----------------------------------------------------------------------------------------------------


@when("the agent's merge request for {party} reports {event}")
def event_of(world: World, party: str, event: MergeRequestEvent) -> None:
    """Send an event of the merge request that the engine opened for one of several issues."""
    ref = world.ref(party)
    opened = [
        write
        for write in world.bench.witness.of(ForgeWrite)
        if write.kind == "merge_request" and write.subject == str(ref)
    ]
    world.checks.expect(
        f"the agent has opened a merge request for {party}", expected=True, actual=bool(opened), rests_on="witnessed"
    )
    world.send(MergeRequestEventSent(ref.organization, ref.project, opened[-1].number or 0, event))


# --- one session, run after run --------------------------------------------------------------------------------------


@then("every run of {party} after the first asked the CLI to resume the session of the run before it")
def chain(world: World, party: str) -> None:
    """Check, run by run, the asked id against the session in which the CLI worked the run before."""
    rows = world.runs_of(party)
    world.checks.expect("there was more than one run", expected=True, actual=len(rows) > 1, rests_on=world.evidence)
    for before, row in pairwise(rows):
        start = world.only_start(row)
        served = _served(world.starts_of(before))
        world.checks.expect(
            "the run before had a session", expected=True, actual=served is not None, rests_on="witnessed"
        )
        world.checks.expect(
            f"the id that the CLI was asked to resume in run {row.run}",
            expected=served,
            actual=start.cli.asked_id,
            rests_on="witnessed",
            evidence=shown([start]),
        )


@then("every run of {party} after the first is recorded as resumed")
def chain_recorded(world: World, party: str) -> None:
    """Check `resumed` of all rows but the first."""
    rows = world.runs_of(party)
    world.checks.expect("there was more than one run", expected=True, actual=len(rows) > 1, rests_on=world.evidence)
    found = [[row.resumed, row.resume_fallback] for row in rows[1:]]
    world.checks.expect(
        "resumed and reason of the later runs",
        expected=[[True, None] for _ in rows[1:]],
        actual=found,
        rests_on=world.evidence,
        evidence=tuple(str(row) for row in rows),
    )


@then("the {ordinal} run asked the CLI to resume the id {string}")
def asked_for_id(world: World, ordinal: int, native_id: str) -> None:
    """Check the id in the arguments of a run's first start."""
    found = world.starts_of(world.row(ordinal))
    world.checks.expect("the CLI was started", expected=True, actual=bool(found), rests_on="witnessed")
    world.checks.expect(
        "the id that the CLI was asked to resume",
        expected=native_id,
        actual=found[0].cli.asked_id,
        rests_on="witnessed",
        evidence=shown(found),
    )


@then("the {ordinal} run of {party} asked the CLI to resume the native id of the {ordinal} run of {party}")
def asked_for_of(world: World, ordinal: int, party: str, earlier: int, owner: str) -> None:
    """Check the asked id of a party's run against the session that a run of a party really had."""
    found = world.starts_of(world.row(ordinal, party))
    world.checks.expect("the CLI was started", expected=True, actual=bool(found), rests_on="witnessed")
    served = _served(world.starts_of(world.row(earlier, owner)))
    world.checks.expect("the earlier run had a session", expected=True, actual=served is not None, rests_on="witnessed")
    world.checks.expect(
        "the id that the CLI was asked to resume",
        expected=served,
        actual=found[0].cli.asked_id,
        rests_on="witnessed",
        evidence=shown(found),
    )


@then("no start of the CLI asked for the most recent session, or for one by name")
def nothing_loose(world: World) -> None:
    """Check the arguments of every start (RESUME-10)."""
    found = world.starts()
    world.checks.expect("the CLI was started", expected=True, actual=bool(found), rests_on="witnessed")
    loose = [" ".join(start.cli.argv)[:400] for start in found if start.cli.asked_loosely]
    world.checks.expect("starts that asked loosely", expected=[], actual=loose, rests_on="witnessed")


@then("the {ordinal} and the {ordinal} run had the same state directory mounted")
def same_directory(world: World, one: int, two: int) -> None:
    """Check that two runs saw one directory of the host."""
    places = [
        sorted({mount.source for start in world.starts_of(world.row(run)) for mount in world.session_mounts(start)})
        for run in (one, two)
    ]
    world.checks.expect("session mounts of the one run", expected=1, actual=len(places[0]), rests_on="witnessed")
    world.checks.expect("session mounts of the other run", expected=places[0], actual=places[1], rests_on="witnessed")


@then("the native id noted is the one of the session that the CLI served in the {ordinal} run")
def noted_id_is_served(world: World, ordinal: int) -> None:
    """Check that the id was on record before the run had ended (RESUME-15)."""
    served = _served(world.starts_of(world.row(ordinal)))
    world.checks.expect(
        "the CLI served a session in this run", expected=True, actual=served is not None, rests_on="witnessed"
    )
    world.checks.expect(
        "the native id on record while the run lasted",
        expected=served,
        actual=world.notes["native id"],
        rests_on=world.evidence,
    )


@then("the {ordinal} run was made with provider {string} and model {string}")
def made_with(world: World, ordinal: int, provider: str, model: str) -> None:
    """Check that a change of binding has taken effect, so that what follows is about that."""
    row = world.row(ordinal)
    world.checks.expect(
        "provider and model", expected=[provider, model], actual=[row.provider, row.model], rests_on=world.evidence
    )


@then("the {ordinal} run of {party} is a(n) {phase} run")
def is_of_phase(world: World, ordinal: int, party: str, phase: Phase) -> None:
    """Check what a run was for."""
    row = world.row(ordinal, party)
    world.checks.expect("phase", expected=phase.value, actual=row.phase, rests_on=world.evidence, evidence=(str(row),))


def _served(starts: list[Start]) -> str | None:
    return starts[-1].answer.session_id if starts and starts[-1].answer else None


# --- one run at a time -----------------------------------------------------------------------------------------------


@then("the CLI was started {int} time(s) for {party}")
def starts_for(world: World, count: int, party: str) -> None:
    """Count the starts of all runs of a party."""
    found = _starts(world, party)
    world.checks.expect(
        f"starts of the CLI for {party}",
        expected=count,
        actual=len(found),
        rests_on="witnessed",
        evidence=shown(found),
    )


@then("no two containers of {party} ran at the same time")
def no_overlap(world: World, party: str) -> None:
    """Check, in the sequence of what was witnessed, that each container had ended when the next one began."""
    found = _starts(world, party)
    world.checks.expect(
        "there was more than one start",
        expected=True,
        actual=len(found) > 1,
        rests_on="witnessed",
        evidence=shown(found),
    )
    order = {id(record): at for at, record in enumerate(world.bench.witness.records)}
    overlaps = [
        f"{two.container.container} began before {one.container.container} had ended"
        for one, two in pairwise(found)
        if one.end is None or order[id(one.end)] > order[id(two.container)]
    ]
    world.checks.expect("containers that ran at the same time", expected=[], actual=overlaps, rests_on="witnessed")


@then("the mailbox of {party} is as it was noted")
def mailbox_unchanged(world: World, party: str) -> None:
    """Check that state, name and counters are those of the note."""
    world.checks.expect(
        "state, name and counters",
        expected=world.notes[f"mailbox of {party}"],
        actual=_mailbox(world, party),
        rests_on="reported",
    )


def _starts(world: World, party: str) -> list[Start]:
    """Give the starts of all runs of a party, in the order in which they happened."""
    mine = {start.cli.container for row in world.runs_of(party) for start in world.starts_of(row)}
    return [start for start in world.starts() if start.cli.container in mine]


def _mailbox(world: World, party: str) -> list[str]:
    ref = world.ref(party)
    rows = [str(row) for row in world.view("mailboxes", MailboxRow) if row.mailbox == ref]
    return rows + [str(row) for row in world.view("counters", CounterRow) if row.mailbox == ref]


# --- one name --------------------------------------------------------------------------------------------------------


@then("the name of {party} is {string}, its number, and the words {string}")
def name_has_words(world: World, party: str, prefix: str, words: str) -> None:
    """Check a name as far as everybody agrees on it: the rules of the slug are NAME-8's, its words are the title's."""
    beginning = f"{prefix}{world.ref(party).iid}-"
    name = _branch_name(world, party) or ""
    recorded = world.row(-1, party).session_name
    world.checks.expect(
        "what the name begins with", expected=beginning, actual=name[: len(beginning)], rests_on="reported"
    )
    world.checks.expect(
        "the words of the name", expected=_letters(words), actual=_letters(name[len(beginning) :]), rests_on="reported"
    )
    if recorded is not None:
        world.checks.expect("session_name", expected=name, actual=recorded, rests_on=world.evidence)


@then("the name of {party} is the one noted")
def name_is_noted(world: World, party: str) -> None:
    """Check that the mailbox still has the name it had."""
    noted = world.notes[f"name of {party}"]
    world.checks.expect("mailboxes.branch_name", expected=noted, actual=_branch_name(world, party), rests_on="reported")


@then("the only branch pushed has the name noted for {party}")
def branch_is_noted(world: World, party: str) -> None:
    """Check what was pushed against the name that the mailbox had before."""
    pushed = sorted({write.text for write in world.bench.witness.of(ForgeWrite) if write.kind == "branch"})
    noted = world.notes[f"name of {party}"]
    world.checks.expect("branches pushed", expected=[noted], actual=pushed, rests_on="witnessed")


@then("every run of {party} has the name of its branch on record")
def rows_have_name(world: World, party: str) -> None:
    """Check every row of a party against its mailbox (NAME-11)."""
    name = _branch_name(world, party)
    rows = world.runs_of(party)
    world.checks.expect("there is a run", expected=True, actual=bool(rows), rests_on=world.evidence)
    world.checks.expect("the mailbox has a branch name", expected=True, actual=bool(name), rests_on="reported")
    world.checks.expect(
        "names on record",
        expected=[name for _ in rows],
        actual=[row.session_name for row in rows],
        rests_on=world.evidence,
        evidence=tuple(str(row) for row in rows),
    )


@then("the issue and the twin issue have the same name on record")
def same_names(world: World) -> None:
    """Check two names byte by byte (NAME-10)."""
    names = [world.row(-1, party).session_name for party in ("the issue", "the twin issue")]
    world.checks.expect("there is a name", expected=True, actual=bool(names[0]), rests_on=world.evidence)
    world.checks.expect("the name of the twin issue", expected=names[0], actual=names[1], rests_on=world.evidence)


@then("no branch was pushed before the tracker showed {party} in development")
def branch_after_label(world: World, party: str) -> None:
    """Check the order of what the tracker saw: the label first, the branch later (NAME-6)."""
    writes = world.bench.witness.of(ForgeWrite)
    subject = str(world.ref(party))
    labels = [
        at
        for at, write in enumerate(writes)
        if (write.kind, write.subject, write.text) == ("label", subject, "status::in_development")
    ]
    branches = [at for at, write in enumerate(writes) if write.kind == "branch"]
    world.checks.expect("a branch was pushed", expected=True, actual=bool(branches), rests_on="witnessed")
    early = [writes[at].text for at in branches if not labels or at < labels[0]]
    world.checks.expect("branches pushed before", expected=[], actual=early, rests_on="witnessed")


@then("the CLI was given the name as its label at the last start of the {ordinal} run")
def last_label(world: World, ordinal: int) -> None:
    """Check the label of a fresh start that came second (NAME-7)."""
    row = world.row(ordinal)
    found = world.starts_of(row)
    world.checks.expect(
        "starts of the CLI in this run", expected=2, actual=len(found), rests_on="witnessed", evidence=shown(found)
    )
    world.checks.expect("there is a name", expected=True, actual=bool(row.session_name), rests_on=world.evidence)
    world.checks.expect("label", expected=row.session_name, actual=found[-1].cli.label, rests_on="witnessed")


@then("the CLI was given no label in the {ordinal} run")
def no_label(world: World, ordinal: int) -> None:
    """Check that a CLI which cannot take the name as its label got none, and no piece of the name either (NAME-7)."""
    start = world.only_start(world.row(ordinal))
    world.checks.expect("label", expected=None, actual=start.cli.label, rests_on="witnessed", evidence=shown([start]))


def _branch_name(world: World, party: str) -> str | None:
    rows = [row for row in world.view("mailboxes", MailboxRow) if row.mailbox == world.ref(party)]
    return rows[-1].branch_name if rows else None


def _letters(text: str) -> str:
    """Give letters and digits alone, in lower case: what is left of a text whatever stands between its words."""
    return re.sub(r"[^a-z0-9]", "", text.lower())
