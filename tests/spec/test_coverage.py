"""Coverage: requirements without scenarios, tags without requirements."""

from __future__ import annotations

from datetime import date

import pytest

from tck_spec import ScenarioTag, coverage, parse
from tck_spec.coverage import Required, Suspect, Waivers, meant
from tck_spec.settings import Waiver

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


POTS = [Required("POT-1", "MUST", 3, 5, "2 Pots"), Required("POT-2", "MUST", 4, 5, "2 Pots")]
TODAY = date(2030, 5, 1)


def _waivers(requirement: str, reason: str, until: date | None) -> Waivers:
    return Waivers([Waiver(requirement, reason, until, 7)], TODAY, "session-tck.toml")


@pytest.mark.parametrize("until", [None, date(2030, 5, 1), date(2031, 1, 1)])
def test_a_waiver_with_a_reason_holds_until_the_end_of_its_day(until: date | None) -> None:
    found = coverage(POTS, {"pot-2": [WARM]}, _waivers("pot-1", "the pot is on order", until))
    assert found == ()


@pytest.mark.parametrize(
    ("requirement", "reason", "until", "said"),
    [
        ("POT-1", " ", None, "has no reason"),
        ("POT-1", "soon", date(2030, 4, 30), "ended on 2030-04-30"),
    ],
)
def test_a_waiver_that_waives_nothing_is_an_error_and_so_is_the_hole(
    requirement: str, reason: str, until: date | None, said: str
) -> None:
    found = coverage(POTS, {"pot-2": [WARM]}, _waivers(requirement, reason, until))
    assert [(one.rule, one.severity, one.source, one.line) for one in found] == [
        ("COV001", "E", None, 3),
        ("COV004", "E", "session-tck.toml", 7),
    ]
    assert said in found[1].message


def test_a_waiver_of_nothing_is_an_error() -> None:
    found = coverage(POTS, {"pot-1": [WARM], "pot-2": [WARM]}, _waivers("POT-11", "it was withdrawn", None))
    assert [(one.rule, one.hint) for one in found] == [("COV004", "did you mean POT-1?")]


@pytest.mark.parametrize(("strict", "severity"), [(True, "E"), (False, "W")])
def test_a_scenario_for_an_earlier_wording_is_suspect(strict: bool, severity: str) -> None:  # noqa: FBT001 -- a pair
    links = {"pot-1": [WARM], "pot-2": [WARM]}
    found = coverage(POTS, links, suspects=[Suspect("POT-1", WARM)], strict=strict)
    assert [(one.rule, one.severity, one.source, one.line) for one in found] == [
        ("COV003", severity, "features/pot.feature", 7)
    ]


def test_a_scenario_that_never_runs_leaves_its_section_idle() -> None:
    idle = WARM._replace(idle="is tagged @wip")
    found = coverage(POTS, {"pot-1": [idle], "pot-2": [idle]})
    assert [(one.rule, one.severity, one.line) for one in found] == [("COV005", "W", 3)]
    assert "2 Pots" in found[0].message
    assert coverage(POTS, {"pot-1": [idle, WARM], "pot-2": [WARM]}) == ()


@pytest.mark.parametrize(
    ("tag", "is_one"),
    [
        ("pot-1", True),
        ("pot-9", True),
        ("pto-1", True),
        ("pot", False),
        ("smoke", False),
        ("issue-123", False),
        ("wip", False),
    ],
)
def test_a_tag_is_meant_as_an_id_or_is_somebody_elses(tag: str, is_one: bool) -> None:  # noqa: FBT001 -- a right value
    assert (meant([tag], {"POT-1", "POT-2"}) == {tag}) is is_one
