"""What the laws know of the CLIs, their versions and the settings in force."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tck_driver.configuration import ProjectConfig, SettingScope, SettingValue, StoredSetting
from tck_driver.stimuli import PrefixChanged, SettingChanged
from tck_driver.vocabulary import AdapterId
from tck_features.laws.known import matches
from tck_features.laws.manuals import FREE, MANUALS, label_due
from tck_features.laws.settings import Settings
from tck_features.laws.versions import version_in

CLAUDE, CODEX, OPENCODE, COPILOT, GROK = (
    AdapterId.CLAUDE_CODE,
    AdapterId.CODEX,
    AdapterId.OPENCODE,
    AdapterId.COPILOT,
    AdapterId.GROK_BUILD,
)
UUID = "0199a213-81c0-7800-8aa1-bbab2a035a53"


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("2.1.197 (Claude Code)\n", (2, 1, 197, True, ())),
        ("codex-cli 0.122.0-alpha.1", (0, 122, 0, False, ((True, 0, "alpha"), (False, 1, "")))),
        ("GitHub Copilot CLI 1.0.102.\nRun 'copilot update'", (1, 0, 102, True, ())),
        ("1.2.3-rc.", (1, 2, 3, False, ((True, 0, "rc"),))),
        ("not-a-version v.x.y", None),
        ("1.2", None),
        ("", None),
        ("x" * 65_536 + " 1.2.3", None),
    ],
)
def test_a_version_is_the_first_of_its_form(text: str, right: object) -> None:
    assert version_in(text) == right


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("0.121.9", "0.122.0"),
        ("0.9.0", "0.10.0"),
        ("0.122.0-alpha.1", "0.122.0"),
        ("0.122.0-alpha", "0.122.0-alpha.1"),
        ("0.122.0-alpha.2", "0.122.0-alpha.10"),
        ("0.122.0-alpha.1", "0.122.0-alpha.beta"),
        ("0.122.0-alpha.beta", "0.122.0-rc.1"),
    ],
)
def test_versions_are_ordered_as_in_semver(older: str, newer: str) -> None:
    one, two = version_in(older), version_in(newer)
    assert one is not None
    assert two is not None
    assert one < two


@pytest.mark.parametrize(
    ("adapter", "version", "name", "right"),
    [
        (CLAUDE, "2.1.197", "agent/issue-1", "agent/issue-1"),
        (CLAUDE, "10.0.0", "agent/issue-1", "agent/issue-1"),
        (CLAUDE, "2.0.54", "agent/issue-1", None),
        (CLAUDE, "1.0.124", "agent/issue-1", None),
        (CLAUDE, "2.1.0", "agent/issue-1", FREE),
        (CLAUDE, "", "agent/issue-1", FREE),
        (CODEX, "0.171.0", "agent/issue-1", None),
        (CODEX, "", "agent/issue-1", None),
        (OPENCODE, "1.15.3", "agent/issue-1", "agent/issue-1"),
        (OPENCODE, "1.15.2", "agent/issue-1", FREE),
        (COPILOT, "1.0.73", "x" * 100, "x" * 100),
        (COPILOT, "1.0.73", "x" * 101, None),
        (COPILOT, "1.0.24", "agent/issue-1", FREE),
        (GROK, "0.1.0", "agent/issue-1", None),
    ],
)
def test_a_label_is_due_by_adapter_and_version(adapter: AdapterId, version: str, name: str, right: object) -> None:
    assert label_due(MANUALS[adapter], version_in(version), name) == right


@pytest.mark.parametrize(
    ("adapter", "native_id", "right"),
    [
        (CLAUDE, UUID, True),
        (CODEX, UUID.upper(), False),
        (CODEX, f"{UUID}\n", False),
        (CODEX, f" {UUID}", False),
        (COPILOT, "\u0661" + UUID[1:], False),
        (OPENCODE, UUID, False),
        (OPENCODE, "ses_" + "a" * 26, True),
        (OPENCODE, "ses_" + "a" * 25, False),
        (AdapterId.API, UUID, False),
        (CLAUDE, "", False),
        (CLAUDE, "--yolo", False),
    ],
)
def test_an_id_is_one_as_a_whole(adapter: AdapterId, native_id: str, *, right: bool) -> None:
    assert matches(adapter, native_id) is right


ORGANIZATION: tuple[SettingScope, str, str] = ("organization", "acme", "")
PROJECT: tuple[SettingScope, str, str] = ("project", "acme", "shop")


def switch(scope: tuple[SettingScope, str, str], *, to: SettingValue) -> SettingChanged:
    return SettingChanged(*scope, "AGENT_SESSION_RESUME", to)


@pytest.mark.parametrize(
    ("changes", "right", "by"),
    [
        ([], True, "OFF-1"),
        ([switch(ORGANIZATION, to=False)], False, "OFF-2"),
        ([switch(PROJECT, to=False)], False, "OFF-3"),
        ([switch(ORGANIZATION, to=False), switch(PROJECT, to=True)], True, "OFF-9"),
        ([switch(ORGANIZATION, to=True), switch(PROJECT, to="FALSE")], False, "OFF-9"),
        ([switch(PROJECT, to=False), switch(PROJECT, to=None)], True, "OFF-1"),
        ([switch(PROJECT, to="off")], True, "OFF-10"),
        ([switch(PROJECT, to=False), switch(PROJECT, to=1)], False, "OFF-10"),
        ([switch(("project", "acme", "other"), to=False)], True, "OFF-1"),
    ],
)
def test_the_project_decides_then_the_organization(changes: list[SettingChanged], by: str, *, right: bool) -> None:
    settings = Settings((), ())
    for change in changes:
        settings.take(change)
    on, requirements = settings.resumes("acme", "shop")
    assert (on, by in requirements) == (right, True)


def test_a_prefix_is_the_latest_that_was_accepted() -> None:
    settings = Settings([ProjectConfig("acme", "shop", "bot-")], ())
    assert settings.prefixes("acme", "shop") == ("bot-",)
    settings.take(PrefixChanged("acme", "shop", "x/"))
    settings.take(PrefixChanged("acme", "shop", "a..b/"))
    assert settings.prefixes("acme", "shop") == ("x/",)
    assert settings.prefixes("acme", "other") == ("agent/",)


def test_what_two_readings_allow_is_allowed() -> None:
    stored: StoredSetting = ("organization", "acme", "", "BRANCH_PREFIX", "ours/")
    settings = Settings([ProjectConfig("acme", "shop")], [stored])
    assert settings.prefixes("acme", "shop") == ("agent/", "ours/")
    assert settings.prefixes("acme", "other") == ("ours/",)


def test_between_two_sweeps_lies_the_longest_time_that_was_ever_set() -> None:
    settings = Settings((), [("instance", "", "", "RECONCILE_SECONDS", 900)])
    settings.take(SettingChanged("instance", "", "", "RECONCILE_SECONDS", 5))
    assert settings.between_sweeps == timedelta(seconds=900)
