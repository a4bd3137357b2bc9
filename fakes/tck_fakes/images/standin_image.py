"""The image of the stand-in CLIs, and the base that every image of the kit begins with."""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tck_fakes.images import packages
from tck_fakes.images.entries import COMPILE, PLACE, PROGRAMS, put_program, put_sources
from tck_fakes.images.layer import Layer
from tck_fakes.images.making import KIND, LABEL, REPOSITORY, UNPACKED, Recipe, derived, imported, there
from tck_fakes.images.missing import MissingPartError
from tck_fakes.images.sources import digest, sources

if TYPE_CHECKING:
    from docker import DockerClient

#: Goes up when the recipe of the base changes in a way that its words do not show.
_RECIPE = "1"
_NEEDED = "import hashlib, http.server, json, socket, sqlite3, sys, tomllib; assert sys.version_info >= (3, 11)"
_INSIDE = "tck_fakes.docker.inside"


def base(client: DockerClient, given: str | None = None) -> str:
    """Give the image that others are made of: Debian packages, or an image that the user gave."""
    return _of_packages(client) if given is None else _given(client, given)


def _of_packages(client: DockerClient) -> str:
    system = packages.release()
    command = ("/usr/bin/sh", "-c", f"{packages.SETTLE} && {COMPILE} /usr/lib/python3* && python3 -c '{_NEEDED}'")
    key = digest(_RECIPE, system, " ".join((*packages.NEEDED, packages.CERTIFICATES, *command)))
    finished = Recipe("base", key, lambda _layer: None, command)
    if there(client, finished.tag):
        return finished.tag
    with tempfile.TemporaryDirectory(prefix=f"session-tck-{os.getpid()}-packages-") as folder:
        archives = packages.fetch(Path(folder))
        held = " ".join(archive.name.rpartition("_")[0] for archive in archives)
        described = {LABEL: "image", KIND: UNPACKED, "session-tck.packages": held}
        # A name of our own: somebody else may be making the same, and take it away under that name.
        tag = f"{REPOSITORY}/{UNPACKED}:{key}-{secrets.token_hex(4)}"
        imported(client, tag, lambda layer: packages.unpack(archives, layer), described)
    try:
        return derived(client, tag, finished)
    finally:
        # The layers stay, since the finished image has them.
        client.images.remove(tag, noprune=True)


def _given(client: DockerClient, name: str) -> str:
    """Make sure that an image which the user gave is there and has what is needed, and give it an ordinary user."""
    from docker.errors import APIError, ImageNotFound  # noqa: PLC0415 -- an optional package

    try:
        image = client.images.get(name)
    except ImageNotFound:
        try:
            client.images.pull(*_reference(name))
            image = client.images.get(name)
        except APIError as fault:
            said = str(fault.explanation or fault).splitlines()[0][:200]
            what = f"the image {name} is not here and cannot be pulled ({said})"
            raise MissingPartError(what, "load it, or name another with --base") from fault
    key = digest(_RECIPE, str(image.id))
    return derived(client, name, Recipe("base", key, _folders, ("/bin/sh", "-c", f"python3 -c '{_NEEDED}'")))


def _reference(name: str) -> tuple[str, str]:
    """Take a name apart; without a tag, Docker's own default is meant and not all tags."""
    repository, colon, tag = name.rpartition(":")
    return (repository, tag) if colon and "/" not in tag else (name, "latest")


def _folders(layer: Layer) -> None:
    layer.folder("home/agent", 0o755, 1000)
    layer.folder("workspace", 0o755, 1000)


def standins(client: DockerClient, given: str | None = None) -> str:
    """Give the name of the image with the stand-ins for all CLIs, making it first where it is not there."""
    parent = base(client, given)
    ours = sources()

    def fill(layer: Layer) -> None:
        put_sources(layer, ours)
        for program in PROGRAMS:
            put_program(layer, program, f"a stand-in for {program}, no agent", _INSIDE, program)

    key = digest(parent, ours, " ".join(PROGRAMS))
    return derived(client, parent, Recipe("standins", key, fill, ("/bin/sh", "-c", f"{COMPILE} {PLACE}")))
