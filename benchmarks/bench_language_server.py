"""What the language server takes from an edit to its findings, beside what the first check of the same text takes.

One server and one client, over standard streams, as an editor has them: a document of 160 KB is opened, then words are
typed into places all over it, and from each change to the findings of that version is measured. The first check in the
same server and `session-tck check` as a process stand beside the median. Times depend on the machine; the ratios are
what to compare.

    python benchmarks/bench_language_server.py [--size KB] [--edits N] [--document FILE]
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Any, cast

import psutil
from bench_check import Author

SERVER = (sys.executable, "-m", "tck_kit.command_line", "lsp")
CHECK = (sys.executable, "-m", "tck_kit.command_line", "check", "--no-mermaid")
#: What a change may take, in milliseconds.
TARGET = 150


class Client:
    """As little of a client as there can be, so that the time is the server's."""

    def __init__(self, server: subprocess.Popen[bytes]) -> None:
        """Take the streams of a server."""
        self._input = cast("IO[bytes]", server.stdin)
        self._output = cast("IO[bytes]", server.stdout)

    def send(self, method: str, params: object, identifier: int | None = None) -> None:
        """Send a request or a notification."""
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        body = json.dumps(message if identifier is None else {**message, "id": identifier}).encode()
        self._input.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._input.flush()

    def read(self) -> dict[str, Any]:
        """Return the next message."""
        length = 0
        while line := self._output.readline().strip():
            name, _, value = line.partition(b":")
            if name == b"Content-Length":
                length = int(value)
        return cast("dict[str, Any]", json.loads(self._output.read(length)))

    def findings(self, version: int) -> int:
        """Wait for the findings of a version; return how many there are."""
        while True:
            message = self.read()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["version"] == version:
                return len(message["params"]["diagnostics"])


def main() -> None:
    """Measure, and print."""
    options = argparse.ArgumentParser(description="measure the language server")
    options.add_argument("--size", type=int, default=160, help="kilobytes of a written document")
    options.add_argument("--edits", type=int, default=20)
    options.add_argument("--document", type=Path, help="a document to take instead of a written one")
    asked = options.parse_args()
    text = asked.document.read_text(encoding="utf-8") if asked.document else Author(1).document(asked.size * 1000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "specification.md"
        path.write_text(text, encoding="utf-8")
        process = _process(path)
        cold, warm, processor, found = _session(path, text, asked.edits)
    median = statistics.median(warm)
    print(f"{len(text.encode()) / 1000:.0f} kB, {len(text.splitlines())} lines, {found} findings, {asked.edits} edits")
    print(f"first check in the server  {cold * 1000:7.0f} ms")
    print(f"session-tck check          {process * 1000:7.0f} ms, the whole process")
    print(f"an edit, the median        {median * 1000:7.0f} ms (from {min(warm) * 1000:.0f} to {max(warm) * 1000:.0f})")
    print(f"of that, on a processor    {processor / asked.edits * 1000:7.0f} ms, the mean")
    print(f"ratios: {cold / median:.1f} to the first check, {process / median:.1f} to the process")
    print(f"the aim is {TARGET} ms: {'reached' if median * 1000 < TARGET else 'MISSED'}")


def _process(path: Path) -> float:
    started = time.perf_counter()
    subprocess.run((*CHECK, str(path)), stdout=subprocess.DEVNULL, check=False, cwd=path.parent)
    return time.perf_counter() - started


def _session(path: Path, text: str, edits: int) -> tuple[float, list[float], float, int]:
    """Return the seconds of the first check, of each edit, and of all edits on a processor; and the findings left."""
    uri = path.as_uri()
    with subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        client = Client(server)
        client.send("initialize", {"processId": None, "rootUri": path.parent.as_uri(), "capabilities": {}}, 1)
        client.read()
        client.send("initialized", {})
        started = time.perf_counter()
        document = {"uri": uri, "languageId": "markdown", "version": 1, "text": text}
        client.send("textDocument/didOpen", {"textDocument": document})
        found = client.findings(1)
        cold = time.perf_counter() - started
        lines = text.split("\n")
        prose = [number for number, line in enumerate(lines) if len(line) > 60 and line[:1].isalpha()]
        warm: list[float] = []
        times = psutil.Process(server.pid).cpu_times()
        for edit in range(edits):
            place = {"line": prose[(edit * 7919) % len(prose)], "character": 0}
            # Nobody types at once into the check that is under way.
            time.sleep(0.1)
            started = time.perf_counter()
            change = {"range": {"start": place, "end": place}, "text": ("Word ", "See §99.9. ", "A `b` c ")[edit % 3]}
            versioned = {"uri": uri, "version": edit + 2}
            client.send("textDocument/didChange", {"textDocument": versioned, "contentChanges": [change]})
            found = client.findings(edit + 2)
            warm.append(time.perf_counter() - started)
        now = psutil.Process(server.pid).cpu_times()
        client.send("shutdown", None, 2)
        while client.read().get("id") != 2:
            pass
        client.send("exit", None)
        server.wait()
    return cold, warm, now.user + now.system - times.user - times.system, found


if __name__ == "__main__":
    main()
