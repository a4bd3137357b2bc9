"""A PostgreSQL server of the tests' own: in a temporary folder, reached by a socket there, ended by its id."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import pytest
from sqlalchemy import Engine, create_engine
from sqlalchemy.pool import NullPool

#: `guarded` needs a password, everyone else none.
_HBA = "local all guarded scram-sha-256\nlocal all all trust\n"


@dataclass(frozen=True, slots=True)
class Postgres:
    """A server that runs; every test makes a database of its own in it."""

    folder: Path

    def url(self, database: str, user: str = "tck") -> str:
        return f"postgresql+psycopg://{user}@/{database}?host={self.folder}"

    def engine(self, database: str, isolation: Literal["AUTOCOMMIT", "SERIALIZABLE"] = "SERIALIZABLE") -> Engine:
        """Connect as an engine does."""
        utf8 = {"client_encoding": "utf8"}
        return create_engine(self.url(database), poolclass=NullPool, connect_args=utf8, isolation_level=isolation)

    def execute(self, database: str, *statements: str) -> list[Any]:
        """Do as an engine does: each statement by itself, the rows of the last where it has any."""
        engine = self.engine(database, "AUTOCOMMIT")
        rows: list[Any] = []
        with engine.connect() as connection:
            for statement in statements:
                result = connection.exec_driver_sql(statement)
                rows = list(result) if result.returns_rows else []
        return rows

    def fresh(self) -> str:
        """Make an empty database and give its name."""
        name = f"tck_{uuid.uuid4().hex}"
        self.execute("postgres", f"CREATE DATABASE {name}")
        return name


def programs() -> Path | None:
    """Find the folder of `initdb` and `postgres`."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda one: int(one.parent.name), reverse=True)
    return next((one for one in folders if (one / "initdb").is_file() and (one / "postgres").is_file()), None)


def missing() -> str | None:
    """Say what is not there of what a server needs, and how to get it."""
    if find_spec("psycopg") is None:
        return "the Python package psycopg is missing: pip install 'psycopg[binary]'"
    if programs() is None:
        return "a PostgreSQL server is missing: apt-get install postgresql, or put initdb and postgres on PATH"
    return None


@contextmanager
def running() -> Generator[Postgres]:
    """Start a server, and end it. Without what it needs the test is skipped, or fails where TCK_REQUIRE says so."""
    if lack := missing():
        if "postgres" in os.environ.get("TCK_REQUIRE", "").split(","):
            pytest.fail(lack)
        pytest.skip(lack)
    home = programs()
    assert home is not None
    # Not below pytest's folder, which is closed to other users, and too long a path for a socket.
    folder = Path(tempfile.mkdtemp(prefix="tck-pg-"))
    data, log = folder / "data", folder / "log"
    someone = _someone_else(folder)
    try:
        started = subprocess.run(
            [home / "initdb", "-D", data, "-U", "tck", "--auth=trust", "--no-sync", "--locale=C", "-E", "SQL_ASCII"],
            check=False,
            capture_output=True,
            text=True,
            cwd=folder,
            **someone,
        )
        assert started.returncode == 0, started.stderr
        (data / "pg_hba.conf").write_text(_HBA, encoding="ascii")
        with log.open("wb") as output:
            server = subprocess.Popen(
                [
                    *_dying_with_us(),
                    *(home / "postgres", "-D", data, "-k", folder, "-c", "listen_addresses="),
                    *("-c", "fsync=off", "-c", "max_connections=20"),
                ],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=folder,
                **someone,
            )
        try:
            postgres = Postgres(folder)
            _wait(lambda: postgres.execute("postgres", "SELECT 1"), server, log)
            yield postgres
        finally:
            server.send_signal(signal.SIGINT)
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _someone_else(folder: Path) -> dict[str, Any]:
    """As root, which PostgreSQL refuses, name an ordinary user and let the folder be theirs."""
    if os.getuid() != 0:
        return {}
    names = {one.pw_name: one for one in pwd.getpwall()}
    user = names.get("postgres") or names["nobody"]
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _dying_with_us() -> list[str]:
    """Let a server not outlive tests that were killed, where the system can do that."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "INT"] if setpriv else []


def _wait(attempt: Callable[[], object], server: subprocess.Popen[bytes], log: Path) -> None:
    """Try until the server answers."""
    last: Exception | None = None
    for _ in range(600):
        try:
            attempt()
        except Exception as fault:  # noqa: BLE001 -- whatever it is, the server is not up yet
            assert server.poll() is None, log.read_text(errors="replace")
            last = fault
            time.sleep(0.05)
        else:
            return
    pytest.fail(f"PostgreSQL does not answer: {last}\n{log.read_text(errors='replace')}")
