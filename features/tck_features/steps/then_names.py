"""What the session and the branch are called."""

from __future__ import annotations

import re
import subprocess

from tck_driver.views import MailboxRow
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import ForgeWrite
from tck_features.sentences import then
from tck_features.world import World

#: Of a branch name, in bytes: each part becomes a file name.
LONGEST_PART = 255
#: Specification: NAME-8.
LONGEST_SLUG = 40


@then("the name of {party} is {string}")
def name_is(world: World, party: str, name: str) -> None:
    """Check row, mailbox and, where one was pushed, branch against a name."""
    _named(world, party, name)


@then("the name of {party} is its prefix, {string}, its number and the slug {string}")
def name_is_made_of(world: World, party: str, middle: str, slug: str) -> None:
    """Check a name whose number comes from the seed."""
    ref = world.ref(party)
    prefix = next(one.branch_prefix for one in world.before.projects if one.name == ref.project)
    _named(world, party, f"{prefix}{middle}-{ref.iid}-{slug}" if slug else f"{prefix}{middle}-{ref.iid}")


def _named(world: World, party: str, name: str) -> None:
    row = world.row(-1, party)
    world.checks.expect("session_name", expected=name, actual=row.session_name, rests_on=world.evidence)
    world.checks.expect("mailboxes.branch_name", expected=name, actual=_branch_name(world, party), rests_on="reported")


def _branch_name(world: World, party: str) -> str | None:
    rows = [row for row in world.view("mailboxes", MailboxRow) if row.mailbox == world.ref(party)]
    return rows[-1].branch_name if rows else None


@then("the {ordinal} run has the name of the issue's branch on record")
def row_has_name(world: World, ordinal: int) -> None:
    """Check that the row stores the mailbox's name (NAME-11)."""
    name = _branch_name(world, "the issue")
    world.checks.expect("the mailbox has a branch name", expected=True, actual=name is not None, rests_on="reported")
    world.checks.expect("session_name", expected=name, actual=world.row(ordinal).session_name, rests_on=world.evidence)


@then("every run of {party} has the same name on record")
def one_name(world: World, party: str) -> None:
    """Check that all rows of a party hold one name (NAME-3)."""
    rows = world.runs_of(party)
    world.checks.expect("there was more than one run", expected=True, actual=len(rows) > 1, rests_on=world.evidence)
    names = sorted({str(row.session_name) for row in rows})
    world.checks.expect("names on record", expected=[names[0]], actual=names, rests_on=world.evidence)
    world.checks.expect("there is a name", expected=True, actual=names[0] != "None", rests_on=world.evidence)


@then("the mailbox of {party} has a branch name before any branch is pushed")
def name_before_branch(world: World, party: str) -> None:
    """Check that the name is stored while no branch exists (NAME-2)."""
    world.checks.expect("branches pushed", expected=[], actual=_branches(world), rests_on="witnessed")
    name = _branch_name(world, party)
    world.checks.expect("a branch name is stored", expected=True, actual=bool(name), rests_on="reported")


@then("no branch has been pushed")
def no_branch(world: World) -> None:
    """Check that nothing was pushed (NAME-6)."""
    world.checks.expect("branches pushed", expected=[], actual=_branches(world), rests_on="witnessed")


@then("the only branch pushed has the name on record")
def branch_has_name(world: World) -> None:
    """Check the pushed branch against every row (NAME-6)."""
    names = sorted({str(row.session_name) for row in world.runs_of("the issue")})
    world.checks.expect("branches pushed", expected=names, actual=sorted(set(_branches(world))), rests_on="witnessed")


@then("only one merge request was opened")
def one_merge_request(world: World) -> None:
    """Check that later runs did not open another."""
    opened = [write.text for write in world.bench.witness.of(ForgeWrite) if write.kind == "merge_request"]
    world.checks.expect("merge requests opened", expected=1, actual=len(opened), rests_on="witnessed")


def _branches(world: World) -> list[str]:
    return [write.text for write in world.bench.witness.of(ForgeWrite) if write.kind == "branch"]


