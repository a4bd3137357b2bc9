"""The laws of prompts: a resumed run, a second start and a run without a session get the prompt of a first run.

Two prompts can be compared although they are about different issues: what is each one's own, its address, its name
and its title, is blotted out in both alike. What was posted on an issue meanwhile may stand in its later prompts and
not in the earlier ones; so a later prompt may have more, and only where both were built from the same must they be one.
Specification: RESUME-7, FALLBACK-19, RESUME-16, OFF-2 to OFF-5; §13.3.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tck_driver.vocabulary import FallbackReason, MailboxRef

if TYPE_CHECKING:
    from tck_features.laws.known import Known
    from tck_features.laws.runs import Leg, Run

_LONGEST_TITLE = 1_000
_BLOT = "\N{FULL BLOCK}"
_WORDS = re.compile(r"[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class _Prompt:
    """A prompt with what it was built from."""

    text: str
    ref: MailboxRef
    title: str
    names: tuple[str, ...]
    comments: tuple[str, ...]


class Prompts:
    """Holds each prompt against its issue, and against the first run of the same phase and event."""

    def __init__(self, known: Known) -> None:
        """Look at what is known."""
        self._known = known
        self._hold = known.judge
        #: By phase and cause, the first prompt of a first start; and those that wait for one.
        self._firsts: dict[tuple[str, str], _Prompt] = {}
        self._waiting: dict[tuple[str, str], list[tuple[_Prompt, tuple[str, ...]]]] = {}

    def started(self, leg: Leg) -> None:
        """Check the prompt of one start."""
        run = leg.run
        if run is None or not leg.cli.prompt:
            return
        by = self._by(leg, run)
        title = self._title(leg, run, by)
        if leg.number > 1:
            self._hold(
                "the prompt of the second start is that of the first",
                expected=run.legs[0].cli.prompt,
                actual=leg.cli.prompt,
                by=("FALLBACK-19", "RESUME-7"),
            )
        # Without a title in it, nothing tells where a prompt would have one.
        if not title or run.cause is None:
            return
        mailbox = run.mailbox
        prompt = _Prompt(leg.cli.prompt, mailbox.ref, title, mailbox.names, tuple(mailbox.comments))
        first = run.session and leg.fresh and leg.number == 1
        self._compare((run.row.phase, run.cause), prompt, None if first else by if run.session else run.by)

    def _by(self, leg: Leg, run: Run) -> tuple[str, ...]:
        """Name what is broken by a prompt that lacks something."""
        if leg.number > 1:
            return ("FALLBACK-19",)
        if not leg.fresh:
            return ("RESUME-7",)
        again = run.session and run.row.resume_fallback not in {None, FallbackReason.NO_PRIOR_SESSION}
        return ("RESUME-16", "FALLBACK-19", "FALLBACK-1") if again else ("RESUME-16",)

    def _title(self, leg: Leg, run: Run, by: tuple[str, ...]) -> str | None:
        """Check that the prompt is about the issue; give its present title, where it has that in full."""
        called = self._known.mailboxes.called.get(run.mailbox.ref, [])
        if not called:
            return None
        # An older title can stand in the prompt for another reason: in the name of the branch.
        whole = called[-1] if called[-1] in leg.cli.prompt else None
        self._hold(
            "the prompt has the title of its issue",
            of=run.mailbox.ref,
            expected=True,
            actual=whole is not None or any(_said(title, leg.cli.prompt) for title in called),
            by=by,
            evidence=lambda: (leg.cli.prompt[:400],),
        )
        return whole

    def _compare(self, key: tuple[str, str], prompt: _Prompt, by: tuple[str, ...] | None) -> None:
        first = self._firsts.get(key)
        if by is None:
            if first is None:
                self._firsts[key] = prompt
                for waiting, requirement in self._waiting.pop(key, ()):
                    self._alike(key[0], prompt, waiting, requirement)
        elif first is None:
            self._waiting.setdefault(key, []).append((prompt, by))
        else:
            self._alike(key[0], first, prompt, by)

    def _alike(self, phase: str, first: _Prompt, prompt: _Prompt, by: tuple[str, ...]) -> None:
        expected, actual = first.text, prompt.text
        if (first.ref, first.title, first.names) != (prompt.ref, prompt.title, prompt.names):
            expected, actual = _blotted(first, prompt)
        if first.comments != prompt.comments:
            posted = {line for text in (*first.comments, *prompt.comments) for line in text.splitlines() if line}
            there = set(actual.splitlines())
            expected = "\n".join(
                line for line in expected.splitlines() if line not in there and not any(one in line for one in posted)
            )
            actual = ""
        self._hold(
            "the prompt of a first run in the same phase"
            if first.comments == prompt.comments
            else "what the prompt of a first run in the same phase has and this one lacks",
            of=phase,
            expected=expected,
            actual=actual,
            by=by,
        )


def _blotted(one: _Prompt, two: _Prompt) -> tuple[str, str]:
    """Give both texts with the addresses, names and titles of both blotted out, the longer first."""
    words = {str(word) for ref in (one.ref, two.ref) for word in (ref.organization, ref.project, ref.iid)}
    words |= {one.title, two.title, *one.names, *two.names} - {""}
    first, second = one.text, two.text
    for word in sorted(words, key=len, reverse=True):
        first, second = first.replace(word, _BLOT), second.replace(word, _BLOT)
    return first, second


def _said(title: str, prompt: str) -> bool:
    """Say whether a prompt has a title in another form: cut, or without what cannot be shown."""
    words = _WORDS.findall(title[:_LONGEST_TITLE])[:-1]
    return all(word in prompt for word in words)
