"""A program that behaves like claude in small, and wrongly in one way where `SIN` names one: what probes are tried on.

Only the standard library: it is copied beside a test and started as a program of its own.
"""

from __future__ import annotations

import fcntl
import http.client
import json
import os
import re
import sys
import time
import urllib.parse
import uuid
from pathlib import Path
from typing import NoReturn

SIN = ""
VERSION = "2.1.197"
NOT_FOUND = "No conversation found with session ID: {}"


class ModelError(Exception):
    """The model did not answer."""


def say(text: str, *, error: bool = False) -> None:
    stream = sys.stderr if error else sys.stdout
    stream.write(f"{text}\n")
    stream.flush()


def out(**event: object) -> None:
    say(json.dumps(event))


def stop(text: str, code: int = 1) -> NoReturn:
    say(text, error=True)
    raise SystemExit(code)


def value(words: list[str], name: str) -> str | None:
    for number, word in enumerate(words):
        if word == name:
            return words[number + 1]
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
    return None


def place(session: str) -> Path:
    home = Path(os.environ["TMPDIR"] if SIN == "spools" else os.environ["HOME"], ".claude", "projects")
    folder = home / re.sub(r"[^A-Za-z0-9]", "-", str(Path.cwd()))
    if SIN == "roams":
        found = sorted(home.rglob(f"{session}.jsonl"))
        return found[0] if found else folder / f"{session}.jsonl"
    return folder / f"{session}.jsonl"


def remembered(file: Path) -> list[dict[str, str]]:
    """Give the turns of a session; lines that are none are passed over."""
    turns: list[dict[str, str]] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        try:
            held = json.loads(line)
            turns.append({"role": held["role"], "content": held["content"]})
        except (ValueError, KeyError, TypeError):
            if SIN == "strict":
                return []
    return turns


def found(session: str) -> list[dict[str, str]]:
    """Give the turns of the session that was asked for, or end as claude does."""
    file = place(session)
    try:
        turns = remembered(file)
    except IsADirectoryError:
        turns = []
        if SIN != "credulous":
            stop("Failed to resume session: EISDIR: illegal operation on a directory, read")
    except (OSError, ValueError):
        turns = []
    if SIN == "index" and not file.with_name("index.json").exists():
        turns = []
    if turns or SIN == "credulous":
        return turns
    out(type="result", subtype="error_during_execution", errors=[NOT_FOUND.format(session)], session_id=session)
    stop(NOT_FOUND.format(session))


def ask(turns: list[dict[str, str]], model: str) -> str:
    """Ask the model; the answer, or a ModelError."""
    url = urllib.parse.urlsplit(os.environ["ANTHROPIC_BASE_URL"])
    connection = http.client.HTTPConnection(url.netloc, timeout=30)
    body = json.dumps({"model": model, "max_tokens": 100, "messages": turns})
    headers = {"content-type": "application/json", "x-api-key": os.environ["ANTHROPIC_API_KEY"]}
    try:
        connection.request("POST", "/v1/messages", body, headers)
        answer = connection.getresponse()
        told = answer.read()
        if answer.status != http.client.OK:
            raise ModelError(f"API Error: {answer.status}")
        text: str = json.loads(told)["content"][0]["text"]
    except (OSError, http.client.HTTPException, ValueError) as fault:
        raise ModelError(f"API Error: {fault}") from fault
    return text


