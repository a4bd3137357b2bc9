"""Mermaid's engine: what it says of a diagram, and what is said when it cannot be asked."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tck_spec import check, mermaid, parse
from tck_spec.mermaid import MOST_CHARACTERS, Engine, Verdict

RIGHT = "sequenceDiagram\n  Pot->>Cup: tea"


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    engine = Engine()
    yield engine
    engine.close()


def fake(code: str, seconds: float = 20) -> Engine:
    return Engine((sys.executable, "-c", "import os, sys, time, json\n" + code), seconds)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("sequenceDiagram\n  Pot->>Cup: tea\n  Cup->>: tea", 3, "unexpected ': tea' (expected: +, -, (), ACTOR)"),
        ("graph TD\n  A --> B\n  B --> C[", 3, "the diagram ends too early (expected: SQE,"),
        ('pie\n  "warm" : 3\n  "cold" 5', 3, "Expecting token of type ':' but found `5`"),
        (
            "journey\n  title Tea\n  section Pour\n  Fill: 5: Cook\n  Drink it",
            5,
            "the line ends too early (expected: taskData)",
        ),
        ('packet\n  0-15: "a"\n  17-20: "b"', 0, "not contiguous"),
        ("block\n  a b\n  c((", 3, "Unrecognized text"),
    ],
)
def test_an_error_has_its_line_and_what_was_expected(engine: Engine, text: str, line: int, message: str) -> None:
    verdict = engine.judge(text)
    assert verdict.outcome == "wrong"
    assert message in verdict.message
    assert verdict.line in (line, line + 1 if text.endswith("[") else line)


def test_a_diagram_that_is_right_is_right_whatever_was_asked_before(engine: Engine) -> None:
    texts = [
        RIGHT,
        "graph TD\n  A --> B",
        'pie\n  "warm" : 3',
        "gitGraph\n  commit\n  branch lid",
        "stateDiagram-v2\n  [*] --> Warm",
        "classDiagram\n  class Pot {\n    int size\n  }",
        "erDiagram\n  POT ||--o{ CUP : fills",
        "mindmap\n  tea\n    pot",
        "gantt\n  section Tea\n  Warm :a, 2020-01-01, 1d",
        "journey\n  section Pour\n  Fill: 5: Cook",
    ]
    wrong = [text + "\n  )]} ~~(" for text in texts if not text.startswith("stateDiagram")]
    for order in (texts, texts[::-1]):
        assert {engine.judge(f"{text}\n%% {order is texts}").outcome for text in order} == {"right"}
        assert {engine.judge(f"{text}\n%% {order is texts}").outcome for text in wrong} == {"wrong"}


def test_a_type_that_mermaid_does_not_know_is_unknown(engine: Engine) -> None:
    assert engine.judge("sequenzDiagram\n  Pot->>Cup: tea").outcome == "unknown"


def test_the_line_of_front_matter_counts_from_its_first(engine: Engine) -> None:
    verdict = engine.judge("---\ntitle: Tea\n cups: [\n---\npie")
    assert (verdict.outcome, verdict.line, verdict.front) == ("wrong", 2, True)


def test_half_a_surrogate_pair_is_no_fault_of_the_engine(engine: Engine) -> None:
    assert engine.judge("graph TD\n  A[\ud800] --> B").outcome == "right"


def test_what_mermaid_reads_after_a_long_diagram_is_read_in_time(engine: Engine) -> None:
    assert engine.judge("sequenceDiagram\n" + "Pot->>Cup: tea\n" * 200).outcome == "right"


def test_a_diagram_that_is_too_large_is_not_asked_about() -> None:
    engine = fake("os._exit(1)")
    assert engine.judge("x" * (MOST_CHARACTERS + 1)).outcome == "unchecked"
    assert engine.judge(RIGHT).message == "Mermaid's engine did not start"


def test_the_same_text_is_asked_once() -> None:
    engine = fake("""
print('{"ready": true}', flush=True)
for number, line in enumerate(sys.stdin):
    print(json.dumps({"failed": f"question {number}"}), flush=True)
