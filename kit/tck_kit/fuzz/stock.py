"""What histories are made of: names that collide, titles that break things, versions at a border, odd ids, settings."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from tck_driver.bench import Act, Link, Script, Shape, TrackerAnswer, VersionShape, Write
from tck_driver.configuration import SettingValue
from tck_driver.vocabulary import AdapterId
from tck_fakes.standins.shapes import TAKEN_BY
from tck_features.steps.given_bounds import ODD_IDS
from tck_features.words import TITLES
from tck_features.world import STATE_PATHS

T = TypeVar("T")
SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000

#: Organizations and projects, each group such that something about the names is in the way of something.
PLACES: Sequence[Sequence[tuple[str, str]]] = (
    (("acme", "shop"),),
    (("a-b", "c"), ("a", "b-c")),
    (("a-b", "c"), ("a", "b-c"), ("A-B", "C")),
    (("Acme", "shop"), ("acme", "Shop")),
    (("a.b", "c"), ("a", "b.c")),
    (("a b", "c"), ("a_b", "c"), ("a~b", "c")),
    (("größe", "項目"), ("gro\u0308ße", "項目")),
    (("..", "x"), (".hidden", "x")),
    (("team/sub", "web"), ("team_sub", "web")),
    (("x" * 120, "y" * 120), ("x" * 120, "y" * 119 + "z")),
    (("a'b$(id)", "c;d"), ("-rf", "--help")),
    (("shop", "issue-1"), ("shop-issue", "1")),
)
#: Numbers of issues, one the beginning of another among them.
NUMBERS = (1, 2, 12, 1, 21, 2**53 - 1)
#: A merge request that nobody has heard of.
NOBODYS = 77
PREFIXES = ("agent/", "agent/", "agent/", "", "bot-", "a/b/", "\u00dcn\u00efcode/", "x" * 40)
REFUSED_PREFIXES = (
    "-x",
    "/x",
    "a..b",
    "x" * 41,
    "\u00e9" * 21,
    "a b",
    "a~",
    ".x",
    "a.lock/",
    "@{",
    "a//b",
    "new\nline",
)

VERSIONS: Mapping[AdapterId, Sequence[str]] = MappingProxyType(
    {
        AdapterId.CLAUDE_CODE: ("2.1.197", "3.0.0", "1.0.124", "1.0.123", "1.0.124-beta.1", "2.0.54"),
        AdapterId.CODEX: ("0.171.0", "0.200.0", "0.122.0", "0.121.9", "0.122.0-alpha.1", "0.171.0-alpha.9"),
        AdapterId.OPENCODE: ("1.18.33", "1.15.3", "1.15.2", "2.0.0", "1.18.4"),
        AdapterId.COPILOT: ("1.0.102", "1.0.73", "1.0.72", "1.0.9", "2.0.0"),
        AdapterId.GROK_BUILD: ("0.1.0", "9.0.0"),
    }
)
VERSION_SHAPES: Sequence[VersionShape] = ("plain",) * 6 + ("banner", "banner", "garbage", "exit_one", "hang", "empty")

#: How often a CLI does what, beside doing as it is asked.
_WEIGHTS: Mapping[Shape, int] = MappingProxyType(
    {
        "ok": 14,
        "refuse": 6,
        "rotate": 4,
        "bad_request": 3,
        "refuse_decoy": 3,
        "refuse_exit_zero": 3,
        "refuse_silent": 3,
        "damaged": 2,
        "other_id": 2,
        "rate_limited": 2,
        "server_error": 2,
        "generic_error": 2,
        "killed": 2,
        "killed_early": 2,
        "hang": 2,
        "unsaved": 2,
        "odd_id": 3,
    }
)
SHAPES: Mapping[AdapterId, Sequence[Shape]] = MappingProxyType(
    {
        adapter: tuple(
            shape for shape, takers in TAKEN_BY.items() if adapter in takers for _ in range(_WEIGHTS.get(shape, 1))
        )
        for adapter in VERSIONS
    }
)
#: What a CLI can answer to a resume that it does not do.
REFUSALS: Mapping[AdapterId, Sequence[Shape]] = MappingProxyType(
    {
        adapter: tuple(
            shape
            for shape in ("refuse", "refuse_decoy", "refuse_exit_zero", "refuse_silent", "damaged")
            if adapter in TAKEN_BY[shape]
        )
        for adapter in VERSIONS
    }
)
#: What fails in an ordinary way, and so again and again.
FAILURES: Sequence[Shape] = ("bad_request", "rate_limited", "server_error", "generic_error", "no_output", "killed")
#: What takes time: the first three last until something comes of it.
SLOW: Sequence[Shape] = ("hang", "hang_early", "ok", "ok", "rotate", "killed")
DURATIONS = (0, 0, 0, 0, 10 * SECOND, 2 * MINUTE, 29 * MINUTE, 31 * MINUTE)
TIMES = (SECOND, 10 * SECOND, 59 * SECOND, 61 * SECOND, 2 * MINUTE, 5 * MINUTE, 16 * MINUTE, 31 * MINUTE, 3 * HOUR, DAY)
#: Longer than rows are kept.
LONG = 31 * DAY

#: Ids that are none, and one of each form that belongs to no session.
IDS = (
    *ODD_IDS.values(),
    "0199a213-81c0-7800-8aa1-bbab2a035a53",
    "ses_4f2aB7cD9eF0gH1iJ2kL3mN4o5",
)
#: What keeps the tracker from answering, and says nothing of the issue.
TROUBLES: Sequence[TrackerAnswer] = ("500", "503", "401", "403", "429", "timeout")

SETTING = "AGENT_SESSION_RESUME"
ACCEPTED: Sequence[SettingValue] = (True, False, "true", "False", "TRUE", None)
REFUSED: Sequence[SettingValue] = ("off", "", " true", "yes", 0, 1, "null", "t\u0280ue")
#: Settings of the whole instance as they may be stored before an engine starts.
STORED: Sequence[tuple[str, SettingValue]] = (
    ("PHASE_TIMEOUT_MINUTES", 5),
    ("LLM_MAX_RETRIES", 0),
    ("LLM_MAX_RETRIES", 1),
    ("LLM_RETRY_BACKOFF_SECONDS", 0),
    ("LLM_RETRY_BACKOFF_SECONDS", 5),
    ("LEASE_SECONDS", 30),
    ("RECONCILE_SECONDS", 60),
    ("RETENTION_DAYS", 1),
)
#: Values of these that are none.
UNUSABLE: Sequence[tuple[str, SettingValue]] = (
    ("PHASE_TIMEOUT_MINUTES", 0),
    ("LLM_MAX_RETRIES", -1),
    ("LEASE_SECONDS", 2),
    ("RETENTION_DAYS", "many"),
)
CREDENTIALS = ("/home/agent/.netrc", "/home/agent/.claude/.credentials.json", "/home/agent/.codex/auth.json")
OVERLAPPING = (*STATE_PATHS.values(), "/home/agent/.codex", "/home/agent/.claude/projects/x")

_SIGNS = (
    "abc XYZ 019 -_.",
    "\u00e9\u00df\u0142\u0130\u0131\u00e6",
    "\u0301\u0323\u200b\u202e\ufeff\u2028\u0085",
    "~^:?*[\\@{}/.",
    "\U0001f680\U0001f9d1\u200d\U0001f4bb\u4fee\u05e9\u0639",
    "\x00\x07\t\n\r\x1b\x7f\ud800\udfff",
)


def acts(adapter: AdapterId) -> Sequence[tuple[Act, ...]]:
    """Give what an agent can do in its container, where it can reach files."""
    state = STATE_PATHS.get(adapter, "/home/agent/.grok/sessions")
    return (
        (Write("/workspace/notes.txt", "x"),),
        (Write(f"{state}/notes.txt", "x"),),
        (Link(f"{state}/out", "/etc"),),
        (Link(f"{state}/up", "/"), Write(f"{state}/deep/notes.txt", "x")),
        (Link("/workspace/out", state),),
    )


class Pick:
    """Draws by one number, so that the same number gives the same."""

    def __init__(self, seed: int) -> None:
        """Begin with a number."""
        self._random = random.Random(seed)  # noqa: S311 -- a test case, no secret

    def of(self, values: Sequence[T]) -> T:
        """Give one of these."""
        return values[int(self._random.random() * len(values))]

    def chance(self, percent: int) -> bool:
        """Say yes so often."""
        return self._random.random() * 100 < percent

    def some(self, values: Sequence[T], fewest: int, most: int) -> list[T]:
        """Give so many of these, each anew."""
        return [self.of(values) for _ in range(self._random.randint(fewest, most))]

    def title(self) -> str:
        """Give a title: an ordinary one, one that is known to break something, or any signs at all."""
        kind = self.of((0, 0, 1, 2))
        if kind == 0:
            return " ".join(self.some(("Mend", "the", "door", "and", "a", "window", "Again", "I"), 1, 6))
        if kind == 1:
            return self.of(tuple(TITLES.values()))
        return "".join(self.of(self.of(_SIGNS)) for _ in range(self._random.randint(0, 60)))

    def scripts(self, adapter: AdapterId) -> tuple[Script, ...]:
        """Give something that the CLI of this adapter can do; nothing where it has none."""
        if adapter is AdapterId.API:
            return ()
        shape = self.of(SHAPES[adapter])
        return (
            Script(
                shape,
                duration_ms=self.of(DURATIONS),
                reported_id=self.of(IDS) if shape == "odd_id" else None,
                acts=self.of(acts(adapter)) if self.chance(8) else (),
            ),
        )
