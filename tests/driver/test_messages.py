"""What is said over the wire is what was meant: every value comes back as it went, and fits its schema on the way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_driver import schemas
from tck_driver.configuration import Binding, EngineConfig, ProjectConfig
from tck_driver.connection import decode, encode
from tck_driver.messages import (
    Json,
    Pending,
    Rest,
    config_params,
    instant,
    moment,
    read_config,
    read_rest,
    read_result,
    read_rows,
    read_stimulus,
    rest_fields,
    result_of,
    row_fields,
    stimulus_params,
)
from tck_driver.stimuli import STIMULUS_TYPES, BindingChanged, Stimulus, StimulusResult
from tck_driver.views import ROW_TYPES, Row, ViewName
from tck_driver.vocabulary import AdapterId, Closing, MailboxKind, MailboxRef, MergeRequestEvent, Phase, RunOutcome

Any_ = st.SearchStrategy[Any]
NUMBERS = st.integers(1, 2**53 - 1)
TEXTS = st.text(max_size=50) | st.sampled_from(["", "\0", "\u2028\n\r\x85", '"\\ud800"', "\U0001f600", "ı–×…"])
NAMES = st.text(min_size=1, max_size=30)
MAILBOXES = st.builds(MailboxRef, NAMES, NAMES, st.sampled_from(get_args(MailboxKind)), NUMBERS)
ADAPTERS, PHASES = st.sampled_from(AdapterId), st.sampled_from(Phase)
BINDINGS = st.builds(Binding, ADAPTERS, TEXTS, TEXTS)
SCOPES = st.sampled_from(["instance", "organization", "project"])
VALUES = st.none() | st.booleans() | st.integers(-(2**60), 2**60) | TEXTS
NULLABLE = st.none() | TEXTS

#: What each field of a stimulus can hold.
OF_A_STIMULUS: Mapping[str, Any_] = {
    "mailbox": MAILBOXES,
    "title": TEXTS,
    "how": st.sampled_from(Closing),
    "organization": NAMES,
    "project": NAMES,
    "merge_request": NUMBERS,
    "event": st.sampled_from(MergeRequestEvent),
    "phase": PHASES,
    "scope": SCOPES,
    "name": NAMES,
    "value": VALUES,
    "binding": BINDINGS,
    "prefix": TEXTS,
    "adapter": ADAPTERS,
    "image": NAMES,
}
#: What each field of a row can hold.
OF_A_ROW: Mapping[str, Any_] = {
    "run": NAMES,
    "mailbox": MAILBOXES,
    **dict.fromkeys(("adapter_id", "phase", "provider", "model", "state", "kind", "subject", "scope"), TEXTS),
    **dict.fromkeys(("session_name", "native_session_id", "resume_fallback", "branch_name"), NULLABLE),
    **dict.fromkeys(("version", "session_state_path", "reason"), NULLABLE),
    **dict.fromkeys(("resumed", "open", "resumable_sessions"), st.booleans()),
    **dict.fromkeys(("generation", "llm_retries", "fix_attempts"), st.integers(0, 2**53 - 1)),
    **dict.fromkeys(("organization", "project"), TEXTS),
    "outcome": st.sampled_from([str(outcome) for outcome in RunOutcome]),
    "image": NAMES,
    "name": NAMES,
    "value": VALUES,
    "session": st.none() | st.fixed_dictionaries({"name": NULLABLE, "resumeId": NULLABLE, "stateDir": NULLABLE}),
    "result": st.none()
    | st.fixed_dictionaries({"sessionId": NULLABLE, "resumed": st.booleans(), "resumeFallback": NULLABLE}),
    "lines": st.lists(st.tuples(TEXTS, TEXTS), max_size=4).map(tuple),
}
#: Where one view's field is narrower than that of others.
OF_A_VIEW: Mapping[ViewName, Mapping[str, Any_]] = {
    "incidents": {"reason": TEXTS},
    "settings": {"scope": SCOPES},
}
CONFIGS = st.builds(
    EngineConfig,
    base=TEXTS,
    projects=st.lists(
        st.builds(ProjectConfig, NAMES, NAMES, TEXTS, st.lists(st.tuples(PHASES, BINDINGS), max_size=3).map(tuple)),
        max_size=3,
    ).map(tuple),
    settings=st.lists(st.tuples(SCOPES, TEXTS, TEXTS, NAMES, VALUES), max_size=3).map(tuple),
    credential_mounts=st.lists(st.tuples(TEXTS, TEXTS), max_size=3).map(tuple),
    database_url=st.none(),
    seed=st.integers(0, 2**53 - 1),
    images=st.lists(st.tuples(ADAPTERS, NAMES), max_size=3).map(tuple),
)
MOMENTS = st.datetimes(timezones=st.just(UTC))


def sent(message: Json) -> Json:
    """Let a message go over the wire."""
    wire = encode(message)
    assert b"\n" not in wire
    read: Json = decode(wire)
    return read


def _built(kind: type, *tables: Mapping[str, Any_]) -> Any_:
    known = {name: value for table in tables for name, value in table.items()}
    return st.builds(kind, **{field.name: known[field.name] for field in fields(kind)})


@pytest.mark.parametrize("name", STIMULUS_TYPES)
@given(data=st.data())
def test_a_stimulus_comes_back_as_it_was_and_fits_its_schema(name: str, data: st.DataObject) -> None:
    stimulus: Stimulus = data.draw(_built(STIMULUS_TYPES[name], OF_A_STIMULUS))

    params = sent(stimulus_params(stimulus))

    schemas.check_params("stimulus/send", params)
    assert params["type"] == name
    assert read_stimulus(params) == stimulus


def test_a_binding_of_all_phases_has_no_phase_in_its_message() -> None:
    changed = BindingChanged("acme", "shop", Binding(AdapterId.CODEX))

    assert stimulus_params(changed)["payload"]["phase"] is None
    assert read_stimulus(sent(stimulus_params(changed))) == changed


@pytest.mark.parametrize("view", ROW_TYPES)
@given(data=st.data())
def test_the_rows_of_a_view_come_back_as_they_were_and_fit_their_schema(view: ViewName, data: st.DataObject) -> None:
    rows: list[Row] = data.draw(st.lists(_built(ROW_TYPES[view], OF_A_ROW, OF_A_VIEW.get(view, {})), max_size=3))

    result = sent({"rows": [row_fields(row) for row in rows]})

    schemas.check_result("state/query", {"view": view}, result)
    assert read_rows(view, result["rows"]) == rows


@given(config=CONFIGS, now=MOMENTS)
def test_a_configuration_comes_back_as_it_was_and_fits_its_schema(config: EngineConfig, now: datetime) -> None:
    params = sent(
        {
            "ref": "0001",
            "seed": config.seed,
            "workdir": "/work",
            "endpoints": {"path": "/bin", "forge": "http://127.0.0.1:1/forge", "model": "http://127.0.0.1:1/model"},
            "config": config_params(config, now),
        }
    )

    schemas.check_params("scenario/open", params)
    assert read_config(params, None) == config
    assert moment(params["config"]["now"]) == now


def test_the_kits_own_database_is_told_to_nobody() -> None:
    config = EngineConfig("base", (), database_url="sqlite:///of-the-kit.sqlite")

    params = config_params(config, datetime(2026, 1, 5, tzinfo=UTC))

    assert "of-the-kit" not in json.dumps(params)


@given(st.builds(StimulusResult, st.none() | NAMES, st.none() | st.sampled_from(RunOutcome), NULLABLE))
def test_the_answer_to_a_stimulus_comes_back_as_it_was_and_fits_its_schema(result: StimulusResult) -> None:
    answer = sent(result_of(result))

    schemas.check_result("stimulus/send", {}, answer)
    assert read_result(answer) == result


@given(
    st.builds(
        Rest,
        st.booleans(),
        st.lists(
            st.builds(Pending, TEXTS, st.sampled_from(["container", "clock", "run", "work"]), NULLABLE), max_size=3
        ).map(tuple),
        st.none() | MOMENTS,
    )
)
def test_what_an_engine_waits_for_comes_back_as_it_was_and_fits_its_schema(rest: Rest) -> None:
    answer = sent(rest_fields(rest))

    schemas.check_result("barrier/quiesce", {}, answer)
    assert read_rest(answer) == rest


def test_a_rest_without_a_deadline_has_none() -> None:
    assert read_rest({"idle": True, "pending": []}) == Rest(idle=True)


#: A point in time, and how it stands in a message.
INSTANTS = (
    (datetime(2026, 1, 5, 9, tzinfo=UTC), "2026-01-05T09:00:00Z"),
    (datetime(2026, 1, 5, 9, 0, 0, 250_000, tzinfo=UTC), "2026-01-05T09:00:00.250000Z"),
    (datetime(2026, 1, 5, 9, tzinfo=timezone(timedelta(hours=2))), "2026-01-05T07:00:00Z"),
    (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00Z"),
)


@pytest.mark.parametrize(("when", "text"), INSTANTS)
def test_a_point_in_time_is_written_in_utc(when: datetime, text: str) -> None:
    assert instant(when) == text
    assert moment(text) == when


#: Texts that the schema lets through, as every language writes them, and the same point in time.
READ = (
    ("2026-01-05T09:00:00+00:00", datetime(2026, 1, 5, 9, tzinfo=UTC)),
    ("2026-01-05T09:00:00.5Z", datetime(2026, 1, 5, 9, 0, 0, 500_000, tzinfo=UTC)),
    ("2026-01-05T09:00:00.123456789Z", datetime(2026, 1, 5, 9, 0, 0, 123_456, tzinfo=UTC)),
    ("2024-02-29T23:59:59Z", datetime(2024, 2, 29, 23, 59, 59, tzinfo=UTC)),
    ("9999-12-31T23:59:59.999Z", datetime(9999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC)),
)


@pytest.mark.parametrize(("text", "when"), READ)
def test_a_point_in_time_is_read_as_other_languages_write_it(text: str, when: datetime) -> None:
    schemas.check_result("clock/advance", {}, {"now": text})

    assert moment(text) == when


@pytest.mark.parametrize(
    "text", ["2026-02-31T09:00:00Z", "2026-01-05T24:01:00Z", "2026-13-05T09:00:00Z", "0000-01-01T00:00:00Z"]
)
def test_a_day_that_is_in_no_calendar_is_refused_by_the_reader(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        moment(text)


@given(st.text(alphabet=st.characters(), max_size=30) | st.text(alphabet="\\ud83d\ud800\udc00e0", max_size=30))
def test_a_message_is_plain_ascii_and_holds_text_that_every_language_can_read(text: str) -> None:
    wire = encode({"title": text})

    wire.decode("ascii")
    assert decode(wire) == {"title": text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")}


#: What some reader takes for JSON in UTF-8, and is none.
NO_MESSAGES = (
    b"",
    b"{",
    b"{} {}",
    b"{}\0",
    b"{'a': 1}",
    b'{"a": 1,}',
    b'{"a": NaN}',
    b'{"a": -Infinity}',
    b'{"a": "\t"}',
    b"\xef\xbb\xbf{}",
    b'{"a": "\xe9"}',
    b'{"a": "\xed\xa0\x80"}',
    b'{"a": "\\ud800"}',
    b'{"\\uDC00": 1}',
    '{"a": 1}'.encode("utf-16"),
    '{"a": 1}'.encode("utf-32-le"),
    b'{"a": ' + b"9" * 5000 + b"}",
)


@pytest.mark.parametrize("said", NO_MESSAGES)
def test_what_is_no_message_is_not_read(said: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        decode(said)


SMILES = (b'{"a":"\\ud83d\\ude00"}', '{"a":"\U0001f600"}'.encode(), b'\r {"a":"\\uD83D\\uDE00"}\r')


@pytest.mark.parametrize("said", SMILES)
def test_a_sign_beyond_the_first_plane_may_be_written_either_way(said: bytes) -> None:
    assert decode(said) == {"a": "\U0001f600"}
