"""Commands that tell of containers: `ps`, `inspect`, and what `--format` makes of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence

from tck_fakes.container import Container
from tck_fakes.programs.call import Over, Process
from tck_fakes.programs.described import image, inspected, row, status_of
from tck_fakes.programs.job import Job, RefusalError, UnknownError
from tck_fakes.programs.templates import TemplateError, read_template, render
from tck_fakes.programs.values import json_text

_COLUMNS = (
    ("CONTAINER ID", "ID"),
    ("IMAGE", "Image"),
    ("COMMAND", "Command"),
    ("CREATED", "RunningFor"),
    ("STATUS", "Status"),
    ("PORTS", "Ports"),
    ("NAMES", "Names"),
)

_FILTERS: dict[str, Callable[[Container, str], bool]] = {
    "name": lambda live, value: any(re.search(value, name) for name in (live.name, f"/{live.name}")),
    "id": lambda live, value: live.long_id.startswith(value),
    "status": lambda live, value: status_of(live) == value,
    "ancestor": lambda live, value: live.request.image == value,
    "exited": lambda live, value: live.phase == "exited" and str(live.exit_code) == value,
}


def ps(job: Job) -> Process:
    """List containers, the newest first."""
    words = job.words
    whole = words.on("no-trunc")
    asked = [(name, value) for name, _, value in (given.partition("=") for given in words.all("filter"))]
    every = words.on("all") or any(name in ("status", "exited") for name, _ in asked)
    found = [
        live
        for live in reversed(job.runtime.containers())
        if (every or live.phase == "running") and passes(live, asked)
    ]
    now = job.services.clock.now()
    rows = [row(live, now, whole=whole) for live in found]
    style = words.last("format")
    _refuse_broken(style)
    if words.on("quiet") and not style:
        job.done("".join(f"{line['ID']}\n" for line in rows))
    elif style and not style.startswith("table"):
        job.done("".join(f"{rendered(style, line)}\n" for line in rows))
    else:
        job.done(_table(rows, style.removeprefix("table").strip()))
    return Over()


def passes(live: Container, asked: Sequence[tuple[str, str]]) -> bool:
    """Tell whether a container meets the filters: all labels, and one of each other kind."""
    labels = dict(live.request.labels)
    for kind in {name for name, _ in asked}:
        values = [value for name, value in asked if name == kind]
        if kind == "label":
            pairs = [value.partition("=") for value in values]
            fits = all(name in labels and (not equals or labels[name] == value) for name, equals, value in pairs)
        elif kind in _FILTERS:
            fits = any(_FILTERS[kind](live, value) for value in values)
        else:
            raise UnknownError(f"the filter {kind} for containers")
        if not fits:
            return False
    return True


def _refuse_broken(style: str) -> None:
    """Refuse a template that cannot be read, also where there is nothing to show. Raises `RefusalError`."""
    try:
        read_template(style)
    except TemplateError as error:
        if not error.unknown:
            raise RefusalError(f"failed to parse template: {error}") from None


def rendered(style: str, data: object) -> str:
    """Give what a `--format` makes of a document. Raises `RefusalError` and `UnknownError`."""
    if style == "json":
        return json_text(data)
    # The shell leaves a tab or a line's end as two characters; docker reads them.
    style = style.replace("\\t", "\t").replace("\\n", "\n")
    try:
        return render(style, data)
    except TemplateError as error:
        if error.unknown:
            raise UnknownError(f"what the template {style!r} asks for ({error})") from None
        raise RefusalError(f"failed to parse template: {error}") from None


def _table(rows: Iterable[dict[str, object]], style: str) -> str:
    if style:
        heads: dict[str, object] = {name: head for head, name in _COLUMNS}
        heads |= {"State": "STATE", "Labels": "LABELS", "Mounts": "MOUNTS", "Networks": "NETWORKS", "Label": str.upper}
        lines = [rendered(style, data).split("\t") for data in (heads, *rows)]
    else:
        lines = [[head for head, _ in _COLUMNS], *([str(data[name]) for _, name in _COLUMNS] for data in rows)]
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    return "".join(
        "   ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() + "\n"
        for line in lines
    )


def inspect(job: Job) -> Process:
    """Describe containers, and images by their names."""
    kind = "container" if job.name == "container inspect" else job.words.last("type")
    documents: list[object] = []
    missing: list[str] = []
    for reference in job.words.positionals:
        live = None if kind == "image" else job.runtime.look(reference)
        if live is not None:
            documents.append(inspected(live))
        elif kind == "image":
            documents.append(image(reference))
        else:
            missing.append(reference)
    texts = {"": "Error: No such object: {}", "container": "Error response from daemon: No such container: {}"}
    return describe(job, documents, [texts.get(kind, texts[""]).format(reference) for reference in missing])


def describe(job: Job, documents: Sequence[object], faults: Sequence[str]) -> Process:
    """Show documents whole or by a template, then what there are none for."""
    style = job.words.last("format")
    if style:
        text = "".join(f"{rendered(style, document)}\n" for document in documents)
        # A template that finds nothing prints an empty line.
        text = text or "\n"
    else:
        text = json.dumps(documents, indent=4, ensure_ascii=False) + "\n"
    job.channel.out(text)
    for fault in faults:
        job.channel.err(f"{fault}\n")
    job.done(code=1 if faults else 0)
    return Over()