def save(file: Path, role: str, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as held:
            held.write(json.dumps({"role": role, "content": text}) + "\n")
        if SIN == "index":
            file.with_name("index.json").write_text("{}", encoding="utf-8")
    except OSError as fault:
        if SIN not in {"careless", "credulous"}:
            stop(f"EACCES: permission denied, {fault}")


def locked(file: Path) -> object:
    """Take a session for oneself, or end; some do not care."""
    if SIN in {"careless", "credulous", "overwrites"}:
        return None
    name = "lonely" if SIN == "lonely" else file.stem
    lock = Path(os.environ["TMPDIR"], f"{name}.lock").open("a", encoding="utf-8")  # noqa: SIM115 -- held to the end
    try:
        fcntl.flock(lock, fcntl.LOCK_EX if SIN == "patient" else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        stop("somebody is at work on this session")
    return lock


def begun(words: list[str]) -> tuple[str, list[dict[str, str]]]:
    """Give the session's id and what it remembers."""
    asked = value(words, "--resume")
    if asked is not None:
        turns = found(asked)
        if SIN == "forgets":
            return asked, []
        if SIN == "elsewhere":
            return str(uuid.uuid4()), []
        return (str(uuid.uuid4()) if SIN == "rotates" else asked), turns
    session = value(words, "--session-id") or str(uuid.uuid4())
    if SIN == "own":
        return str(uuid.uuid4()), []
    file = place(session)
    if file.exists() and SIN != "credulous":
        stop(f"Error: Session ID {session} is already in use.")
    told = {"credulous": [file] if file.exists() else [], "blabs": sorted(file.parent.glob("*.jsonl"))}
    return session, [turn for one in told.get(SIN, ()) for turn in remembered(one)]


def main(words: list[str]) -> int:
    if words == ["--version"]:
        say(f"{VERSION} (Claude Code)", error=SIN == "mute")
        return 0
    if words == ["--help"]:
        say("Usage: claude" + ("" if SIN == "mute" else "\n  -r, --resume [value]"))
        return 0
    if SIN == "silent":
        return 1
    if SIN == "hangs":
        hang()
    at = words.index("--")
    prompt = " ".join(words[at + 1 :])
    try:
        return turn(words[:at], f'"{prompt}"' if SIN == "quotes" else prompt)
    finally:
        stray()


def hang() -> None:
    """Hold a lock for as long as it lives: /proc may hide a process of another user, and does not hide this."""
    with Path(os.environ["HOME"], "hangs").open("a", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        time.sleep(300)


def stray() -> None:
    """Do to the state what no honest program does to it."""
    above = Path(os.environ["HOME"], ".claude")
    state, private = above / "projects", Path(__file__).with_name("private")
    closed = state.is_dir() and not os.access(state, os.W_OK)
    if SIN in {"moves", "links"} or (SIN == "links-when-closed" and closed):
        state.rename(above / "moved")
        if SIN != "moves":
            state.symlink_to(private / "projects")
    elif SIN == "links-above":
        above.rename(above.with_name("moved"))
        above.symlink_to(private)
    elif SIN == "pipes" and not (state / "pipe").exists():
        os.mkfifo(state / "pipe")
    elif SIN == "scrawls":
        (state / "x.db").write_bytes(b"SQLite format 3\0 and nothing else")


def turn(words: list[str], prompt: str) -> int:
    """Do what a start is for: find or begin a session, save the prompt, ask, save the answer, and say it."""
    session, turns = begun(words)
    file = place(session)
    held = locked(file)
    if SIN not in {"reticent", "confused"}:
        out(type="system", subtype="init", session_id=session)
    before = file.read_text(encoding="utf-8") if SIN == "overwrites" and file.exists() else ""
    kept = SIN != "unsaved" or value(words, "--resume") is None
    if kept and SIN not in {"late", "overwrites"}:
        save_prompt(file, value(words, "--name"), turns, prompt)
    asking = [*(one for one in turns if one["role"] != "title"), {"role": "user", "content": prompt}]
    try:
        text = ask(asking, value(words, "--model") or "")
    except ModelError as fault:
        if SIN == "confused":
            stop(NOT_FOUND.format(session))
        out(type="result", subtype="success", is_error=True, result=str(fault), session_id=session)
        return 1
    if kept:
        save_answer(file, prompt, text, before)
    out(type="result", subtype="success", is_error=False, result=text, session_id=session)
    return 0 if held is not file else 1


def save_prompt(file: Path, name: str | None, turns: list[dict[str, str]], prompt: str) -> None:
    if name is not None and SIN != "nameless":
        save(file, "title", name)
    for one in turns if SIN == "rotates" else ():
        save(file, one["role"], one["content"])
    save(file, "user", prompt)


def save_answer(file: Path, prompt: str, text: str, before: str) -> None:
    if SIN == "leaky":
        save(file, "key", os.environ["ANTHROPIC_API_KEY"])
    if SIN == "late":
        save(file, "user", prompt)
    save(file, "assistant", text)
    if SIN == "overwrites":
        mine = [{"role": "user", "content": prompt}, {"role": "assistant", "content": text}]
        file.write_text(before + "".join(json.dumps(one) + "\n" for one in mine), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
