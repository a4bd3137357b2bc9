"""The command that repeats a failure is one that the shell takes as it was meant."""

from __future__ import annotations

import shlex

import pytest

from tck_reports.explain import address, reproduce

from .full import HOSTILE, full_report


@pytest.mark.parametrize(
    ("engine", "argv", "right"),
    [
        ("sim", [], "--engine sim --requirement A-1 --seed 42"),
        (
            "mutant:x",
            ["--engine", "mutant:x"],
            "--engine mutant:x --requirement A-1 --seed 42",
        ),
        (
            "node a b.js",
            ["--engine=node a b.js"],
            "--engine 'node a b.js' --requirement A-1 --seed 42",
        ),
        ("node driver.js", [], "--requirement A-1 --seed 42"),
        ("", ["--engine", "x"], "--requirement A-1 --seed 42"),
        (
            "sim",
            ["--profile", "core", "--thorough", "--report-dir", "out", "--seed", "1", "--workers", "4"],
            "--engine sim --requirement A-1 --seed 42 --profile core --thorough",
        ),
        (
            "sim",
            ["--specification=my spec.md", "--features", "f", "--area", "RESUME", "--time-limit", "5"],
            "--engine sim --requirement A-1 --seed 42 --specification 'my spec.md' --features f",
        ),
        ("sim", ["--features"], "--engine sim --requirement A-1 --seed 42"),
        ("sim", ["--baseline", "b.toml", "--retries", "2"], "--engine sim --requirement A-1 --seed 42"),
    ],
)
def test_it_names_what_bears_on_the_outcome_and_nothing_else(engine: str, argv: list[str], right: str) -> None:
    report = full_report()
    report["run"] |= {"engine": engine, "argv": ["session-tck", "run", *argv]}
    assert reproduce(report, "A-1") == f"session-tck run {right}"


def test_an_engine_of_somebody_elses_has_a_command_of_its_own() -> None:
    report = full_report()
    argv = ["session-tck", "peers", "run", "ours", "--quick", "--timeout-scale", "2.0", "--report-dir", "out"]
    report["run"] |= {"engine": "peer:ours", "argv": argv}
    assert reproduce(report, "A-1") == "session-tck peers run ours --requirement A-1 --seed 42 --timeout-scale 2.0"


@pytest.mark.parametrize("which", [name for name, text in HOSTILE.items() if text.isprintable() and len(text) < 4_096])
def test_a_shell_takes_each_word_as_one(which: str) -> None:
    report = full_report()
    text = HOSTILE[which] or "x"
    report["run"] |= {"engine": text, "argv": ["session-tck", "run", "--engine", text, "--features", text]}
    assert shlex.split(reproduce(report, text)) == [
        *("session-tck", "run", "--engine", text, "--requirement", text, "--seed", "42", "--features", text),
    ]


@pytest.mark.parametrize("which", HOSTILE)
def test_it_is_one_short_line_that_no_terminal_obeys(which: str) -> None:
    report = full_report()
    report["run"] |= {"engine": HOSTILE[which], "argv": ["--engine", HOSTILE[which], "--features", HOSTILE[which]]}
    command = reproduce(report, "A-1")
    assert "\n" not in command
    assert "\x1b" not in command
    assert len(command) < 50_000


@pytest.mark.parametrize(
    ("text", "fit"),
    [
        ("https://engine.example", True),
        ("http://engine.example:80/a%20b?c=d&e#f", True),
        ("HTTPS://x", True),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("https://", False),
        ("https:///x", False),
        ('https://x"onclick="y', False),
        ("https://x\n", False),
        ("https://x y", False),
        ("//x", False),
        ("https://\u202ex", False),
        (f"https://{'x' * 5_000}", False),
    ],
)
def test_only_pages_of_the_web_are_led_to(text: str, fit: bool) -> None:  # noqa: FBT001 -- a parameter
    assert address(text) == (text if fit else None)
