"""Coverage: requirements without scenarios, tags without requirements."""

from __future__ import annotations

import pytest

from tck_spec import ScenarioTag, coverage, parse

SPEC = parse(
    '- <a id="pot-1"></a>**POT-1** (agreed): The cook MUST warm the pot.\n'
    '- <a id="pot-2"></a>**POT-2** (agreed): The cook SHOULD warm the cup.\n'
    '- <a id="pot-3"></a>**POT-3** (agreed): The cook MAY sing a song.\n',
    "tea.md",
)
WARM = ScenarioTag("Warm pot", "features/pot.feature", 7)


def test_a_requirement_without_a_scenario_is_reported_by_its_strength() -> None:
    found = [(one.rule, one.severity, one.line, one.source) for one in coverage(SPEC, {})]
    assert found == [("COV001", "E", 1, None), ("COV001", "W", 2, None), ("COV001", "I", 3, None)]


@pytest.mark.parametrize("spelling", ["POT-1", "pot-1"])
def test_a_tag_covers_its_requirement_however_it_is_spelled(spelling: str) -> None:
    assert [one.line for one in coverage(SPEC, {spelling: [WARM]})] == [2, 3]


def test_an_id_without_scenarios_covers_nothing() -> None:
    assert [one.line for one in coverage(SPEC, {"POT-1": []})] == [1, 2, 3]


def test_a_tag_without_a_requirement_is_reported_where_the_scenario_is() -> None:
    links = {name: [WARM] for name in ("pot-1", "pot-2", "pot-3")} | {"pot-11": [WARM, WARM._replace(line=3)]}
    found = coverage(SPEC, links)
    assert [(one.rule, one.severity, one.source, one.line) for one in found] == [
        ("COV002", "E", "features/pot.feature", 3),
        ("COV002", "E", "features/pot.feature", 7),
    ]
    assert "Warm pot" in found[0].message
    assert found[0].hint == "did you mean POT-1?"
