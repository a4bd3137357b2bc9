"""The first start of a run, and what its row says from then on, held against what was decided of it.

Specification: §7.3, §16.5.2, §16.5.3, §16.6, §22.3.
"""

from __future__ import annotations

from tck_driver.vocabulary import AdapterId
from tck_features.model import blame
from tck_features.model.claims import Claims
from tck_features.model.facts import is_id
from tck_features.model.logbook import Leg, Logbook
from tck_features.model.mailbox import Mailbox, Run
from tck_features.model.scene import Scene

_NOTHING = [None, None, False, None]


class Starts:
    """Checks how runs begin."""

    def __init__(self, scene: Scene, logbook: Logbook, claims: Claims) -> None:
        """Work on what the model has."""
        self._scene = scene
        self._logbook = logbook
        self._claims = claims

    def check(self, box: Mailbox, run: Run, first: Leg | None, *, named: bool) -> None:
        """Check a run that has begun; `named` says that its mailbox had its name before."""
        row, binding, claims = run.row, run.binding, self._claims
        bound = [str(binding.adapter), binding.provider, binding.model]
        held = [row.adapter_id, row.provider, row.model]
        claims.recorded(f"{run}: adapter, provider, model", bound, held, "RECORD-1", "RESUME-6")
        if run.decision.applies and row.session_name is None:
            claims.recorded(f"{run}: the name of its session", "a name", None, *blame.with_session(run), evidence=row)
        if first is None or row.adapter_id == AdapterId.API:
            self._check_container(run, first)
        else:
            self._check_start(box, run, first)
            self._check_container_of(box, run, first)
        if run.decision.applies:
            self._check_row(box, run, named=named)
            self._check_label(box, run, first)
            return
        nothing = [row.session_name, row.native_session_id, row.resumed, row.resume_fallback]
        claims.recorded(
            f"{run}: name, native id, resumed, reason",
            _NOTHING,
            nothing,
            "OFF-7",
            why=lambda: blame.without_session(box, row.adapter_id, self._scene),
        )

    def _check_row(self, box: Mailbox, run: Run, *, named: bool) -> None:
        row, decision, claims = run.row, run.decision, self._claims
        name = row.session_name if row.session_name in box.names else box.names[0]
        claims.recorded(
            f"{run}: session_name",
            name,
            row.session_name,
            "NAME-11",
            "NAME-3" if named else "NAME-1",
            why=lambda: blame.name(box, run, first=not named),
        )
        box.names = (name,)
        if decision.reason is not None:
            claims.recorded(
                f"{run}: reason for a fresh session",
                decision.reason,
                row.resume_fallback,
                "FALLBACK-1",
                *blame.of_reason(decision.reason),
                why=lambda: blame.fresh(box, run),
            )

    def _check_container(self, run: Run, first: Leg | None) -> None:
        """Check that a local agent was started in a container, and in API mode nothing was."""
        local = run.row.adapter_id != AdapterId.API
        ids = ("FALLBACK-11", "RESUME-2") if local else ("OFF-4",)
        statement = f"{run}: its CLI was started"
        self._claims.witnessed(statement, local, first is not None, *ids, evidence=run.row)

    def _check_start(self, box: Mailbox, run: Run, first: Leg) -> None:
        """Check what the CLI was asked for."""
        row, decision, claims, cli = run.row, run.decision, self._claims, first.cli
        shown = " ".join(cli.argv)[:400]
        claims.witnessed(f"{run}: the CLI that was started", row.adapter_id, cli.adapter, "RESUME-2", evidence=shown)
        claims.witnessed(
            f"{run}: the id that its CLI was asked for",
            decision.asked,
            cli.asked_id,
            *_SHOWN[decision.row],
            why=lambda: blame.start(box, run, cli, self._scene),
            evidence=shown,
        )
        if cli.asked_loosely and not is_id(row.adapter_id, cli.asked_id):
            claims.seen(f"{run}: its CLI was asked for a session by its id alone", "RESUME-10", holds=False)
        fresh = decision.applies and decision.asked is None
        if cli.chosen_id is not None and not (fresh and self._is_new(box, cli.chosen_id)):
            ids = ("FALLBACK-3", "FALLBACK-19") if fresh else blame.start(box, run, cli, self._scene)
            claims.seen(f"{run}: an id was chosen for a fresh session only, and a new one", *ids, holds=False)
        if cli.label is not None and not decision.applies:
            ids = blame.without_session(box, row.adapter_id, self._scene)
            claims.witnessed(f"{run}: the label that its CLI was given", None, cli.label, *ids, evidence=shown)

    def _check_label(self, box: Mailbox, run: Run, first: Leg | None) -> None:
        """Check the label, where there is one: a fresh start's is the name (NAME-7)."""
        if first is None or first.cli.label is None:
            return
        name = box.names[0] if run.decision.asked is None else None
        statement = f"{run}: the label that its CLI was given"
        self._claims.witnessed(statement, name, first.cli.label, "NAME-7", why=lambda: blame.label(box))

    def _is_new(self, box: Mailbox, native_id: str) -> bool:
        """Say whether a chosen id is nobody's yet."""
        return all(one.row.native_session_id != native_id for one in box.runs if not one.live)

    def _check_container_of(self, box: Mailbox, run: Run, first: Leg) -> None:
        """Check the container of a run: its session mount, its image, and that its version had been looked up."""
        image, mounted = first.container.image, first.state_dir is not None
        if not image:
            return
        if mounted != run.decision.applies:
            ids: tuple[str, ...] = ("ISOLATE-2",)
            if mounted:
                ids = blame.without_session(box, run.row.adapter_id, self._scene)
            self._claims.witnessed(f"{run}: a state directory is mounted", run.decision.applies, mounted, *ids)
        answers = self._logbook.versions.get((run.row.adapter_id, image), [])
        self._claims.witnessed(
            f"{run}: the image it ran in, and whether its version was looked up before",
            [self._scene.images.get(run.row.adapter_id), True],
            [image, any(answer.position < first.position for answer in answers)],
            "CAPABILITY-7",
        )


#: What the start of a run shows where it is the right one, by the row of §16.5.3 that decided.
_SHOWN: dict[int, tuple[str, ...]] = {
    1: ("RESUME-1",),
    2: ("RESUME-1",),
    3: ("RESUME-1", "OFF-6"),
    4: ("FALLBACK-2",),
    5: ("FALLBACK-3", "FALLBACK-15"),
    6: ("FALLBACK-5", "FALLBACK-15"),
    7: ("FALLBACK-4", "FALLBACK-15"),
    8: ("FALLBACK-20",),
    9: ("RESUME-2", "RESUME-3", "RESUME-10"),
}
