"""The process that an engine starts in place of a program: it tells the kit's socket what it was given, and obeys.

`python -X utf8 -I -S client.py SOCKET PROGRAM [ARGUMENT...]`, from the scripts that `install` writes. An engine starts
one for every container, so it loads three small modules and nothing else, and speaks lines that need no JSON reader.

To the kit, one JSON object a line: the call; `{"stdin": text}` once it is asked for; `{"input": text}` for each piece
of standard input as it comes where that is asked for, empty at its end; `{"signal": number}`; `{"shown": 1}` for each
text once it has been written. From the kit: `out N` or `err N` and N bytes after the line's end, `stdin`, `input`,
`exit N`.
"""

import os
import select
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    import socket
else:
    # What those two are made of: loading them whole would nearly double the time that a start takes.
    import _signal as signal
    import _socket as socket

#: What a program exits with where the kit cannot be reached, as docker does without its daemon.
UNREACHABLE = 125
#: How long an agent CLI waits for the first byte on a standard input that nobody closes.
PATIENCE_SECONDS = 3.0
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_BLOCK = 65_536
_ESCAPES = {number: f"\\u{number:04x}" for number in (*range(32), ord('"'), ord("\\"), 127)}


def quoted(text: str) -> str:
    """Give a text as JSON."""
    return '"' + text.translate(_ESCAPES) + '"'


def line(*pairs: tuple[str, str]) -> bytes:
    """Give a JSON object from keys and values that are JSON already, as one line."""
    inside = ",".join(f"{quoted(key)}:{value}" for key, value in pairs)
    return ("{" + inside + "}\n").encode("utf-8", "surrogateescape")


def call(program: str, argv: list[str]) -> bytes:
    """Give the line that tells what this process was given."""
    try:
        cwd = os.getcwd()  # noqa: PTH109 -- pathlib is not loaded here
    except OSError:
        cwd = os.environ.get("PWD", "/")
    environment = ",".join(f"{quoted(name)}:{quoted(value)}" for name, value in os.environ.items())
    return line(
        ("program", quoted(program)),
        ("argv", "[" + ",".join(map(quoted, argv)) + "]"),
        ("cwd", quoted(cwd)),
        ("environment", "{" + environment + "}"),
        ("terminal", "true" if os.isatty(0) else "false"),
        ("user", quoted(f"{os.getuid()}:{os.getgid()}")),
    )


def show(descriptor: int, data: bytes) -> None:
    """Write everything; a reader who has gone away misses it."""
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        return


class Client:
    """One conversation with the kit."""

    def __init__(self, link: socket.socket, program: str, signalled: list[int]) -> None:
        self.link = link
        self.program = program
        self.signalled = signalled
        self.received = b""
        #: Whether standard input is being read, what came of it, and when reading ends if nothing comes.
        self.reads = False
        self.stdin = b""
        #: Whether it is handed over in pieces, as it comes, to a program that holds a dialogue.
        self.pieces = False
        self.code = -1

    def run(self, wake: int) -> int:
        """Go on until the kit says the end, and give the exit code."""
        while self.code < 0:
            watched = [self.link.fileno(), wake, *([0] if self.reads else [])]
            waits_for_all = self.reads and not self.pieces and self.program != "docker"
            patience = PATIENCE_SECONDS if waits_for_all and not self.stdin else None
            ready, _, _ = select.select(watched, [], [], patience)
            if wake in ready:
                os.read(wake, _BLOCK)
            while self.signalled:
                self.send(line(("signal", str(self.signalled.pop(0)))))
            if self.reads and (0 in ready or not ready):
                self.read_stdin(os.read(0, _BLOCK) if ready else b"")
            if self.link.fileno() in ready:
                self.take()
        return self.code

    def send(self, data: bytes) -> None:
        """Send; that the kit has gone is noticed when its next word does not come."""
        try:
            self.link.sendall(data)
        except OSError:
            return

    def read_stdin(self, data: bytes) -> None:
        """Hand over what came, at once or all of it at its end."""
        self.reads = bool(data)
        if self.pieces:
            self.send(line(("input", quoted(data.decode("utf-8", "surrogateescape")))))
            return
        self.stdin += data
        if not data:
            self.send(line(("stdin", quoted(self.stdin.decode("utf-8", "surrogateescape")))))

    def take(self) -> None:
        """Receive, and do all that has been received in full."""
        try:
            data = self.link.recv(_BLOCK)
        except OSError:
            data = b""
        if not data:
            show(2, f"session-tck: the test kit is gone, and {self.program} with it\n".encode())
            self.code = UNREACHABLE
            return
        self.received += data
        while self.code < 0 and b"\n" in self.received:
            head, _, rest = self.received.partition(b"\n")
            word, _, number = head.partition(b" ")
            if word in (b"out", b"err"):
                size = int(number)
                if len(rest) < size:
                    return
                show(1 if word == b"out" else 2, rest[:size])
                rest = rest[size:]
                self.send(line(("shown", "1")))
            elif word in (b"stdin", b"input"):
                self.reads, self.pieces = True, word == b"input"
            else:
                self.code = int(number)
            self.received = rest


def end(program: str, code: int) -> None:
    """End as the program did: a CLI that died from a signal does so here too."""
    if program != "docker" and code > 128:  # noqa: PLR2004 -- 128 and the signal's number
        number = code - 128
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(code)


def main() -> None:
    """Connect, and let the kit decide."""
    path, program, *argv = sys.argv[1:]
    for descriptor in range(3):
        # One that was closed would be the number of the socket or of a pipe next.
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    wake, waker = os.pipe()
    os.set_blocking(waker, False)
    signalled: list[int] = []
    for number in SIGNALS:
        signal.signal(number, lambda got, _frame: signalled.append(got))
    signal.set_wakeup_fd(waker)
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        link.connect(path)
    except OSError as error:
        reason = f"no test kit answers at {path} ({error.strerror}); run the engine from session-tck"
        show(2, f"session-tck's stand-in for {program}: {reason}\n".encode("utf-8", "surrogateescape"))
        end("docker", UNREACHABLE)
    client = Client(link, program, signalled)
    client.send(call(program, argv))
    end(program, client.run(wake))


if __name__ == "__main__":
    main()
