"""Prompts that a CLI could take for something else: the agent has to get them letter by letter."""

from __future__ import annotations

from tck_kit.probe.bench import Bench, Came, Doing
from tck_kit.probe.cases.basics import yes


def with_words(words: str) -> Doing:
    """Give the case that resumes a session with this prompt."""

    def does(bench: Bench) -> Came:
        home, session = bench.with_session()
        seen = home.resume(session, words=words)
        prompt = {True: "as given", False: "changed", None: "not asked"}[seen.exact]
        return yes(seen.exact), seen.facts | {"prompt": prompt}

    return does
