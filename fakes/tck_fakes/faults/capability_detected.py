"""Faults of what is detected: which version is installed, what may be made of it, and how long that is believed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tck_driver.vocabulary import AdapterId
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.inside import first, store_of, then
from tck_fakes.faults.register import Real, fault
from tck_simulator import detection, resolution, run
from tck_simulator.adapters.base import Adapter, read_version
from tck_simulator.adapters.copilot import Copilot
from tck_simulator.adapters.opencode import OpenCode
from tck_simulator.detection import Detection
from tck_simulator.engine import Engine
from tck_simulator.live import LiveRun
from tck_simulator.ports import ContainerRuntime
from tck_simulator.resolution import Situation
from tck_simulator.rows import Installation
from tck_simulator.run import RunSequence
from tck_simulator.store import Store
from tck_simulator.versions import Version


def _detected(sabotage: Sabotage, change: Callable[[Adapter, Detection], Detection]) -> None:
    """Change what is made of a version command."""

    def make(real: Real) -> Real:
        def detect(adapter: Adapter, image: str, runtime: ContainerRuntime) -> Detection:
            return change(adapter, real(adapter, image, runtime))

        return detect

    sabotage.replace(run, "detect", make)


# --- CAPABILITY-2: only what is verified -----------------------------------------------------------------------------


def _verified(sabotage: Sabotage, holds: Callable[[Adapter, Version, Version], bool]) -> None:
    """Decide in another way whether a version is verified: adapter, installed version, oldest verified one."""

    def change(adapter: Adapter, found: Detection) -> Detection:
        if found.version is None or adapter.verified_from is None:
            return found
        return Detection(found.version, resumable=holds(adapter, found.version, adapter.verified_from), reason=None)

    _detected(sabotage, change)


@fault(
    "declared-is-enough",
    "CAPABILITY-2",
    Kind.MISSING_EFFECT,
    "takes every version of an adapter that declares for able",
)
def _declared_is_enough(sabotage: Sabotage) -> None:
    def holds(adapter: Adapter, _installed: Version, _oldest: Version) -> bool:
        return adapter.capability.resumable_sessions

    _verified(sabotage, holds)


@fault("oldest-left-out", "CAPABILITY-2", Kind.WRONG_VALUE, "takes the oldest verified version for unable")
def _oldest_left_out(sabotage: Sabotage) -> None:
    def holds(_adapter: Adapter, installed: Version, oldest: Version) -> bool:
        return installed > oldest

    _verified(sabotage, holds)


@fault("pre-release-counts", "CAPABILITY-2", Kind.WRONG_VALUE, "takes a pre-release for its release")
def _pre_release_counts(sabotage: Sabotage) -> None:
    def holds(_adapter: Adapter, installed: Version, oldest: Version) -> bool:
        return (installed.major, installed.minor, installed.patch) >= (oldest.major, oldest.minor, oldest.patch)

    _verified(sabotage, holds)


@fault(
    "verified-as-text", "CAPABILITY-2", Kind.WRONG_VALUE, "compares installed and verified versions letter by letter"
)
def _verified_as_text(sabotage: Sabotage) -> None:
    def holds(_adapter: Adapter, installed: Version, oldest: Version) -> bool:
        one, two = ((str(it.major), str(it.minor), str(it.patch), it.release) for it in (installed, oldest))
        return one >= two

    _verified(sabotage, holds)


@fault(
    "known-versions-only",
    "CAPABILITY-2",
    Kind.WRONG_SCOPE,
    "takes every version but the oldest verified one for unable",
)
def _known_versions_only(sabotage: Sabotage) -> None:
    def holds(_adapter: Adapter, installed: Version, oldest: Version) -> bool:
        return installed == oldest

    _verified(sabotage, holds)


@fault("opencode-too-early", "CAPABILITY-2", Kind.WRONG_VALUE, "takes opencode for able before it was verified")
def _opencode_too_early(sabotage: Sabotage) -> None:
    sabotage.replace(OpenCode, "verified_from", lambda _: Version(1, 15, 0))


@fault("copilot-too-late", "CAPABILITY-2", Kind.WRONG_VALUE, "takes the first verified versions of copilot for unable")
def _copilot_too_late(sabotage: Sabotage) -> None:
    sabotage.replace(Copilot, "verified_from", lambda _: Version(1, 0, 80))


@fault(
    "last-version-printed",
    "CAPABILITY-2",
    Kind.WRONG_VALUE,
    "takes the last version that a CLI prints for the installed one",
)
def _last_version_printed(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def read(stdout: str) -> Version | None:
            found = [read_version(word) for word in reversed(stdout.split())]
            return next((version for version in found if version is not None), None) if real(stdout) else None

        return read

    sabotage.replace(detection, "read_version", make)


# --- CAPABILITY-4: what cannot be read -------------------------------------------------------------------------------


@fault(
    "unreadable-is-able", "CAPABILITY-4", Kind.WRONG_VALUE, "takes a version that it cannot read for one that resumes"
)
def _unreadable_is_able(sabotage: Sabotage) -> None:
    def change(adapter: Adapter, found: Detection) -> Detection:
        able = found.version is None and adapter.capability.resumable_sessions
        return Detection(None, resumable=True, reason=None) if able else found

    _detected(sabotage, change)


@fault("waits-a-minute", "CAPABILITY-4", Kind.WRONG_MOMENT, "waits a minute for a version command")
def _waits_a_minute(sabotage: Sabotage) -> None:
    sabotage.replace(detection, "TIME_LIMIT_MS", lambda _: 60_000)


@fault("last-reading-kept", "CAPABILITY-4", Kind.ONCE, "believes the last version that it could read of an adapter")
def _last_reading_kept(sabotage: Sabotage) -> None:
    read: dict[AdapterId, Detection] = {}

    def change(adapter: Adapter, found: Detection) -> Detection:
        if found.version is not None:
            read[adapter.id] = found
        return read.get(adapter.id, found)

    _detected(sabotage, change)


@fault("one-hangs-none-resumes", "CAPABILITY-4", Kind.WRONG_SCOPE, "takes no adapter for able once one cannot be read")
def _one_hangs_none_resumes(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def add(store: Store, found: Sequence[Installation]) -> None:
            unread = any(row.version is None for row in found)
            real(store, [replace(row, resumable_sessions=row.resumable_sessions and not unread) for row in found])

        return add

    sabotage.replace(Store, "add_installations", make)


# --- CAPABILITY-5: older than what wrote the session -----------------------------------------------------------------


def _compared(sabotage: Sabotage, older: Callable[[Version, Version], bool]) -> None:
    """Decide in another way whether the installed version is older than the one that wrote the session."""

    def bad(situation: Situation) -> bool:
        wrote = next(run.version for run in situation.prior if run.adapter is situation.adapter and run.native_id)
        return not situation.verified or (
            wrote is not None and situation.version is not None and older(situation.version, wrote)
        )

    _version_bad(sabotage, bad)


def _version_bad(sabotage: Sabotage, bad: Callable[[Situation], bool]) -> None:
    def make(reasons: Sequence[tuple[object, Callable[[Situation], bool]]]) -> object:
        return tuple((reason, bad if holds.__name__ == "_version_bad" else holds) for reason, holds in reasons)

    sabotage.replace(resolution, "REASONS", make)


@fault(
    "older-version-resumes", "CAPABILITY-5", Kind.MISSING_EFFECT, "lets an older version resume what a newer one wrote"
)
def _older_version_resumes(sabotage: Sabotage) -> None:
    def older(_installed: Version, _wrote: Version) -> bool:
        return False

    _compared(sabotage, older)


@fault("older-by-numbers", "CAPABILITY-5", Kind.WRONG_VALUE, "takes two pre-releases of one version for equal")
def _older_by_numbers(sabotage: Sabotage) -> None:
    def older(installed: Version, wrote: Version) -> bool:
        return (installed.major, installed.minor, installed.patch) < (wrote.major, wrote.minor, wrote.patch)

    _compared(sabotage, older)


@fault("older-as-text", "CAPABILITY-5", Kind.WRONG_VALUE, "compares installed and writing version letter by letter")
def _older_as_text(sabotage: Sabotage) -> None:
    def older(installed: Version, wrote: Version) -> bool:
        return str(installed) < str(wrote)

    _compared(sabotage, older)


@fault(
    "newer-starts-over", "CAPABILITY-5", Kind.EXTRA_EFFECT, "lets no version resume but the one that wrote the session"
)
def _newer_starts_over(sabotage: Sabotage) -> None:
    def older(installed: Version, wrote: Version) -> bool:
        return installed != wrote

    _compared(sabotage, older)


def _own_versions(situation: Situation) -> list[Version]:
    return [run.version for run in situation.prior if run.adapter is situation.adapter and run.version is not None]


@fault(
    "first-writer-counts", "CAPABILITY-5", Kind.ONCE, "compares with the version that wrote the issue's first session"
)
def _first_writer_counts(sabotage: Sabotage) -> None:
    def bad(situation: Situation) -> bool:
        wrote = _own_versions(situation)
        older = bool(wrote) and situation.version is not None and situation.version < wrote[-1]
        return not situation.verified or older

    _version_bad(sabotage, bad)


@fault(
    "newest-writer-counts", "CAPABILITY-5", Kind.WRONG_SCOPE, "compares with the newest version that ever ran the issue"
)
def _newest_writer_counts(sabotage: Sabotage) -> None:
    def bad(situation: Situation) -> bool:
        wrote = _own_versions(situation)
        older = bool(wrote) and situation.version is not None and situation.version < max(wrote)
        return not situation.verified or older

    _version_bad(sabotage, bad)


@fault(
    "unknown-writer-refused",
    "CAPABILITY-5",
    Kind.WRONG_VALUE,
    "takes an unknown version for newer than the installed one",
)
def _unknown_writer_refused(sabotage: Sabotage) -> None:
    def bad(situation: Situation) -> bool:
        wrote = next(run.version for run in situation.prior if run.adapter is situation.adapter and run.native_id)
        return not situation.verified or wrote is None or (situation.version is not None and situation.version < wrote)

    _version_bad(sabotage, bad)


# --- CAPABILITY-7: bound to the image --------------------------------------------------------------------------------


@fault("detected-once", "CAPABILITY-7", Kind.ONCE, "looks into the first image of an adapter, and into no later one")
def _detected_once(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def installed(store: Store, adapter: AdapterId) -> tuple[str, Installation | None] | None:
            found: tuple[str, Installation | None] | None = real(store, adapter)
            known = [row for row in store.installations() if row.adapter_id == adapter]
            return (found[0], replace(known[0], image=found[0])) if found is not None and known else found

        return installed

    sabotage.replace(Store, "installed", make)


@fault("detected-after-the-run", "CAPABILITY-7", Kind.WRONG_MOMENT, "looks into a new image after the first run in it")
def _detected_after_the_run(sabotage: Sabotage) -> None:
    ran: set[str] = set()

    def begun(_sequence: RunSequence, live: LiveRun) -> None:
        ran.add(live.image)

    def make(real: Real) -> Real:
        def installation(sequence: RunSequence, adapter: Adapter) -> Installation:
            image = store_of(sequence).images()[adapter.id]
            known = [row for row in store_of(sequence).installations() if row.adapter_id == adapter.id]
            if image in ran or not known or known[-1].image == image:
                found: Installation = real(sequence, adapter)
                return found
            return replace(known[-1], image=image)

        return installation

    sabotage.replace(RunSequence, "_start", then(begun))
    sabotage.replace(RunSequence, "installation", make)


@fault(
    "new-image-for-all",
    "CAPABILITY-7",
    Kind.WRONG_SCOPE,
    "takes what it found in a new image for true of every adapter",
)
def _new_image_for_all(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def installed(store: Store, adapter: AdapterId) -> tuple[str, Installation | None] | None:
            found: tuple[str, Installation | None] | None = real(store, adapter)
            if found is None or found[1] is None:
                return found
            rows = store.installations()
            renewed = sum(row.adapter_id == rows[-1].adapter_id for row in rows) > 1
            able = rows[-1].resumable_sessions if renewed else found[1].resumable_sessions
            return found[0], replace(found[1], resumable_sessions=able)

        return installed

    sabotage.replace(Store, "installed", make)


@fault(
    "image-forgotten-at-restart", "CAPABILITY-7", Kind.WRONG_MOMENT, "goes by an adapter's first image after a restart"
)
def _image_forgotten_at_restart(sabotage: Sabotage) -> None:
    starts: list[Engine] = []

    def started(engine: Engine) -> None:
        starts.append(engine)

    def make(real: Real) -> Real:
        def installed(store: Store, adapter: AdapterId) -> tuple[str, Installation | None] | None:
            found: tuple[str, Installation | None] | None = real(store, adapter)
            known = [row for row in store.installations() if row.adapter_id == adapter]
            return (known[0].image, known[0]) if len(starts) > 1 and known else found

        return installed

    sabotage.replace(Engine, "begin", first(started))
    sabotage.replace(Store, "installed", make)
