"""What people do: with issues, with settings, bindings and prefixes, and with the images of the CLIs."""

from __future__ import annotations

from tck_driver.configuration import Binding, SettingScope
from tck_driver.stimuli import (
    BindingChanged,
    InstallationChanged,
    IssueBlocked,
    IssueClosed,
    IssueDeleted,
    IssueReopened,
    IssueRetitled,
    IssueRetry,
    PrefixChanged,
    ReconcileDue,
    SettingChanged,
)
from tck_driver.vocabulary import ISSUE_PHASES, AdapterId, Closing, Phase
from tck_features.history.events import RemovalBlocked, Sent, TimePassed, TrackerSet, VersionSet
from tck_kit.fuzz import stock
from tck_kit.fuzz.author import Author, due, happening, has_ended
from tck_kit.fuzz.scene import Scene
from tck_kit.fuzz.stock import Pick


def _runs(scene: Scene) -> bool:
    return not scene.refused and bool(scene.bindings)


@happening(possible=_runs)
def an_issue_is_opened(author: Author, pick: Pick) -> None:
    """Assign another issue to the agent, and let it run."""
    before = len(author.scene.mailboxes)
    author.open_one(pick)
    if len(author.scene.mailboxes) > before:
        author.happen(due(tuple(author.scene.mailboxes)[-1], pick.of(ISSUE_PHASES)))


@happening()
def an_issue_is_retitled(author: Author, pick: Pick) -> None:
    """Change a title, before or after the first run."""
    author.happen(Sent(IssueRetitled(pick.of(author.scene.issues()), pick.title())))


@happening()
def an_issue_ends(author: Author, pick: Pick) -> None:
    """End an issue, perhaps in the middle of a run, and perhaps sweep."""
    ref = pick.of(author.scene.issues())
    if pick.chance(25):
        adapter = author.scene.binding(ref, Phase.DEVELOPMENT).adapter
        author.script(adapter, *pick.scripts(adapter))
        author.happen(due(ref, Phase.DEVELOPMENT))
    gone = pick.chance(20)
    author.happen(Sent(IssueDeleted(ref) if gone else IssueClosed(ref, pick.of(tuple(Closing)))))
    if pick.chance(30):
        author.happen(Sent(ReconcileDue()))


@happening()
def everything_ends(author: Author, pick: Pick) -> None:
    """End every issue, sweep, and let a day go by: nothing is left then, and nothing more happens by itself."""
    for ref in author.scene.issues():
        author.happen(Sent(IssueClosed(ref, pick.of(tuple(Closing)))))
    author.happen(Sent(ReconcileDue()), TimePassed(stock.DAY))


@happening(possible=has_ended)
def an_issue_is_reopened(author: Author, pick: Pick) -> None:
    """Open an issue again that had ended, and let it run."""
    ref = pick.of(author.scene.issues(open_=False))
    if author.scene.mailboxes[ref].answer != "normal":
        author.happen(TrackerSet(ref, "normal"))
    if author.happen(Sent(IssueReopened(ref))):
        author.happen(*(due(ref, phase) for phase in pick.some(ISSUE_PHASES, 1, 2)))


@happening()
def an_issue_is_blocked_or_retried(author: Author, pick: Pick) -> None:
    """Block an issue, or let a human retry one that is blocked."""
    blocked = [ref for ref in author.scene.issues() if author.scene.mailboxes[ref].status == "blocked"]
    if blocked and pick.chance(80):
        author.happen(Sent(IssueRetry(pick.of(blocked))))
        return
    ref = pick.of(author.scene.issues())
    author.happen(Sent(IssueBlocked(ref)))
    if pick.chance(50):
        author.happen(TimePassed(pick.of((stock.MINUTE, stock.DAY))))
    author.happen(Sent(IssueRetry(ref)))


@happening()
def a_directory_cannot_be_removed(author: Author, pick: Pick) -> None:
    """End an issue whose directory cannot be removed, and let it be removed later."""
    held = [ref for ref, box in author.scene.mailboxes.items() if box.held]
    if held and pick.chance(70):
        author.happen(RemovalBlocked(pick.of(held), blocked=False), Sent(ReconcileDue()))
        return
    ref = pick.of(author.scene.issues())
    author.happen(due(ref, Phase.ANALYSIS), RemovalBlocked(ref))
    author.happen(Sent(IssueClosed(ref, pick.of(tuple(Closing)))), Sent(ReconcileDue()))


@happening()
def a_prefix_changes(author: Author, pick: Pick) -> None:
    """Change a branch prefix, to one that can be used or to one that cannot."""
    prefix = pick.of(stock.PREFIXES if pick.chance(60) else stock.REFUSED_PREFIXES)
    author.happen(Sent(PrefixChanged(*pick.of(tuple(author.scene.bindings)), prefix)))


@happening()
def a_binding_changes(author: Author, pick: Pick) -> None:
    """Bind a phase or a project to another adapter, or to another model of the same, and let a run follow."""
    ref = pick.of(author.scene.issues())
    adapter = pick.of(author.scene.abilities.adapters)
    if pick.chance(30):
        adapter = author.scene.binding(ref, Phase.DEVELOPMENT).adapter
    model = pick.of((("provider-a", "model-a"), ("provider-b", "model-b")))
    phase = pick.of(ISSUE_PHASES) if pick.chance(40) else None
    author.happen(Sent(BindingChanged(ref.organization, ref.project, Binding(adapter, *model), phase)))
    author.happen(due(ref, phase or pick.of(ISSUE_PHASES)))


@happening()
def a_setting_changes(author: Author, pick: Pick) -> None:
    """Change a setting, to a value that is one or to one that is none, and let a run follow."""
    ref = pick.of(author.scene.issues())
    if pick.chance(20):
        known = stock.STORED if author.scene.rests() and pick.chance(50) else stock.UNUSABLE
        author.happen(Sent(SettingChanged("instance", "", "", *pick.of(known))))
        return
    value = pick.of(stock.ACCEPTED if pick.chance(70) else stock.REFUSED)
    scope: SettingScope = "project" if pick.chance(60) else "organization"
    project = ref.project if scope == "project" else ""
    author.happen(Sent(SettingChanged(scope, ref.organization, project, stock.SETTING, value)))
    author.happen(due(ref, pick.of(ISSUE_PHASES)))


@happening()
def an_image_is_installed(author: Author, pick: Pick) -> None:
    """Install another image with another version, or one that cannot be read, or an earlier one; let a run follow."""
    run, _, adapter = author.run(pick)
    if adapter is AdapterId.API:
        adapter = pick.of(author.scene.abilities.local)
    before = author.images.setdefault(adapter, [])
    if before and pick.chance(25):
        image, version = pick.of(before)
    else:
        image = f"runner-{adapter}:{len(before) + 2}"
        version = VersionSet(adapter, pick.of(stock.VERSIONS[adapter]), pick.of(stock.VERSION_SHAPES))
        before.append((image, version))
    author.happen(version, Sent(InstallationChanged(adapter, image)), run)
