"""A driver that is sane, in as few lines as will do, and what can be done to it to make it insane in one way."""

from __future__ import annotations

import sys
from pathlib import Path

from tck_kit.engine_choice import EngineChoice

#: It supports everything, and its engine does nothing.
SANE = """\
import json, os, subprocess, sys, time

def answer(method, params):
    if method == "initialize":
        fit(params, "capabilities", list)
        return {
            "protocol": 1,
            "driver": {"name": "small", "version": "1.0.0"},
            "implementation": {"name": "idle", "version": "1.0.0", "language": "python"},
            "capabilities": {name: "supported" for name in params["capabilities"]},
            "clock": "virtual",
        }
    if method == "scenario/open":
        return {"refused": None}
    if method == "scenario/close":
        return {"leaks": []}
    if method == "stimulus/send":
        return {"run": None, "outcome": None, "error": None}
    if method == "clock/advance":
        return {"now": params["now"]}
    if method == "barrier/quiesce":
        fit(params, "deadline_ms", int)
        return {"idle": True, "pending": []}
    if method == "state/query":
        return {"rows": rows(params["view"])}
    if method == "engine/kill":
        return {}
    if method == "engine/start":
        return {"refused": None}
    if method == "shutdown":
        return {}
    raise Fault(-32601, "no such method")

def rows(view):
    mailbox = {"organization": "acme", "project": "shop", "kind": "issue", "iid": 7}
    return [{"mailbox": mailbox, "llm_retries": 0, "fix_attempts": 0}] if view == "counters" else []

class Fault(Exception):
    def fields(self):
        return dict(zip(("code", "message", "data"), self.args))

def fit(params, name, kind):
    if not isinstance(params.get(name), kind):
        raise Fault(-32602, name)

def handle(line):
    try:
        message = json.loads(line)
    except ValueError:
        return {"id": None, "error": {"code": -32700, "message": "no JSON"}}
    if not isinstance(message, dict) or "method" not in message:
        return {"id": None, "error": {"code": -32600, "message": "no request"}}
    if "id" not in message:
        return None
    try:
        return {"id": message["id"], "result": answer(message["method"], message["params"])}
    except Fault as fault:
        return {"id": message["id"], "error": fault.fields()}

def main():
    for line in sys.stdin:
        said = handle(line)
        if said is not None:
            print(json.dumps({"jsonrpc": "2.0", **said}), flush=True)
        if '"shutdown"' in line:
            break

main()
"""

INITIALIZE = '    if method == "initialize":\n'
OPEN = '    if method == "scenario/open":\n        return {"refused": None}'
CLOSE = '        return {"leaks": []}'
SEND = '        return {"run": None, "outcome": None, "error": None}'
QUIESCE = '        return {"idle": True, "pending": []}'
CAPABILITIES = '{name: "supported" for name in params["capabilities"]}'
KILL = '    if method == "engine/kill":\n        return {}'
SHUTDOWN = '    if method == "shutdown":\n        return {}'
ENDING = "            break\n"
LAST = "main()\n"
ROWS = '"llm_retries": 0, '