""")
    assert engine.judge("a") == Verdict("unchecked", "question 0")
    assert engine.judge("b") == Verdict("unchecked", "question 1")
    assert engine.judge("a") == Verdict("unchecked", "question 0")
    engine.close()


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ("time.sleep(60)", "Mermaid took too long over it"),
        ("os.kill(os.getpid(), 24)", "Mermaid took too long over it"),
        ("os.kill(os.getpid(), 11)", "Mermaid's engine crashed on it"),
        ("sys.exit()", "Mermaid's engine crashed on it"),
        ("print('{', flush=True)", "Mermaid's engine crashed on it"),
        ("print('[]', flush=True)", "Mermaid's engine crashed on it"),
        ("print('{}', flush=True)", "no answer"),
    ],
)
def test_an_engine_that_fails_has_not_checked(behaviour: str, message: str) -> None:
    engine = fake(f"print('{{\"ready\": true}}', flush=True)\nfor line in sys.stdin:\n    {behaviour}", seconds=3)
    assert engine.judge(RIGHT) == Verdict("unchecked", message)
    engine.close()


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("""print('{"unavailable": "no room"}', flush=True)""", "Mermaid's engine did not start (no room)"),
        ("sys.exit(3)", "Mermaid's engine did not start"),
        ("print('hello', flush=True)", "Mermaid's engine did not start"),
    ],
)
def test_an_engine_that_does_not_start_has_not_checked(code: str, message: str) -> None:
    engine = fake(code)
    assert engine.judge(RIGHT) == Verdict("unchecked", message)
    engine.close()


def test_a_command_that_is_not_there_has_not_checked() -> None:
    engine = Engine(("/no/such/program",))
    assert "did not start" in engine.judge(RIGHT).message


def test_an_engine_that_was_lost_is_replaced_until_it_was_lost_too_often() -> None:
    engine = fake("""
print('{"ready": true}', flush=True)
for line in sys.stdin:
    if "bad" in line:
        sys.exit(1)
    print('{"type": "pie"}', flush=True)
""")
    assert [engine.judge(text).outcome for text in ("a", "bad 1", "b", "bad 2", "c")] == [
        "right",
        "unchecked",
        "right",
        "unchecked",
        "right",
    ]
    assert engine.judge("bad 3").message == "Mermaid's engine crashed on it"
    assert engine.judge("d").message == "Mermaid's engine was given up after it had failed 3 times"
    assert engine.judge("a").outcome == "right"
    engine.close()


def test_an_answer_to_a_question_that_was_broken_off_is_not_taken_for_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = fake("""
print('{"ready": true}', flush=True)
for line in sys.stdin:
    print(json.dumps({"failed": json.loads(line)["text"]}), flush=True)
""")
    assert engine.judge("a").message == "a"
    with monkeypatch.context() as patch:
        patch.setattr(engine, "_receive", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            engine.judge("b")
    assert engine.judge("c").message == "c"
    engine.close()


def test_without_the_package_nothing_is_checked_and_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    monkeypatch.setattr(mermaid, "_ENGINE", Engine())
    monkeypatch.setattr("tck_spec.rules.diagrams.judge", mermaid.judge)
    (finding,) = check(parse(f"# Tea\n\n```mermaid\n{RIGHT}\n```\n", "tea.md"))
    assert (finding.rule, finding.severity) == ("MMD003", "I")
    assert "pip install 'session-tck[authors]'" in finding.message


def test_an_engine_that_was_prepared_is_there_and_ends_with_its_owner() -> None:
    engine = Engine()
    engine.prepare()
    process = engine._process
    assert process is not None
    assert engine.judge(RIGHT).outcome == "right"
    assert engine._process is process
    engine.close()
    assert process.returncode == -signal.SIGKILL


def test_a_child_leaves_the_engine_of_its_parent_alone(engine: Engine) -> None:
    assert engine.judge(RIGHT).outcome == "right"
    process = engine._process
    engine._owner = os.getpid() + 1
    assert engine.judge("graph TD\n  A --> Child").outcome == "right"
    assert process is not None
    assert process.wait(20) == 0


def test_the_worker_ends_when_nobody_asks_any_more() -> None:
    worker = Path(mermaid.__file__).with_name("mermaid_worker.py")
    pipe = os.popen(f"{sys.executable} -P {worker} < /dev/null")  # noqa: S605 -- nothing in it comes from outside
    assert pipe.read() == '{"ready": true}\n'
    assert pipe.close() is None


def test_a_document_with_very_many_edges_is_a_warning() -> None:
    edges = "\n".join(f"  A{number} --> B" for number in range(501))
    (finding,) = check(parse(f"# Tea\n\n```mermaid\ngraph TD\n{edges}\n```\n", "tea.md"))
    assert (finding.rule, finding.severity) == ("MMD001", "W")


def test_a_diagram_that_no_site_draws_is_a_warning() -> None:
    (finding,) = check(parse(f"# Tea\n\n```mermaid\npie\n{'x' * MOST_CHARACTERS}\n```\n", "tea.md"))
    assert (finding.rule, finding.severity, finding.line) == ("MMD001", "W", 3)
