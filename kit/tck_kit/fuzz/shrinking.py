"""Makes a history shorter and plainer, as long as it shows the same.

Whole projects, issues and kinds of events go first, then spans of events, then what is left is made plainer. How often
that is tried has a bound, so the same history gives the same result on every machine; a limit of time is for engines
that are slow, and gives the plainest history up to then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from tck_driver.bench import Script
from tck_driver.configuration import Binding, ProjectConfig
from tck_driver.stimuli import (
    BindingChanged,
    IssueOpened,
    IssueRetitled,
    PrefixChanged,
    ReviewRequested,
    RunDue,
)
from tck_driver.vocabulary import AdapterId, Phase
from tck_features.history.events import (
    Event,
    IdOverwritten,
    ProjectThere,
    Scripted,
    Sent,
    TimePassed,
    VersionSet,
)
from tck_kit.fuzz.addresses import mailbox_of, place_of, plainer_addresses
from tck_kit.fuzz.trial import Finding

History = tuple[Event, ...]
#: How often a shorter or plainer history is tried.
MOST_TRIES = 600
_TITLE, _LONGEST_PLAIN = "Mend the door", 13
_SECOND = 1_000


@dataclass(slots=True)
class Shrinker:
    """Shrinks one finding. `attempt` plays a history; `stop` says that there is no time left."""

    finding: Finding
    attempt: Callable[[History], Finding | None]
    stop: Callable[[], bool]
    most: int = MOST_TRIES
    tries: int = 0
    _known: set[History] = field(default_factory=set[History])

    def shrink(self) -> Finding:
        """Give the plainest finding of the same kind that was come upon."""
        before: History = ()
        while before != self.finding.events and not self._over():
            before = self.finding.events
            self._drop_groups()
            self._drop_spans()
            while any(self._shows_the_same(one) for one in plainer_addresses(self.finding.events)):
                pass
            self._simplify()
        return self.finding

    def _over(self) -> bool:
        return self.tries >= self.most or self.stop()

    def _shows_the_same(self, events: History) -> bool:
        """Try a history, and keep it where it shows the same. One that was stopped earlier is the shorter for it.

        An issue stays in any case: without one, an engine that does nothing at all would pass.
        """
        if events in self._known or self._over() or not any(map(_opens, events)):
            return False
        self._known.add(events)
        self.tries += 1
        found = self.attempt(events)
        if found is None or found.kind != self.finding.kind:
            return False
        self.finding = found
        return True

    def _drop_groups(self) -> None:
        """Leave out everything that is about one project, one mailbox, or one kind of event."""
        for of in (place_of, mailbox_of, _kind):
            for key in dict.fromkeys(map(of, self.finding.events)):
                if key is not None:
                    self._shows_the_same(tuple(event for event in self.finding.events if of(event) != key))

    def _drop_spans(self) -> None:
        """Leave out spans of events, long ones first, beginning at the end."""
        size = len(self.finding.events) // 2
        while size:
            at = len(self.finding.events) - size
            while at >= 0:
                events = self.finding.events
                self._shows_the_same((*events[:at], *events[at + size :]))
                before = max(0, at - max(1, size // 2))
                at = min(before, len(self.finding.events) - size) if at else -1
            size //= 2

    def _simplify(self) -> None:
        """Put plainer values into the events that are left."""
        for at in range(len(self.finding.events)):
            again = True
            while again and at < len(self.finding.events):
                again = any(self._shows_the_same(one) for one in _plainer_at(self.finding.events, at))


def _plainer_at(events: History, at: int) -> Iterator[History]:
    for plainer in _plainer(events[at]):
        yield (*events[:at], plainer, *events[at + 1 :])


def _opens(event: Event) -> bool:
    return isinstance(event, Sent) and isinstance(event.stimulus, IssueOpened)


def _kind(event: Event) -> str:
    return type(event.stimulus if isinstance(event, Sent) else event).__name__


def _plainer(event: Event) -> Iterator[Event]:  # noqa: C901, PLR0912 -- one case for each kind that can be plainer
    """Give plainer events in the place of one, the plainest first."""
    match event:
        case ProjectThere(project=project):
            yield from map(ProjectThere, _plainer_project(project))
        case Scripted(adapter=adapter, scripts=scripts):
            if len(scripts) > 1:
                yield Scripted(adapter, scripts[:1])
                yield Scripted(adapter, scripts[:-1])
                yield Scripted(adapter, scripts[1:])
            for at, script in enumerate(scripts):
                for plain in _plainer_script(script):
                    yield Scripted(adapter, (*scripts[:at], plain, *scripts[at + 1 :]))
        case TimePassed(milliseconds=milliseconds):
            for shorter in (_SECOND, 60 * _SECOND, 120 * _SECOND, milliseconds // 2):
                if 0 < shorter < milliseconds:
                    yield TimePassed(shorter)
        case Sent(stimulus=IssueOpened() | IssueRetitled() | ReviewRequested() as stimulus):
            for title in _plainer_texts(stimulus.title, _TITLE):
                yield Sent(replace(stimulus, title=title))
        case Sent(stimulus=RunDue(phase=phase) as stimulus) if phase not in {Phase.DEVELOPMENT, Phase.HUMAN_REVIEW}:
            yield Sent(replace(stimulus, phase=Phase.DEVELOPMENT))
        case Sent(stimulus=BindingChanged(binding=binding, phase=phase) as stimulus):
            if binding != Binding(binding.adapter):
                yield Sent(replace(stimulus, binding=Binding(binding.adapter)))
            if phase is not None:
                yield Sent(replace(stimulus, phase=None))
        case Sent(stimulus=PrefixChanged(prefix=prefix) as stimulus):
            for one in _plainer_texts(prefix, "bot-"):
                yield Sent(replace(stimulus, prefix=one))
        case VersionSet(shape=shape) if shape != "plain":
            yield replace(event, shape="plain")
        case IdOverwritten(value=value):
            for one in _plainer_texts(value, "--help"):
                yield replace(event, value=one)
        case _:
            pass


def _plainer_project(project: ProjectConfig) -> Iterator[ProjectConfig]:
    adapters = [binding.adapter for _, binding in project.bindings]
    for adapter in dict.fromkeys(adapters):
        plain = ProjectConfig.of(project.organization, project.name, adapter)
        if plain.bindings != project.bindings and adapter is not AdapterId.API:
            yield replace(project, bindings=plain.bindings)
    if project.branch_prefix != "agent/":
        yield replace(project, branch_prefix="agent/")


def _plainer_script(script: Script) -> Iterator[Script]:
    if script.acts:
        yield replace(script, acts=())
        if len(script.acts) > 1:
            yield replace(script, acts=script.acts[:1])
            yield replace(script, acts=script.acts[1:])
    if script.duration_ms:
        yield replace(script, duration_ms=0)
        if script.duration_ms > _SECOND:
            yield replace(script, duration_ms=_SECOND)
    if script.shape == "odd_id":
        for one in _plainer_texts(script.reported_id or "", "--help"):
            yield replace(script, reported_id=one)
    if script.shape != "ok":
        yield Script("ok", script.duration_ms, acts=script.acts)


def _plainer_texts(text: str, plain: str) -> Iterator[str]:
    if len(text) > 1 or not text.isascii():
        if text != plain:
            yield plain
        if len(text) > _LONGEST_PLAIN:
            yield text[: len(text) // 2]
            yield text[len(text) // 2 :]
            yield text[:-1]