@then("the CLI was given the name as its label in the {ordinal} run")
def label_given(world: World, ordinal: int) -> None:
    """Check the label in the arguments (NAME-7)."""
    row = world.row(ordinal)
    start = world.only_start(row)
    world.checks.expect("there is a name", expected=True, actual=bool(row.session_name), rests_on=world.evidence)
    world.checks.expect("label", expected=row.session_name, actual=start.cli.label, rests_on="witnessed")


@then("the name is nowhere in the arguments of the {ordinal} run, prompt aside")
def label_kept(world: World, ordinal: int) -> None:
    """Check that the name stays in the engine (NAME-7)."""
    row = world.row(ordinal)
    start = world.only_start(row)
    name = row.session_name or ""
    world.checks.expect("there is a name", expected=True, actual=bool(name), rests_on=world.evidence)
    prompt = start.cli.prompt
    found = [word for word in start.cli.argv if name in word and prompt not in (word, word.partition("=")[2])]
    world.checks.expect("arguments that hold the name", expected=[], actual=found, rests_on="witnessed")


@then("Git accepts the name of {party} as a branch name")
def git_accepts(world: World, party: str) -> None:
    """Ask Git itself (NAME-9)."""
    name = world.row(-1, party).session_name or ""
    world.checks.expect(
        "the name holds no NUL",
        expected=False,
        actual="\0" in name or not name,
        rests_on=world.evidence,
        evidence=(name,),
    )
    done = subprocess.run(
        ["git", "check-ref-format", "--branch", name], capture_output=True, text=True, check=False, timeout=20
    )
    world.checks.expect(
        "what Git makes of the name",
        expected=[0, name],
        actual=[done.returncode, done.stdout.rstrip("\n")],
        rests_on=world.evidence,
        evidence=(name, done.stderr.strip()),
    )
    parts = [part for part in name.split("/") if len(part.encode()) > LONGEST_PART]
    world.checks.expect("parts longer than a file name may be", expected=[], actual=parts, rests_on=world.evidence)


@then("the slug of {party} has at most 40 characters of a-z, 0-9 and single dashes")
def slug_is_plain(world: World, party: str) -> None:
    """Check the form of what follows the number (NAME-8)."""
    ref = world.ref(party)
    name = world.row(-1, party).session_name or ""
    numbered = f"issue-{ref.iid}" in name
    world.checks.expect("the name holds the number", expected=True, actual=numbered, rests_on=world.evidence)
    rest = name.partition(f"issue-{ref.iid}")[2]
    form = re.fullmatch(r"(?:-[a-z0-9]+(?:-[a-z0-9]+)*)?", rest, re.ASCII)
    world.checks.expect(
        "the slug has its form",
        expected=True,
        actual=form is not None and len(rest) <= 1 + LONGEST_SLUG,
        rests_on=world.evidence,
        evidence=(name,),
    )


@then("the names of the issue and the twin issue differ in the number alone")
def twins(world: World) -> None:
    """Check that the same title gives the same slug (NAME-10)."""
    names: list[str] = []
    for party in ("the issue", "the twin issue"):
        ref = world.ref(party)
        names.append((world.row(-1, party).session_name or "").replace(f"issue-{ref.iid}", "issue-N", 1))
    world.checks.expect(
        "both names hold their number",
        expected=True,
        actual=all("issue-N" in name for name in names),
        rests_on=world.evidence,
    )
    world.checks.expect("names without the number", expected=names[0], actual=names[1], rests_on=world.evidence)


@then("the state directory of {adapter} is named after organization, project, issue and adapter")
def directory_name(world: World, adapter: AdapterId) -> None:
    """Check that the directory is where ISOLATE-1 says, and outside every worktree."""
    state = world.state_dir("the issue", adapter)
    world.checks.expect("the directory exists", expected=True, actual=state.is_dir(), rests_on="witnessed")
    row = world.row(-1)
    mounts = {mount.source for start in world.starts_of(row) for mount in world.session_mounts(start)}
    world.checks.expect("the mounted directory", expected=[str(state)], actual=sorted(mounts), rests_on="witnessed")
    inside = (world.bench.base / ".worktrees") in state.parents
    world.checks.expect("it lies in a worktree", expected=False, actual=inside, rests_on="witnessed")
