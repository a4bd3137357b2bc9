"""`session-tck model-server`: a model server for trying out an agent CLI, or an engine that calls a model itself."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tck_fakes.modelserver.faults import MEANING, read_faults
from tck_kit.faults import UsageFault
from tck_reports.outcomes import ExitCode

if TYPE_CHECKING:
    from tck_fakes.modelserver.server import ModelServer

_FAULTS = "\n".join(["\b", "Faults:", *(f"  {name:<9} {meaning}" for name, meaning in MEANING.items())])


@click.command("model-server", epilog=_FAULTS)
@click.option("--port", type=click.IntRange(0, 65535), help="The port of loopback to listen on.  [default: a free one]")
@click.option("--socket", type=click.Path(path_type=Path), help="Listen at this unix socket, not at a port.")
@click.option("--log", type=click.Path(path_type=Path), help="Append a JSON line for each request for an answer.")
@click.option(
    "--fault",
    "given",
    multiple=True,
    metavar="NAME[=COUNT]",
    help="Fail the next COUNT turns so, or without a count everything from then on. Can be given again.",
)
def model_server(port: int | None, socket: Path | None, log: Path | None, given: tuple[str, ...]) -> int:
    """Serve a model that knows nothing, in the protocols of the vendors, until it is interrupted.

    It speaks Anthropic Messages, OpenAI Responses and OpenAI Chat Completions, streaming and not, on 127.0.0.1 alone.
    Any key and any model will do. Each answer says what prompts were heard, so that it shows whether a resumed session
    sent its history: "Heard 2 prompts: tck-0a1b2c3d tck-4e5f6071. Digest …" for prompts that carry such marks, and the
    beginning of their SHA-256 for others. Of a key, the log has a digest and nothing more.

    Exit code: 0 ended by Ctrl-C or SIGTERM, 2 usage.
    """
    if port is not None and socket is not None:
        raise UsageFault("a port and a socket are both given", "--socket", "give one of them")
    try:
        always, script = read_faults(given)
    except ValueError as fault:
        raise UsageFault(str(fault), "--fault", "see --help for what each one is") from None
    with _served(port, socket, log) as server:
        server.script(*script)
        server.always(always)
        with contextlib.suppress(KeyboardInterrupt):
            click.echo(server.url)
            threading.Event().wait()
    return ExitCode.CONFORMANT


def _served(port: int | None, socket: Path | None, log: Path | None) -> ModelServer:
    from tck_fakes.modelserver.server import ModelServer  # noqa: PLC0415 -- help is there sooner without it

    if log is not None:
        try:
            log.open("a", encoding="ascii").close()
        except OSError as fault:
            raise UsageFault(fault.strerror or str(fault), f"--log {log}", "name a file that can be written") from None
    try:
        return ModelServer(port=port or 0, socket=socket, log=log)
    except OSError as fault:
        where = f"--socket {socket}" if socket is not None else f"--port {port or 0}"
        raise UsageFault(fault.strerror or str(fault), where, "name another one, or end who has it") from None
