"""What the kit ships and publishes: records, the page that is made of them, and what the simulator declares by them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tck_driver.vocabulary import AdapterId
from tck_kit.assets import specification_file
from tck_kit.probe.npm import PACKAGES
from tck_kit.probe.page import page
from tck_kit.probe.record import Record
from tck_kit.probe.shipped import ADAPTERS as SHIPPED
from tck_kit.probe.shipped import all_shipped, shipped
from tck_kit.probe.table import CASES, PROBED
from tck_kit.probe.verified_table import table
from tck_kit.probe.words import Outcome
from tck_simulator import adapters
from tck_simulator.adapters.verified import VERIFIED

ROOT = Path(__file__).resolve().parents[3]
#: What no probe of the same version would give again.
_VOLATILE = re.compile(
    r"/(?:tmp|var)/|/root|/home/(?!agent)|[0-9a-f]{8}-[0-9a-f]{4}-|ses_[0-9A-Za-z]{20}|127\.0\.0\.1|tck-[0-9a-f]{8}"
)


@pytest.fixture(params=PROBED)
def record(request: pytest.FixtureRequest) -> Record:
    return shipped(request.param)


def test_the_page_of_the_adapters_is_made_of_the_records() -> None:
    held = (ROOT / "docs" / "adapters.md").read_text(encoding="utf-8")

    assert held == page(all_shipped()), "session-tck probe --publish docs/adapters.md"


def test_the_simulators_table_is_made_of_the_records() -> None:
    held = (ROOT / "simulator" / "tck_simulator" / "adapters" / "verified.py").read_text(encoding="utf-8")

    made = table(all_shipped())

    assert held == made, "python -m tck_kit.probe.verified_table simulator/tck_simulator/adapters/verified.py"


def test_every_adapter_has_a_record_and_declares_what_it_says() -> None:
    assert set(SHIPPED) == set(adapters.ADAPTERS) == set(VERIFIED)
    for one in all_shipped():
        adapter = adapters.ADAPTERS[one.adapter]
        able = one.abilities
        assert adapter.capability.resumable_sessions is able.resumes
        assert adapter.capability.session_state_path == able.state_path
        assert str(adapter.verified_from or "") == (able.verified_from or "")
        assert able.keeps_id is not False or adapter.rotates


def test_a_record_is_whole_and_of_the_version_that_is_pinned(record: Record) -> None:
    assert record.probe is not None
    assert record.probe.complete
    assert record.probe.version == PACKAGES[record.adapter].version
    assert [one.case for one in record.probe.findings] == list(CASES)
    assert record.probe.circumstances.network == "network namespace with loopback alone"
    assert record.probe.circumstances.origin == "npm"


def test_a_record_holds_nothing_of_the_machine_that_it_was_made_on(record: Record) -> None:
    path = ROOT / "kit" / "tck_kit" / "records" / f"{record.adapter.value}.json"

    assert _VOLATILE.findall(path.read_text(encoding="ascii")) == []


def test_every_version_of_a_record_was_seen_to_resume_by_what_reached_the_model(record: Record) -> None:
    assert record.probe is not None
    for probe in (record.probe, *record.also):
        assert probe.outcome("fresh") is Outcome.FRESH, probe.version
        assert probe.fact("resume", "history") == "all", probe.version
        assert probe.outcome("unknown-id") is Outcome.REFUSED, probe.version


def test_the_specification_names_the_versions_and_paths_of_the_records() -> None:
    text = specification_file().read_text(encoding="utf-8")
    for one in all_shipped():
        able = one.abilities
        assert f"| `{one.adapter.value}` | {able.verified_from or 'none'} |" in text
        if able.state_path is not None:
            assert f"| `{able.state_path}` |" in text


def test_nobody_has_verified_grok_build() -> None:
    held = shipped(AdapterId.GROK_BUILD)

    assert (held.probe, held.also, held.abilities.resumes) == (None, (), False)
    assert "Nobody has verified it" in page((held,))
