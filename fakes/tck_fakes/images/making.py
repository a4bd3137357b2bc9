"""Makes images on a container engine: a root file system is imported, and a layer is laid upon an image.

Neither needs a registry, a builder or a network: `import` takes an archive, and a layer is put into a container that is
made for it, run once where something has to be compiled, and committed. Each of them carries the kit's labels, so that
whatever an interrupted making leaves behind can be told, and is taken away by the next one that begins when the former
can no longer be under way. Labels are handed down to whatever somebody makes of an image, so only a name of the kit's
own says that an image is the kit's.
"""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

from tck_fakes.images.layer import Layer
from tck_fakes.images.missing import MissingPartError

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container

#: On everything that the kit makes; the value says what for.
LABEL = "session-tck.made-for"
#: On containers: the second, in Unix time, after which nobody can need it any more.
UNTIL = "session-tck.until"
#: On images: what of.
KIND = "session-tck.kind"
REPOSITORY = "session-tck"
#: The kind of what is unpacked and not finished: it has a name for as long as somebody makes something of it.
UNPACKED = "unpacked"
#: How the names of the kit's images begin; Podman puts the host before them.
_HOST = "localhost/"
_OURS = (f"{REPOSITORY}/", f"{_HOST}{REPOSITORY}/")
_NAMELESS = "<none>"
#: How many seconds an image stays that newer sources have replaced: another run may have been begun with it.
_STAYS = 86_400
_MAKING_LIMIT = 900
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

Fill = Callable[[Layer], None]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How an image is made of another one: files, and a command that is run once over them."""

    kind: str
    digest: str
    fill: Fill
    command: Sequence[str] = ()
    labels: Mapping[str, str] | None = None

    @property
    def tag(self) -> str:
        """The image's full name."""
        return f"{REPOSITORY}/{self.kind}:{self.digest}"


def labels(purpose: str, seconds: float | None = None) -> dict[str, str]:
    """Give the labels of something that is made for a purpose, and that nobody needs after so many seconds."""
    mine = {LABEL: purpose}
    return mine if seconds is None else {**mine, UNTIL: str(int(time.time() + seconds))}


def there(client: DockerClient, tag: str) -> bool:
    """Tell whether the engine has an image."""
    from docker.errors import ImageNotFound  # noqa: PLC0415 -- an optional package

    try:
        client.images.get(tag)
    except ImageNotFound:
        return False
    return True


def imported(client: DockerClient, tag: str, fill: Fill, described: Mapping[str, str]) -> str:
    """Import a root file system; give the id of the image."""
    repository, _, name = tag.rpartition(":")
    changes = [f"ENV PATH={_PATH}", *(f"LABEL {key}={_quoted(value)}" for key, value in described.items())]
    with _archive(fill) as archive:
        # Its length is known: asked to stream it, the SDK would announce chunks and send none.
        _api(client).import_image(src=archive, repository=repository, tag=name, changes=changes)
    return str(client.images.get(tag).id)


def _api(client: DockerClient) -> Any:  # noqa: ANN401 -- what the SDK knows of these calls, its types do not
    return client.api


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


@contextlib.contextmanager
def _archive(fill: Fill) -> Generator[BinaryIO]:
    """Give what is filled in as an archive, to be read from its beginning."""
    with tempfile.TemporaryFile(prefix="session-tck-") as target:
        layer = Layer(target)
        fill(layer)
        layer.close()
        target.seek(0)
        yield target


