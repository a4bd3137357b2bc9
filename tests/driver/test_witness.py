"""The witness log: one order of everything that happened, read from any point on."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tck_driver.errors import DriverError, EngineError, FalseAdvertisingError, KitError, UnsupportedError
from tck_driver.witness import ForgeWrite, ModelCalled, Record, VersionAsked, WitnessLog

RECORDS: st.SearchStrategy[Record] = st.one_of(
    st.builds(ForgeWrite, st.just("comment"), st.just("org/app#7"), st.text(max_size=3)),
    st.builds(ModelCalled, st.just("p"), st.just("m"), st.text(max_size=3), st.just(())),
    st.builds(VersionAsked, st.just("codex"), st.just("i"), st.text(max_size=3)),
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(RECORDS, max_size=12), st.integers(0, 14))
def test_the_kinds_of_a_log_are_its_records_in_their_order(records: list[Record], since: int) -> None:
    log = WitnessLog()
    for number, record in enumerate(records):
        assert log.mark() == number
        log.add(record)
    kinds = (ForgeWrite, ModelCalled, VersionAsked)
    for kind in kinds:
        assert log.of(kind, since) == [record for record in records[since:] if type(record) is kind]
    assert sum(len(log.of(kind)) for kind in kinds) == log.mark() == len(records)


def test_what_was_there_before_a_mark_is_not_given_after_it() -> None:
    log = WitnessLog()
    log.add(ForgeWrite("comment", "s", "one"))
    mark = log.mark()
    log.add(VersionAsked("codex", "i", "1"))
    log.add(ForgeWrite("label", "s", "two"))
    assert [write.text for write in log.of(ForgeWrite, mark)] == ["two"]
    assert [write.text for write in log.of(ForgeWrite)] == ["one", "two"]


def test_two_logs_share_nothing() -> None:
    one, two = WitnessLog(), WitnessLog()
    one.add(VersionAsked("codex", "i", "1"))
    assert two.records == []


def test_an_error_tells_by_its_type_whose_fault_it_is() -> None:
    bases = (EngineError, DriverError, UnsupportedError, KitError)
    for error in bases:
        assert [base for base in bases if issubclass(error, base)] == [error]
    assert issubclass(FalseAdvertisingError, EngineError)
    assert UnsupportedError("control.kill").what == "control.kill"
    assert str(UnsupportedError("control.kill")) == "control.kill is declared unsupported"
