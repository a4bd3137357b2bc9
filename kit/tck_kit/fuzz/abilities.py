"""What an engine and its driver can be asked, so that nothing is drawn that they have declined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tck_driver.bench import Shape
from tck_driver.messages import stimulus_type
from tck_driver.stimuli import STIMULUS_TYPES, BindingChanged, InstallationChanged, Stimulus
from tck_driver.vocabulary import AdapterId
from tck_features.history.events import (
    Event,
    IdOverwritten,
    ProjectThere,
    Released,
    RemovalBlocked,
    Restarted,
    Scripted,
    Sent,
    TimePassed,
    VersionSet,
)
from tck_kit.faults import UsageFault

#: Shapes of a CLI that ends only when time passes or somebody lets it go.
HANGS: frozenset[Shape] = frozenset({"hang", "hang_early"})
#: What has to be there for anything to happen.
_NEEDED = ("sessions", "stimulus.issue.opened", "stimulus.run.due")
#: What a history makes use of where it is there.
_OPTIONAL = (
    "mailbox.merge_request",
    *(f"adapter.{adapter}" for adapter in AdapterId),
    *(f"stimulus.{name}" for name in STIMULUS_TYPES),
    "control.clock",
    "control.kill",
    "control.overwrite",
)


@dataclass(frozen=True)
class Abilities:
    """What is supported; `observed` says that the engine's own database can be read, `guards` that folders can be held.

    The kit holds a folder so that nobody can remove it; on some machines it cannot.
    """

    capabilities: Mapping[str, str]
    observed: bool = True
    guards: bool = True

    @cached_property
    def adapters(self) -> tuple[AdapterId, ...]:
        """The adapters that can be bound."""
        return tuple(adapter for adapter in AdapterId if self.has(f"adapter.{adapter}"))

    @cached_property
    def local(self) -> tuple[AdapterId, ...]:
        """Those of them that have a CLI."""
        return tuple(adapter for adapter in self.adapters if adapter is not AdapterId.API)

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """What is never drawn, as it was declined or cannot be done here."""
        declined = [name for name in _OPTIONAL if not self.has(name)]
        if self.observed and "control.overwrite" in declined:
            declined.remove("control.overwrite")
        return (*declined, *(() if self.guards else ("folders that cannot be removed",)))

    def has(self, capability: str) -> bool:
        """Say whether it is declared as supported."""
        return self.capabilities.get(capability) == "supported"

    def refuse_too_few(self) -> None:
        """Raise `UsageFault` where there is nothing left that could happen, or nothing that could be seen of it."""
        missing = [name for name in _NEEDED if not self.has(name)]
        if not self.local:
            missing.append("an adapter with a CLI")
        if not (self.observed or self.has("view.sessions")):
            missing.append("view.sessions, or --observe-db")
        if missing:
            raise UsageFault(
                f"the engine does not support {', '.join(missing)}", "fuzz", "without that no history can be followed"
            )

    def allow(self, event: Event) -> bool:
        """Say whether nothing of an event was declined."""
        return all(self.has(name) for name in self._needs(event)) and self._can(event)

    def _can(self, event: Event) -> bool:
        if isinstance(event, RemovalBlocked):
            return self.guards
        if isinstance(event, IdOverwritten):
            return self.observed or self.has("control.overwrite")
        return True

    def _needs(self, event: Event) -> Iterator[str]:
        match event:
            case ProjectThere(project=project):
                yield from {f"adapter.{binding.adapter}" for _, binding in project.bindings}
            case Sent(stimulus=stimulus):
                yield from _needs_of(stimulus)
            case Scripted(adapter=adapter, scripts=scripts):
                yield f"adapter.{adapter}"
                if any(script.duration_ms or script.shape in HANGS for script in scripts):
                    yield "control.clock"
            case VersionSet(adapter=adapter, shape=shape):
                yield f"adapter.{adapter}"
                if shape == "hang":
                    yield "control.clock"
            case TimePassed() | Released():
                yield "control.clock"
            case Restarted():
                yield "control.kill"
            case _:
                pass


def _needs_of(stimulus: Stimulus) -> Iterator[str]:
    yield f"stimulus.{stimulus_type(stimulus)}"
    mailbox = getattr(stimulus, "mailbox", None)
    if mailbox is not None and mailbox.kind == "merge_request":
        yield "mailbox.merge_request"
    if isinstance(stimulus, BindingChanged):
        yield f"adapter.{stimulus.binding.adapter}"
    if isinstance(stimulus, InstallationChanged):
        yield f"adapter.{stimulus.adapter}"
