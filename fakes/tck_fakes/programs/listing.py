"""Commands that tell of containers: `ps`, `inspect`, and what `--format` makes of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from tck_fakes.daemon.described import image, inspected
from tck_fakes.daemon.errors import DaemonError, UnknownError
from tck_fakes.daemon.filters import check_filters, passes
from tck_fakes.programs.call import Over, Process
from tck_fakes.programs.described import row
from tck_fakes.programs.job import Job, RefusalError
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


def ps(job: Job) -> Process:
    """List containers, the newest first."""
    words = job.words
    whole = words.on("no-trunc")
    asked = [(name, value) for name, _, value in (given.partition("=") for given in words.all("filter"))]
    try:
        check_filters(asked)
    except DaemonError as error:
        raise RefusalError(f"Error response from daemon: {error}") from None
    every = words.on("all") or any(name in ("status", "exited") for name, _ in asked)
    found = [
        live
        for live in reversed(job.runtime.containers())
        if (every or live.phase == "running") and passes(live, asked)
    ]
    now = job.daemon.clock.now()
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
            documents.append(inspected(live, job.daemon.bodies.get(live.id)))
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
