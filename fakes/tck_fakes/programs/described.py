"""The rows of `docker ps`."""

from __future__ import annotations

from datetime import datetime

from tck_fakes.container import Container
from tck_fakes.daemon.described import ago, status_line, status_of

_SHOWN_COMMAND = 20


def row(live: Container, now: datetime, *, whole: bool) -> dict[str, object]:
    """Give a line of `docker ps`, by the names that templates use."""
    request = live.request
    labels = dict(request.labels)
    command = " ".join(request.argv)

    def label(name: object) -> str:
        return labels.get(str(name), "")

    if not whole and len(command) > _SHOWN_COMMAND:
        command = command[: _SHOWN_COMMAND - 1] + "…"
    return {
        "ID": live.long_id if whole else live.id,
        "Names": live.name,
        "Image": request.image,
        "Command": f'"{command}"',
        "CreatedAt": live.created.strftime("%Y-%m-%d %H:%M:%S +0000 UTC"),
        "RunningFor": f"{ago(live.created, now)} ago",
        "Ports": "",
        "State": status_of(live),
        "Status": status_line(live, now),
        "Size": "0B",
        "Labels": ",".join(f"{name}={value}" for name, value in labels.items()),
        "Mounts": ",".join(mount.source for mount in request.mounts),
        "Networks": request.network,
        "LocalVolumes": "0",
        "Label": label,
    }
