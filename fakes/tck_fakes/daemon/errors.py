"""The ways in which the daemon does not do what is asked."""

from __future__ import annotations

#: The exit code of docker's own errors, as its command gives it.
REFUSED = 125
#: What a shell adds to a signal's number for the exit code of a process that died from it.
SIGNALLED = 128
#: What each text about something that the stand-in lacks begins with, so that nobody takes it for docker's.
UNKNOWN = "session-tck's stand-in for docker does not know"
#: What it says of a further command in a container.
EXEC = (
    "docker exec\nsession-tck's stand-in for docker runs no further command in a container: give the agent's command "
    "to `docker run` itself, so that what it is given can be witnessed"
)


class DaemonError(Exception):
    """The daemon refuses, with this status of its API and in its own words; `code` is what `docker run` ends with."""

    def __init__(self, status: int, text: str, code: int = REFUSED) -> None:
        super().__init__(text)
        self.status = status
        self.code = code


class UnknownError(Exception):
    """Real docker may do what is asked, and the stand-in does not: the kit's lack, and no fault of the engine's."""
