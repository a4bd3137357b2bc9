"""Stands where Cyrus's service stands: answers its calls, and lets a turn come to what its prompt says.

`python cyrus_stub.py SETTINGS.json`. A prompt that holds the word `fail` shows an error, `quiet` shows nothing, `die`
ends the process, `busy` never comes to rest. Issues and sessions outlive it, in the file that the settings name.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

SETTINGS = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
KEPT = Path(SETTINGS["tracker"])
_EMPTY = '{"issues": {}, "sessions": {}, "busy": false}'
STATE: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8") if KEPT.exists() else _EMPTY)


def show(session: str, *activities: tuple[str, str]) -> None:
    shown = STATE["sessions"][session]["activities"]
    shown.extend(
        {"id": f"a{len(shown) + n}", "type": kind, "content": text} for n, (kind, text) in enumerate(activities)
    )


def turn(session: str, text: str) -> None:
    show(session, ("thought", "Using model: stub"))
    if "die" in text:
        print("it is dying", flush=True)  # noqa: T201 -- the service's log is its standard output
        os._exit(7)
    STATE["busy"] = "busy" in text
    if "fail" in text:
        show(session, ("error", f"Nothing came of: {text}"))
    elif "quiet" not in text:
        taking_up = os.environ.get("CYRUS_RESUME_ACROSS_SESSIONS", "no")
        show(session, ("response", f"Done in {Path.cwd().name}, taking up: {taking_up}"))


def call(method: str, params: dict[str, str]) -> object:
    if method == "createIssue":
        number = f"issue-{len(STATE['issues']) + 1}"
        STATE["issues"][number] = params
        return {"issue": {"id": number}}
    if method == "startSession":
        number = f"session-{len(STATE['sessions']) + 1}"
        STATE["sessions"][number] = {"issue": params["issueId"], "activities": []}
        turn(number, STATE["issues"][params["issueId"]]["title"])
        return {"session": {"sessionId": number}}
    if method == "promptSession":
        turn(params["sessionId"], params["message"])
    if method == "terminateIssue":
        for number, session in STATE["sessions"].items():
            if session["issue"] == params["issueId"]:
                show(number, ("response", "Stopped."))
    if method == "viewSession":
        return {"activities": STATE["sessions"][params["sessionId"]]["activities"]}
    return {}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._say({"status": "busy" if STATE["busy"] else "idle"})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            came: dict[str, object] = {"result": call(asked["method"], asked["params"])}
        except KeyError as unknown:
            came = {"error": {"code": -32000, "message": f"there is no {unknown}"}}
        # Before it is answered: whoever has the answer may end this process.
        KEPT.write_text(json.dumps(STATE), encoding="utf-8")
        self._say({"jsonrpc": "2.0", "id": 1, **came})

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the name that the base class has
        del format, args

    def _say(self, answer: object) -> None:
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
HTTPServer(("127.0.0.1", SETTINGS["port"]), Handler).serve_forever()
