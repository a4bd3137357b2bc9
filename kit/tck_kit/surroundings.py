"""What a run's engine met, in the words of its report: real parts, or the kit's stand-ins for them.

A verdict over stand-ins is worth what their likeness is worth, so every report names the real parts that had no share.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy.engine import make_url

from tck_fakes.docker.held import UNDONE
from tck_kit.engine_choice import Confined, EngineChoice
from tck_reports.records import NotExercised, Surroundings

#: What the kit's own containers and databases are called where nothing real stands in their place.
STAND_IN, SQLITE = "stand-in", "SQLite"

_NO_CONTAINERS = NotExercised("a real container engine", "session-tck run --runtime docker")
_NO_CLIS = NotExercised("the agents' own CLIs", "session-tck probe all; session-tck containers prove all")
_NO_SERVER = NotExercised("a database server", "session-tck run --database postgresql+psycopg://… --workers 1")
_NO_CLOSURE = "to be cut off"
_NO_ROWS = NotExercised("the engine's own database", "session-tck run --observe-db URL")


def met(
    choice: EngineChoice, *, database: str | None, containers: str = STAND_IN, enforced: bool = False
) -> Surroundings:
    """Say what an engine met.

    `database` is the URL given for the simulator; `containers` names the engine used; `enforced` says that it really
    started some, and closed each as it was asked to.
    """
    if choice.confined is not None:
        return _of_peer(choice.confined)
    if choice.policy is not None:
        return Surroundings(
            containers="none",
            clis="stand-ins",
            database="none",
            not_exercised=(NotExercised(_NO_CLIS.part, "session-tck probe all"),),
        )
    real = containers != STAND_IN
    shown, lack = _database(choice, database)
    lacking = (None if real else _NO_CONTAINERS, _NO_CLIS, lack)
    return Surroundings(
        containers=containers,
        isolation="enforced" if real and enforced else "recorded",
        clis="stand-ins",
        database=shown,
        not_exercised=tuple(one for one in lacking if one is not None),
    )


def _of_peer(confined: Confined) -> Surroundings:
    """Say what an engine met that is none of mailboxes: it starts CLIs itself, on this machine, and no containers."""
    left = confined.open_to
    # One reason for all of them is the rule.
    why = "; ".join(dict.fromkeys(left.values()))
    uncut = NotExercised(f"{_NO_CLOSURE} from: {', '.join(left)}", why) if left else None
    return Surroundings(
        containers="none",
        clis="stand-ins",
        database="the engine's, not looked into",
        not_exercised=tuple(one for one in (NotExercised(_NO_CLIS.part, "session-tck probe all"), uncut) if one),
    )


def enforced(started: int, reasons: Iterable[str | None]) -> bool:
    """Tell whether isolation was seen to hold: an option is no evidence, and one container that was left open is some.

    `started` counts the real containers; `reasons` are those of all checks.
    """
    return started > 0 and not any(UNDONE in reason for reason in reasons if reason is not None)


def _database(choice: EngineChoice, given: str | None) -> tuple[str, NotExercised | None]:
    """Name the database that rows were read from, and what is missing of one."""
    if not choice.simulated:
        if choice.observed is None:
            return "the engine's, not looked into", _NO_ROWS
        return f"the engine's, read through {_kind(choice.observed.url)}", None
    if given is None:
        return SQLITE, _NO_SERVER
    kind = _kind(given)
    return kind, _NO_SERVER if kind == SQLITE else None


def _kind(url: str) -> str:
    name = make_url(url).get_backend_name()
    return {"sqlite": SQLITE, "postgresql": "PostgreSQL", "mysql": "MySQL", "mariadb": "MariaDB"}.get(name, name)