def derived(client: DockerClient, parent: str, recipe: Recipe) -> str:
    """Lay a recipe upon an image, unless the engine has the result already; give its name."""
    if there(client, recipe.tag):
        return recipe.tag
    sweep(client)
    discard(client, UNPACKED, age=_MAKING_LIMIT)
    container = client.containers.create(
        parent,
        command=[*(recipe.command or ("/bin/true",))],
        entrypoint="",
        network_mode="none",
        use_config_proxy=False,
        user="0:0",
        working_dir="/",
        # What is run is somebody else's program at times. Without them root still writes what is root's: that is all.
        cap_drop=["ALL"],
        security_opt=["no-new-privileges"],
        # No owner: what is committed would have it too, and hand it down to everybody's containers.
        labels=labels("making", _MAKING_LIMIT),
    )
    try:
        with _archive(recipe.fill) as archive:
            _api(client).put_archive(str(container.id), "/", archive)
        if recipe.command:
            _run(container, recipe)
        repository, _, name = recipe.tag.rpartition(":")
        # Containers have the labels of their image: the time of this one must not be theirs.
        described = {LABEL: "image", UNTIL: "", KIND: recipe.kind, **(recipe.labels or {})}
        changes = [
            *(f"LABEL {key}={_quoted(value)}" for key, value in described.items()),
            'CMD ["/bin/sh"]',
            "ENTRYPOINT []",
            "USER 1000:1000",
            "WORKDIR /workspace",
        ]
        _api(client).commit(str(container.id), repository=repository, tag=name, changes=changes)
    finally:
        container.remove(force=True, v=True)
    discard(client, recipe.kind, recipe.tag, _STAYS)
    return recipe.tag


def _run(container: Container, recipe: Recipe) -> None:
    from docker.errors import APIError  # noqa: PLC0415 -- an optional package

    try:
        container.start()
        code = container.wait(timeout=_MAKING_LIMIT)["StatusCode"]
    except APIError as fault:
        said, code = str(fault.explanation or fault), None
    else:
        said = container.logs(tail=3).decode("utf-8", "replace").strip() if code else ""
    if code != 0:
        what = " | ".join(said.splitlines())[-300:]
        raise MissingPartError(
            f"the image for {recipe.kind} cannot be made: {what}",
            "give a base image that has Python 3.11 or newer: --base python:3.13-slim",
        )


def sweep(client: DockerClient) -> int:
    """Remove containers that the kit made and that nobody can need any more; give their number."""
    gone = 0
    for container in client.containers.list(all=True, ignore_removed=True, filters={"label": [LABEL, UNTIL]}):
        until = container.labels.get(UNTIL, "")
        if until.isdigit() and int(until) < time.time():
            with contextlib.suppress(Exception):  # somebody else may be at the same
                container.remove(force=True, v=True)
                gone += 1
    return gone


def _ours(image: Mapping[str, Any], kind: str | None) -> Sequence[str]:
    """Give by what an image can be taken: the kit's own names, or its id where nobody has given it any name."""
    tags = [str(tag) for tag in image["RepoTags"] or () if not str(tag).startswith(_NAMELESS)]
    if tags:
        begins = tuple(f"{each}{kind}:" for each in _OURS) if kind else _OURS
        return [tag for tag in tags if tag.startswith(begins)]
    # One that was made twice at once has lost its name to the other. One that was pulled by its digest never had a tag.
    digests = [str(digest) for digest in image.get("RepoDigests") or ()]
    theirs = [digest for digest in digests if not digest.startswith((_NAMELESS, *_OURS))]
    labelled: Mapping[str, str] = image["Labels"]
    mine = kind is None or labelled.get(KIND) == kind
    return [str(image["Id"])] if mine and not theirs else []


def discard(
    client: DockerClient, kind: str | None = None, keep: str = "", age: float = 0
) -> tuple[int, tuple[str, ...]]:
    """Remove the kit's images, of one kind or of all, but for one to keep and those younger than `age` seconds.

    Gives the number of those removed, and the names of those that a container still has. Whoever is made of another
    goes first. A name that somebody else gave stays, and so does an image that has no other.
    """
    from docker.errors import APIError, ImageNotFound  # noqa: PLC0415 -- an optional package

    removed, used = 0, list[str]()
    # As a plain list: asked for one by one, an image that somebody else removes at this moment would be an error.
    found: list[dict[str, Any]] = _api(client).images(filters={"label": LABEL})
    for image in sorted(found, key=lambda each: int(each["Created"]), reverse=True):
        for name in _ours(image, kind):
            if name.removeprefix(_HOST) == keep or time.time() - int(image["Created"]) < age:
                continue
            try:
                client.images.remove(name)
                removed += 1
            except ImageNotFound:
                continue
            except APIError:
                used.append(name)
    return removed, tuple(used)
