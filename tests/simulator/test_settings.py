"""Settings: what is accepted at which scope, what is refused with which words, and which scope wins."""

# ruff: noqa: FBT001 -- pytest and hypothesis hand parameters over by name

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_driver.configuration import SettingScope, SettingValue
from tck_simulator.settings import SETTINGS, Effective, SettingError, accept

from .laws import law

RESUME = "AGENT_SESSION_RESUME"


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (True, True),
        (False, False),
        ("true", True),
        ("false", False),
        ("TRUE", True),
        ("False", False),
        ("fAlSe", False),
    ],
)
@pytest.mark.parametrize("scope", ["organization", "project"])
def test_a_boolean_is_json_or_one_of_two_words(scope: SettingScope, value: SettingValue, stored: bool) -> None:
    assert accept(RESUME, scope, value) is stored


@pytest.mark.parametrize(
    "value", ["off", "on", "0", "1", 0, 1, "", " true", "true ", "yes", "no", "None", None, "trüe"]
)
def test_what_is_no_boolean_is_refused_with_setting_scope_value_and_cure(value: SettingValue) -> None:
    with pytest.raises(SettingError) as caught:
        accept(RESUME, "project", value)
    assert str(caught.value) == f"{RESUME} at project scope: {value!r} is refused; give true or false"


#: Name, default and least value of the settings of the instance (§23.3).
WHOLE = [
    ("PHASE_TIMEOUT_MINUTES", 30, 1),
    ("LLM_MAX_RETRIES", 3, 0),
    ("LLM_RETRY_BACKOFF_SECONDS", 60, 0),
    ("LEASE_SECONDS", 60, 3),
    ("RETENTION_DAYS", 30, 1),
]


@pytest.mark.parametrize(("name", "default", "least"), WHOLE)
def test_a_whole_number_has_a_least_value(name: str, default: int, least: int) -> None:
    assert Effective({}).value(name) == default
    assert accept(name, "instance", least) == least
    assert accept(name, "instance", 10**9) == 10**9
    for value in (least - 1, True, False, "5", "", None):
        with pytest.raises(SettingError, match=f"{name} at instance scope: .* a whole number from {least}"):
            accept(name, "instance", value)


@pytest.mark.parametrize(
    ("name", "scope", "cure"),
    [
        (RESUME, "instance", "organization or project"),
        ("RETENTION_DAYS", "project", "instance"),
        ("RETENTION_DAYS", "organization", "instance"),
    ],
)
def test_a_wrong_scope_is_refused_and_the_right_one_named(name: str, scope: SettingScope, cure: str) -> None:
    with pytest.raises(SettingError, match=f"^{name} at {scope} scope: it is stored at {cure} scope only$"):
        accept(name, scope, value=True)


def test_an_unknown_setting_is_refused_and_the_known_ones_named() -> None:
    with pytest.raises(SettingError, match="AGENT_SESSION_RESUM at project scope: there is no such setting") as caught:
        accept("AGENT_SESSION_RESUM", "project", value=True)
    assert all(name in str(caught.value) for name in SETTINGS)


@pytest.mark.parametrize(
    ("organization", "project", "value"),
    [
        (None, None, True),  # OFF-1
        (False, None, False),
        (True, None, True),
        (None, False, False),
        (None, True, True),
        (False, True, True),  # OFF-9
        (True, False, False),
        (False, False, False),
    ],
)
def test_the_project_wins_over_the_organization_and_it_over_the_default(
    organization: bool | None,
    project: bool | None,
    value: bool,
) -> None:
    stored = {"organization": organization, "project": project}
    held = {scope: set_to for scope, set_to in stored.items() if set_to is not None}
    assert Effective({RESUME: held}).value(RESUME) is value


@law
@given(st.sampled_from(sorted(SETTINGS)), st.booleans() | st.integers() | st.text() | st.none())
def test_an_accepted_value_is_accepted_again_as_it_is_stored(name: str, value: SettingValue) -> None:
    scope = SETTINGS[name].scopes[0]
    refusal = ""
    try:
        stored = accept(name, scope, value)
    except SettingError as fault:
        stored, refusal = SETTINGS[name].default, str(fault)
    assert accept(name, scope, stored) == stored
    assert type(stored) is type(SETTINGS[name].default)
    assert not refusal or (refusal.startswith(f"{name} at {scope} scope: ") and "\n" not in refusal)
