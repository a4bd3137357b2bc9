"""The laws of likeness: what a start without a session, and the second start of a run, have to be like.

The first is a start with a session less all that belongs to it, the second the start of a first run.

Whatever an engine gives its containers besides is its own affair, as long as it gives the same to all that serve one
phase with one binding in one image. Specification: OFF-2 to OFF-6, FALLBACK-19; §16.5.5, §17.2.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tck_features.laws.arguments import WORKSPACE
from tck_features.laws.manuals import MANUALS
from tck_features.laws.runs import Leg, Run, told

if TYPE_CHECKING:
    from tck_features.laws.known import Known

#: Adapter, phase, provider, model, image.
_Group = tuple[str, str, str, str, str]


@dataclass(slots=True)
class _Pattern:
    """What the first start of a group had, and the arguments of the first that was fresh."""

    leg: Leg
    run: Run
    container: dict[str, object]
    arguments: list[str] | None = None
    of: Run | None = None


@dataclass(slots=True)
class _Fresh:
    """The arguments of first runs, and of second starts for which there is none to compare with yet."""

    first: list[str] | None = None
    waiting: list[tuple[Leg, list[str]]] = field(default_factory=list[tuple[Leg, list[str]]])


class Likeness:
    """Holds each start against the first of its kind."""

    def __init__(self, known: Known) -> None:
        """Look at what is known."""
        self._known = known
        self._hold = known.judge
        self._patterns: dict[_Group, _Pattern] = {}
        self._fresh: dict[tuple[object, ...], _Fresh] = {}

    def started(self, leg: Leg) -> None:
        """Check one start."""
        run = leg.run
        if run is None or leg.cli.usage_error is not None:
            return
        row = run.row
        group = (row.adapter_id, row.phase, row.provider, row.model, leg.container.image)
        self._as_without(group, leg, run)
        if run.session and leg.fresh:
            self._as_first(group, leg, run)

    # --- without what belongs to sessions ----------------------------------------------------------------------------

    def _as_without(self, group: _Group, leg: Leg, run: Run) -> None:
        container = self._container(leg, run)
        arguments = self._bare(leg, run) if leg.fresh else None
        pattern = self._patterns.get(group)
        if pattern is None:
            self._patterns[group] = _Pattern(leg, run, container, arguments, run if arguments is not None else None)
            return
        self._hold(
            "environment, mounts and the rest of the container, sessions aside",
            expected=pattern.container,
            actual=container,
            by=self._by(run, pattern.run),
        )
        if arguments is None:
            return
        if pattern.arguments is None or pattern.of is None:
            pattern.arguments, pattern.of = arguments, run
            return
        if run.session and pattern.of.session:
            return
        self._hold(
            "arguments of a fresh start, prompt and sessions aside",
            expected=pattern.arguments,
            actual=arguments,
            by=self._by(run, pattern.of),
            evidence=lambda: told([pattern.leg, leg]),
        )

    def _by(self, run: Run, other: Run) -> tuple[str, ...]:
        """Name the requirement of the one that has no session, or that of the engine without the feature."""
        return run.by if not run.session else other.by if not other.session else ("OFF-2",)

    def _container(self, leg: Leg, run: Run) -> dict[str, object]:
        """Give what a container has, what a session adds aside; without a session everything counts."""
        container = leg.container
        root, place = f"{self._known.root}/", self._known.place
        return {
            "environment": sorted(
                f"{name}={value}"
                for name, value in container.environment
                if not (run.session and name == "OPENCODE_DB")
            ),
            "mounts": sorted(
                f"{mount.target} {'ro' if mount.read_only else 'rw'}"
                f" {'<worktree>' if mount.target == WORKSPACE else mount.source}"
                for mount in container.mounts
                if not (run.session and place(mount.source).startswith(root))
            ),
            "image": container.image,
            "user": container.user,
            "network": container.network,
            "home": container.home,
            "standard input": "<prompt>" if leg.cli.prompt and container.stdin == leg.cli.prompt else container.stdin,
            "root file system read-only": container.read_only_root,
            "labels": sorted(name for name, _ in container.labels),
        }

    def _bare(self, leg: Leg, run: Run) -> list[str]:
        words = _argv(leg)
        manual = MANUALS.get(leg.cli.adapter)
        if not run.session or manual is None:
            return words
        kept: list[str] = []
        value_follows = False
        for word in words:
            if value_follows:
                value_follows = False
            elif word in manual.fresh_options:
                value_follows = True
            elif word.partition("=")[0] not in manual.fresh_options:
                kept.append(word)
        return kept

    # --- the second start as a first one -----------------------------------------------------------------------------

    def _as_first(self, group: _Group, leg: Leg, run: Run) -> None:
        name = run.mailbox.name
        if name is None:
            return
        version = self._known.version(leg)
        manual = MANUALS.get(leg.cli.adapter)
        long = manual is not None and manual.longest_label is not None and len(name) > manual.longest_label
        fresh = self._fresh.setdefault((*group, version, long), _Fresh())
        words: list[str] = []
        for argument in _argv(leg):
            word = argument.replace(name, "<name>")
            words.append(word.replace(leg.cli.chosen_id, "<new id>") if leg.cli.chosen_id else word)
        # Their order says nothing.
        words.sort()
        if leg.number > 1:
            fresh.waiting.append((leg, words))
        elif fresh.first is None:
            fresh.first = words
        if fresh.first is None:
            return
        for waiting, given in fresh.waiting:
            self._hold(
                "arguments of a second start, names and new ids aside, beside those of a first run",
                of=waiting.run.row.run if waiting.run is not None else "",
                expected=fresh.first,
                actual=given,
                by=("FALLBACK-19",),
            )
        fresh.waiting.clear()


def _argv(leg: Leg) -> list[str]:
    prompt = leg.cli.prompt
    words = ["<prompt>" if word == prompt else word for word in leg.cli.argv]
    return [word.replace(f"={prompt}", "=<prompt>") if prompt else word for word in words]
