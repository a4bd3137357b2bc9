from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from tck_kit.trace import reading
from tck_kit.trace.joining import join
from tck_kit.trace.lines import written
from tck_kit.trace.reading import read
from tck_reports.errors import ReportReadError, ReportWriteError

from .taped import some_head

TWO = (
    '{"scenario":"b::two","began":"2026-11-30T00:00:02+00:00"}\n{"act":"open","gave":null}\n'
    '{"end":"b::two","outcome":"passed","reason":null,"ms":1.0}\n'
    '{"scenario":"a::one","began":"2026-11-30T00:00:01+00:00"}\n'
    '{"look":"running","gave":[]}\n{"end":"a::one","outcome":"failed","reason":"assertion","ms":1.0}\n'
)


def _trace(folder: Path, lines: str = TWO, killed: dict[str, str] | None = None) -> Path:
    worker = folder / "worker.ndjson"
    worker.write_text(lines, encoding="ascii")
    join([worker, folder / "of-nobody.ndjson"], folder / "trace.ndjson", some_head(), killed or {})
    return folder / "trace.ndjson"


def test_a_trace_has_its_scenarios_in_the_order_of_their_names_and_what_the_run_was(tmp_path: Path) -> None:
    path = _trace(tmp_path)

    trace = read(path)

    assert list(trace.scenarios) == ["a::one", "b::two"]
    assert [one.outcome for tries in trace.scenarios.values() for one in tries] == ["failed", "passed"]
    assert trace.head == some_head()
    assert trace.complete
    assert trace.digest == f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"


def test_a_trace_that_breaks_off_anywhere_is_partly_read_or_refused_by_name(tmp_path: Path) -> None:
    path = _trace(tmp_path)
    whole = path.read_bytes()
    found: set[tuple[str, ...]] = set()

    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        try:
            trace = read(path)
        except ReportReadError as fault:
            assert str(path) in str(fault)  # noqa: PT017 -- of those that are refused
        else:
            assert not trace.complete
            found.add(tuple(trace.scenarios))

    assert found == {("a::one",), ("a::one", "b::two")}


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ('"outcome":"failed"', '"outcome":"passed"'),
        ('"gave":[]', '"gave":["c1"]'),
        ('"scenarios":2', '"scenarios":1'),
        ("a::one", "c::one"),
        ('"engine":"sim"', '"engine":"another"'),
        ('{"act":"open","gave":null}\n', ""),
    ],
)
def test_a_trace_that_was_edited_is_refused(was: str, now: str, tmp_path: Path) -> None:
    path = _trace(tmp_path)
    text = path.read_text(encoding="ascii")
    assert was in text
    path.write_text(text.replace(was, now, 1), encoding="ascii")

    with pytest.raises(ReportReadError, match=r"changed after|than has begun"):
        read(path)


def test_a_scenario_that_was_taken_out_or_written_twice_is_noticed(tmp_path: Path) -> None:
    path = _trace(tmp_path)
    lines = path.read_text(encoding="ascii").splitlines(keepends=True)

    for edited in ([lines[0], *lines[5:]], [*lines[:5], *lines[1:]]):
        path.write_text("".join(edited), encoding="ascii")
        with pytest.raises(ReportReadError, match="its digest does not fit"):
            read(path)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "this is no line of a trace"),
        ("junk\n", "this is no line of a trace"),
        ("[1]\n", "this is no line of a trace"),
        ('{"schema":"urn:session-tck:schemas/trace-2.json"}\n', "no trace of a schema that this kit reads"),
        ('{"schema":"\\u001b[31m\\u202e"}\n', "no trace of a schema that this kit reads"),
        ('{"schema":"urn:session-tck:schemas/report-2.json"}\n', "no trace of a schema that this kit reads"),
        ('{"scenario":"x","began":"y"}\n', "no trace of a schema that this kit reads"),
        ('{"schema":"urn:session-tck:schemas/trace-1.json"}\n', "this is no line of a trace"),
        ("[" * 100_000 + "\n", "this is no line of a trace"),
        ('{"schema":NaN}\n', "this is no line of a trace"),
        ("\x00\xff\n", "this is no line of a trace"),
    ],
)
def test_what_is_no_trace_is_refused_by_name(content: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / "trace.ndjson"
    path.write_text(content, encoding="latin-1")

    with pytest.raises(ReportReadError, match=what) as refused:
        read(path)

    assert "\x1b" not in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "line",
    [
        '{"act":"fly","gave":null}',
        '{"act":"open","gave":null,"disk":[{"path":"../x","is":"gone"}]}',
        '{"act":"open","gave":null,"disk":[{"path":"/etc/x","is":"gone"}]}',
        '{"act":"open","gave":null,"disk":[{"path":"a/../x","is":"gone"}]}',
        '{"act":"open","gave":null,"disk":[{"path":"a\\u0000","is":"gone"}]}',
        '{"act":"open","raised":{"type":"os.system(1)","base":"","text":""}}',
        '{"act":"open","gave":null,"script":"<script>"}',
    ],
)
def test_a_line_that_no_kit_writes_is_refused_whatever_its_digest_says(line: str, tmp_path: Path) -> None:
    path = _trace(tmp_path, TWO.replace('{"act":"open","gave":null}', line))

    with pytest.raises(ReportReadError, match="no line of a trace"):
        read(path)