#: Old text, new text, the check that names it, words of what it says.
BAD: dict[str, tuple[str, str, str, str]] = {
    "answers initialize with an error": (
        INITIALIZE,
        INITIALIZE + '        raise Fault(-32603, "no database")\n',
        "start",
        "error -32603: no database",
    ),
    "ends at once": ("import json, os", "import nonsense, json, os", "start", "ModuleNotFoundError"),
    "has no clock": ('            "clock": "virtual",\n', "", "introduction", "'clock' is a required property"),
    "has a strange word for support": (
        CAPABILITIES,
        CAPABILITIES.replace('"supported"', '"yes"'),
        "introduction",
        "'yes' is not one of",
    ),
    "speaks another protocol": ('"protocol": 1', '"protocol": 2', "protocol", "protocol 2"),
    "says that it is at rest too early": (
        '        return {"run": None, "outcome": None, "error": None}\n',
        (
            "        asked = 'sleep 0.2; docker run --rm runner:1 claude --version'\n"
            "        if params['type'] == 'run.due':\n"
            "            subprocess.Popen(['sh', '-c', asked], stdout=2)\n"
            '        return {"run": None, "outcome": None, "error": None}\n'
        ),
        "rest",
        "more things that the kit saw",
    ),
    "is built from a branch": ('"idle", "version": "1.0.0"', '"idle", "version": "HEAD"', "version", "'HEAD'"),
    "drives from a branch": ('"small", "version": "1.0.0"', '"small", "version": "latest"', "version", "driver"),
    "answers for what nobody asked": (
        CAPABILITIES,
        f'{{**{CAPABILITIES}, "view.moon": "supported"}}',
        "capabilities",
        "view.moon",
    ),
    "has a clock that cannot be set": ('"virtual"', '"wall"', "clock kind", "the machine's own"),
    "takes any method": ('raise Fault(-32601, "no such method")', "return {}", "unknown method", "the result '{}'"),
    "has another error for unknown methods": ("-32601", "-32603", "unknown method", "-32603"),
    "ends at an unknown method": (
        'raise Fault(-32601, "no such method")',
        "sys.exit(3)",
        "unknown method",
        "exit code 3",
    ),
    "takes any params": ('        fit(params, "deadline_ms", int)\n', "", "params", "deadline_ms"),
    "has another error for params": ("raise Fault(-32602, name)", "raise Fault(-32600, name)", "params", "-32600"),
    "ends at params that do not fit": ("        raise Fault(-32602, name)", "        return", "params", "KeyError"),
    "ends at what is no JSON": ("    except ValueError:", "    except TypeError:", "no JSON", "JSONDecodeError"),
    "does not answer what is no JSON": (
        '        return {"id": None, "error": {"code": -32700, "message": "no JSON"}}',
        "        return None",
        "no JSON",
        "not answered",
    ),
    "makes an id up for what is no JSON": (
        '{"id": None, "error": {"code": -32700',
        '{"id": "0", "error": {"code": -32700',
        "no JSON",
        "the id '0'",
    ),
    "has another error for what is no request": ("-32600", "-32700", "no request", "-32700"),
    "answers notifications": (
        '    if "id" not in message:\n        return None',
        '    if "id" not in message:\n        return {"id": None, "error": {"code": -32601, "message": "what?"}}',
        "notification",
        "what?",
    ),
    "cuts ids": (
        '{"id": message["id"], "result"',
        '{"id": message["id"][:50], "result"',
        "ids",
        "xxx",
    ),
    "spoils characters in ids": (
        '{"id": message["id"], "result"',
        '{"id": message["id"].encode("ascii", "replace").decode(), "result"',
        "ids",
        "Gr??e",
    ),
    "takes ids for numbers": (
        '{"id": message["id"], "result"',
        '{"id": int(message["id"]) if message["id"].isdigit() else message["id"], "result"',
        "ids",
        """'"0"' came back as '0'""",
    ),
    "has one id for all": ('{"id": message["id"], "result"', '{"id": "1", "result"', "ids", "came back as"),
    "forgets a request that is cancelled": (
        "        if said is not None:",
        '        if said is not None and not (said["id"] == "cancelled" and sys.stdin.readline()):',
        "cancellation",
        "did not answer a request that was cancelled",
    ),
    "ends at a cancellation": (
        QUIESCE,
        '        if params["deadline_ms"] > 1000:\n            sys.exit("cancelled?")\n' + QUIESCE,
        "cancellation",
        "cancelled?",
    ),
    "refuses every configuration": (OPEN, OPEN.replace("None", '"no room"'), "scenario", "no room"),
    "has no scenarios after all": (
        OPEN,
        '    if method == "scenario/open":\n        raise Fault(-32001, "no", {"capability": "sessions"})',
        "scenario",
        "sessions is declared as supported",
    ),
    "does not tell leaks": (CLOSE, "        return {}", "scenario", "'leaks' is a required property"),
    "refuses a view": (
        '        return {"rows"',
        '        if params["view"] == "details":\n            raise Fault(-32001, "no", {})\n        return {"rows"',
        "views",
        "view.details",
    ),
    "leaves a column out": (ROWS, "", "views", "view.counters"),
    "ends at a view": (
        '        return {"rows"',
        '        if params["view"] == "incidents":\n            sys.exit(9)\n        return {"rows"',
        "views",
        "exit code 9",
    ),
    "refuses two stimuli": (
        SEND,
        '        if "retitled" in params["type"] or "prefix" in params["type"]:\n'
        '            raise Fault(-32001, "no", {})\n' + SEND,
        "stimuli",
        "stimulus.prefix.changed, stimulus.issue.retitled",
    ),
    "lets its engine fail at a stimulus": (
        SEND,
        '        if params["type"] == "reconcile.due":\n            raise Fault(-32002, "out of memory")\n' + SEND,
        "stimuli",
        "out of memory",
    ),
    "does not move its clock": ('{"now": params["now"]}', '{"now": "2020-01-01T00:00:00Z"}', "clock", "clock"),
    "has no clock after all": (
        '        return {"now": params["now"]}',
        '        raise Fault(-32001, "no", {})',
        "clock",
        "control.clock",
    ),
    "cannot kill after all": (KILL, KILL.replace("return {}", 'raise Fault(-32001, "no", {})'), "kill", "control.kill"),
    "does not start again": (
        '    if method == "engine/start":\n        return {"refused": None}',
        '    if method == "engine/start":\n        return {"refused": "locked"}',
        "kill",
        "locked",
    ),
    "changes its mind": (
        '"language": "python"',
        '"language": f"python {os.getpid()}"',
        "restart",
        "implementation.language was",
    ),
    "answers shutdown with a word": (
        SHUTDOWN,
        SHUTDOWN.replace("{}", '{"bye": True}'),
        "shutdown",
        "Additional properties",
    ),
    "ends with another exit code": (ENDING, "            sys.exit(1)\n", "shutdown", "exit code 1"),
    "does not end": (ENDING, "            time.sleep(3600)\n", "shutdown", "did not end within"),
    "leaves a child": (
        ENDING,
        "            subprocess.Popen(['sleep', '3600'], stdout=subprocess.DEVNULL)\n            break\n",
        "shutdown",
        "sleep",
    ),
    "hangs at the end of its input": (
        ENDING,
        "            return\n    time.sleep(3600)\n",
        "end of input",
        "did not end within",
    ),
    "leaves a child at the end of its input": (
        ENDING,
        "            return\n    subprocess.Popen(['sleep', '3600'], stdout=subprocess.DEVNULL)\n",
        "end of input",
        "sleep",
    ),
    "talks at its start": (
        LAST,
        f'print("Starting the engine …", flush=True)\n{LAST}',
        "output",
        "Starting the engine",
    ),
    "talks in between": (SEND, f'        print("debug: sent")\n{SEND}', "output", "debug: sent"),
    "talks at its end": (LAST, f'{LAST}print("bye", end="")\n', "output", "bye"),
    "writes JSON that is no message": (LAST, f'print(json.dumps("ready"), flush=True)\n{LAST}', "output", "ready"),
    "has no version of JSON-RPC": ('{"jsonrpc": "2.0", **said}', "said", "frame", "'jsonrpc' is missing"),
    "says more than there is": ('"2.0", **said}', '"2.0", "took": 3, **said}', "frame", "took"),
}


def driver(folder: Path, old: str = "", new: str = "", timeout_scale: float = 1.0) -> EngineChoice:
    """Write the sane driver, with one piece of it replaced, and choose it."""
    assert not old or SANE.count(old) == 1, old
    (folder / "driver.py").write_text(SANE.replace(old, new) if old else SANE, encoding="utf-8")
    return EngineChoice(
        "command", words=(sys.executable, "driver.py"), directory=str(folder), timeout_scale=timeout_scale
    )
