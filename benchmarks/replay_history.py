"""Replay the history of a specification through its lock: every version of a file in a git repository, in order.

    python benchmarks/replay_history.py REPOSITORY PATH [--answer as|new] [--show KIND]... [--document NAME]

What is asked is answered in one way, as somebody would have to. Printed are how many ids outlived their versions, how
many changes there were of each kind, what a version costs, and what must not happen: an update that is not idempotent,
a lock that is not read as it was written, an id that was given twice.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tck_kit.authors.revisions import Repository
from tck_kit.faults import UsageFault
from tck_spec import parse
from tck_spec.lock.changes import KINDS, Change
from tck_spec.lock.file import format_lock
from tck_spec.lock.reading import parse_lock
from tck_spec.lock.records import Lock
from tck_spec.lock.updating import Update, new_lock, update
from tck_spec.settings import Form
from tck_spec.statements import find_statements


@dataclass
class Replay:
    """What was seen so far."""

    path: str
    form: Form
    answer: str
    shown: frozenset[str]
    lock: Lock | None = None
    versions: int = 0
    kinds: Counter[str] = field(default_factory=Counter[str])
    #: Requirements of a version whose text stands in the next one, and those of them whose id does.
    same_text: int = 0
    same_text_same_id: int = 0
    #: Requirements of a version, and those whose id is still one in the next.
    before: int = 0
    kept: int = 0
    ever: set[str] = field(default_factory=set[str])
    seconds: list[float] = field(default_factory=list[float])
    wrong: list[str] = field(default_factory=list[str])

    def take(self, commit: str, text: str) -> None:
        """Let the lock follow one version."""
        spec = parse(text, self.path)
        statements = find_statements(spec, self.form)
        lock = self.lock or new_lock(spec, self.form, self.path)
        start = time.perf_counter()
        found = update(lock, spec, statements)
        self.seconds.append(time.perf_counter() - start)
        answers = {one.id: one.others[0] if self.answer == "as" or one.kind == "reused" else "" for one in found.open}
        retired = {one.id: "" for one in found.open if one.kind == "reused" and one.why}
        after = update(lock, spec, statements, {**answers, **retired}) if answers else found
        self._judge(commit, lock, found, after, again=update(after.lock, spec, statements))
        self.lock = after.lock
        self.versions += 1

    def _judge(self, commit: str, lock: Lock, found: Update, after: Update, *, again: Update) -> None:
        short = commit[:8]
        if format_lock(again.lock) != format_lock(after.lock):
            self.wrong.append(f"{short}: the update is not idempotent")
        read, edited = parse_lock(format_lock(after.lock))
        if read != after.lock or edited:
            self.wrong.append(f"{short}: the lock is not read as it was written")
        self._count(lock, after.lock)
        if self.versions:
            self.kinds.update(one.kind for one in found.changes)
            for one in found.changes:
                if one.kind in self.shown:
                    _show(short, one)
        fresh = {one.id for one in after.changes if one.kind == "new"}
        fresh |= {other for one in after.changes if one.kind == "split" for other in one.others}
        twice = {one for one in fresh & self.ever if ":" not in one}
        if twice:
            self.wrong.append(f"{short}: given twice: {', '.join(sorted(twice))}")
        self.ever |= {one.id for one in after.lock.requirements}

    def _count(self, lock: Lock, after: Lock) -> None:
        texts = Counter(one.strict for one in after.active)
        now = after.by_id
        aliases = {alias: one.id for one in after.active for alias in one.aliases}
        for one in lock.active:
            self.before += 1
            living = now.get(aliases.get(one.id, one.id))
            alive = living is not None and living.state == "active"
            self.kept += alive
            if texts[one.strict]:
                texts[one.strict] -= 1
                self.same_text += 1
                self.same_text_same_id += alive and living is not None and living.strict == one.strict

    def report(self) -> None:
        """Print what was seen."""
        total = sum(self.kinds.values()) or 1
        now = len(self.lock.active) if self.lock else 0
        print(f"{self.path}: {self.versions} versions, {now} requirements at the end")
        print(f"  ids kept where the text was: {_percent(self.same_text_same_id, self.same_text)}")
        print(f"  ids kept from one version to the next: {_percent(self.kept, self.before)}")
        print(f"  ids ever: {len(self.ever)}")
        for kind in KINDS:
            if self.kinds[kind]:
                print(f"  {kind:17} {self.kinds[kind]:7}  {100 * self.kinds[kind] / total:6.2f} %")
        if self.seconds:
            mean = 1000 * sum(self.seconds) / len(self.seconds)
            print(f"  an update takes {mean:.1f} ms, at most {1000 * max(self.seconds):.1f} ms")
        for one in self.wrong:
            print(f"  WRONG: {one}")


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} % ({part} of {whole})" if whole else "none there"


def _show(commit: str, one: Change) -> None:
    others = f" {', '.join(one.others)}" if one.others else ""
    print(
        f"{commit} {one.kind} {one.id}{others} ({one.ratio:.2f}) {one.old_section!r} -> {one.new_section!r} {one.why}"
    )
    if one.old:
        print(f"    - {one.old}")
    if one.new:
        print(f"    + {one.new}")


def main() -> int:
    """Read the options and replay."""
    parser = argparse.ArgumentParser(description="Replay the history of a specification through its lock.")
    parser.add_argument("repository", type=Path)
    parser.add_argument("path")
    parser.add_argument("--answer", choices=("as", "new"), default="as")
    parser.add_argument("--show", action="append", default=[], choices=tuple(KINDS))
    parser.add_argument("--document", default="")
    options = parser.parse_args()
    repository = Repository(options.repository)
    replay = Replay(options.path, Form(document=options.document), options.answer, frozenset(options.show))
    try:
        for commit in repository.commits(options.path):
            text = repository.text(commit, options.path)
            if text is not None:
                replay.take(commit, text)
    except UsageFault as fault:
        print(fault, file=sys.stderr)
        return 2
    replay.report()
    return 1 if replay.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