@pytest.mark.parametrize(
    "line",
    [
        '{"act":"open","gave":"\u00e9"}'.encode(),
        b'{"act":"open",\r"gave":null}',
        b'{"act":"open","gave":null}\r',
        '{"act":"open","gave":null}\n'.encode("utf-16-be").removesuffix(b"\n"),
    ],
    ids=["not ASCII", "a return within", "a return at its end", "another encoding"],
)
def test_json_that_no_kit_writes_so_is_no_line_of_a_trace(line: bytes, tmp_path: Path) -> None:
    path = _trace(tmp_path)
    content = path.read_bytes()
    was = b'{"act":"open","gave":null}'
    # The digest of the scenario is that of the lines, as whoever changes a trace would see to.
    begin, end = content.index(b'{"scenario":"b::two"'), content.index(b'{"digest":', content.index(b'{"end":"b::two"'))
    scenario = content[begin:end].replace(was, line)
    assert was in content[begin:end]
    digest = hashlib.sha256(scenario).hexdigest()
    path.write_bytes(content[:begin] + scenario + f'{{"digest":"{digest}"}}\n'.encode("ascii"))

    with pytest.raises(ReportReadError, match="this is no line of a trace"):
        read(path)


def test_the_lines_of_a_scenario_end_where_a_kit_ends_them(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\x0b\x0c\x1c\x1d\x1e\ntwo\n")

    assert [*reading.lines_of(path, 0, path.stat().st_size)] == ["one\x0b\x0c\x1c\x1d\x1e", "two"]


def test_hostile_texts_go_through_as_they_are(tmp_path: Path) -> None:
    text = "<script>alert(1)</script>\x1b[31m\u202e\ud800 \udc80{place}" + "x" * 1_000_000
    act = written({"act": "open", "gave": text})
    path = _trace(tmp_path, TWO.replace('{"act":"open","gave":null}', act))

    trace = read(path)

    (attempt,) = trace.scenarios["b::two"]
    lines = [json.loads(line) for line in reading.lines_of(path, attempt.offset, attempt.length)]
    assert lines[1]["gave"] == text


def test_what_is_too_large_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _trace(tmp_path)

    monkeypatch.setattr(reading, "MOST_BYTES", 100)
    with pytest.raises(ReportReadError, match="larger than 100 bytes"):
        read(path)
    monkeypatch.undo()
    monkeypatch.setattr(reading, "MOST_LINE", len(some_head().line()) + 20)
    path = _trace(tmp_path, TWO.replace('"gave":null', f'"gave":"{"x" * 2000}"'))
    with pytest.raises(ReportReadError, match="a line has more than"):
        read(path)


def test_a_folder_or_nothing_is_no_trace(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(ReportReadError, match="there is no such file"):
            read(path)


def test_a_scenario_whose_worker_died_says_so(tmp_path: Path) -> None:
    cut = "".join(TWO.splitlines(keepends=True)[:2])
    path = _trace(tmp_path, f'{cut}{{"act":"send","ga', {"b::two": "the worker process ended"})

    trace = read(path)

    (attempt,) = trace.scenarios["b::two"]
    assert '"lost":"the worker process ended"' in [*reading.lines_of(path, attempt.offset, attempt.length)][-1]


def test_a_trace_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    target = tmp_path / "there" / "trace.ndjson"
    target.mkdir(parents=True)

    with pytest.raises(ReportWriteError, match="the trace cannot be written"):
        join([], target, some_head(), {})

    assert [path.name for path in target.parent.iterdir()] == ["trace.ndjson"]
