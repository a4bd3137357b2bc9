"""An engine behind a driver, as steps hold it: what is sent for each call, and what is not."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import cast

import pytest

from tck_driver import schemas
from tck_driver.capabilities import CAPABILITIES, FEATURES
from tck_driver.configuration import Binding, ProjectConfig
from tck_driver.engine import Leaks, Quiescence
from tck_driver.errors import (
    DriverError,
    EngineError,
    FalseAdvertisingError,
    KitError,
    UnsupportedError,
    UntestableError,
)
from tck_driver.messages import (
    Json,
    config_params,
    read_config,
    read_rows,
    read_stimulus,
    row_fields,
    stimulus_params,
)
from tck_driver.remote import RemoteEngine
from tck_driver.stimuli import (
    STIMULUS_TYPES,
    BindingChanged,
    InstallationChanged,
    IssueBlocked,
    IssueClosed,
    IssueDeleted,
    IssueOpened,
    IssueReopened,
    IssueRetitled,
    IssueRetry,
    LeaseExpired,
    MergeRequestEventSent,
    PrefixChanged,
    ReconcileDue,
    ReviewRequested,
    RunDue,
    SettingChanged,
    Stimulus,
    StimulusResult,
    WorkerWoken,
)
from tck_driver.views import ROW_TYPES, CounterRow, ViewName
from tck_driver.vocabulary import AdapterId, Closing, MergeRequestEvent, Phase, RunOutcome

from .scripted import CONFIG, DONE, IDLE, ISSUE, MAILBOX, NOON, REVIEW, Scene


@pytest.fixture
def scene() -> Scene:
    return Scene()


# What is sent


def test_opening_tells_the_whole_configuration_and_where_everything_is(scene: Scene) -> None:
    assert scene.engine.open(CONFIG) is None

    ((method, params),) = scene.log
    assert method == "scenario/open"
    assert params == {
        "ref": "0001",
        "seed": 7,
        "workdir": "/scenes/0001",
        "endpoints": scene.around.endpoints(),
        "config": {
            "base": "/base",
            "now": "2026-01-05T12:00:00Z",
            "projects": [
                {
                    "organization": "acme",
                    "name": "shop",
                    "branch_prefix": "agent/",
                    "bindings": [
                        {"phase": phase, "adapter": "codex", "provider": "provider-a", "model": "model-a"}
                        for phase in Phase
                    ],
                }
            ],
            "settings": [
                {
                    "scope": "project",
                    "organization": "acme",
                    "project": "shop",
                    "name": "AGENT_SESSION_RESUME",
                    "value": True,
                }
            ],
            "credential_mounts": [{"target": "/home/agent/.secrets/token", "source": "/host/token"}],
            "images": [
                {"adapter": adapter, "image": f"runner-{adapter}:1"} for adapter in AdapterId if adapter != "api"
            ],
        },
    }
    schemas.check_params(method, params)
    assert read_config(params, None) == CONFIG


CALLS: list[tuple[Callable[[RemoteEngine], object], str, Json, object]] = [
    (lambda engine: engine.query("counters"), "state/query", {"view": "counters"}, []),
    (lambda engine: engine.quiesce(250), "barrier/quiesce", {"deadline_ms": 250}, Quiescence(idle=True)),
    (lambda engine: engine.kill(), "engine/kill", {}, None),
    (lambda engine: engine.start(), "engine/start", {}, None),
    (
        lambda engine: engine.overwrite("7", "id"),
        "state/overwrite",
        {"run": "7", "native_session_id": "id"},
        None,
    ),
    (
        lambda engine: engine.advance(1500),
        "clock/advance",
        {"ms": 1500, "now": "2026-01-05T12:00:01.500000Z"},
        None,
    ),
    (
        lambda engine: engine.send(RunDue(ISSUE, Phase.ANSWER)),
        "stimulus/send",
        {"type": "run.due", "payload": {"mailbox": MAILBOX, "phase": "answer"}},
        StimulusResult(),
    ),
]


@pytest.mark.parametrize(("call", "method", "params", "given"), CALLS, ids=[method for _, method, _, _ in CALLS])
def test_each_call_is_one_request(
    scene: Scene, call: Callable[[RemoteEngine], object], method: str, params: Json, given: object
) -> None:
    assert call(scene.engine) == given
    assert [(name, value) for name, value in scene.log if "/" in name] == [(method, params)]


STIMULI: list[tuple[Stimulus, Json]] = [
    (IssueOpened(ISSUE, "Ü"), {"mailbox": MAILBOX, "title": "Ü"}),
    (IssueRetitled(ISSUE, ""), {"mailbox": MAILBOX, "title": ""}),
    (IssueClosed(ISSUE, Closing.UNMERGED), {"mailbox": MAILBOX, "how": "unmerged"}),
    (IssueReopened(ISSUE), {"mailbox": MAILBOX}),
    (IssueDeleted(ISSUE), {"mailbox": MAILBOX}),
    (IssueBlocked(ISSUE), {"mailbox": MAILBOX}),
    (IssueRetry(ISSUE), {"mailbox": MAILBOX}),
    (ReviewRequested(REVIEW, "t"), {"mailbox": {**MAILBOX, "kind": "merge_request", "iid": 3}, "title": "t"}),
    (
        MergeRequestEventSent("acme", "shop", 1001, MergeRequestEvent.CI_FAILED),
        {"organization": "acme", "project": "shop", "merge_request": 1001, "event": "ci_failed"},
    ),
    (RunDue(ISSUE, Phase.CI_FIX), {"mailbox": MAILBOX, "phase": "ci_fix"}),
    (
        SettingChanged("instance", "", "", "X", None),
        {"scope": "instance", "organization": "", "project": "", "name": "X", "value": None},
    ),
    (
        SettingChanged("organization", "acme", "", "X", value=True),
        {"scope": "organization", "organization": "acme", "project": "", "name": "X", "value": True},
    ),
    (
        SettingChanged("project", "acme", "shop", "X", "1"),
        {"scope": "project", "organization": "acme", "project": "shop", "name": "X", "value": "1"},
    ),
    (
        BindingChanged("acme", "shop", Binding(AdapterId.OPENCODE, "p", "m"), Phase.ANSWER),
        {
            "organization": "acme",
            "project": "shop",
            "binding": {"adapter": "opencode", "provider": "p", "model": "m"},
            "phase": "answer",
        },
    ),
    (
        BindingChanged("acme", "shop", Binding(AdapterId.API)),
        {
            "organization": "acme",
            "project": "shop",
            "binding": {"adapter": "api", "provider": "provider-a", "model": "model-a"},
            "phase": None,
        },
    ),
    (PrefixChanged("acme", "shop", "bot/"), {"organization": "acme", "project": "shop", "prefix": "bot/"}),
    (InstallationChanged(AdapterId.CODEX, "runner:2"), {"adapter": "codex", "image": "runner:2"}),
    (LeaseExpired(ISSUE), {"mailbox": MAILBOX}),
    (WorkerWoken(ISSUE), {"mailbox": MAILBOX}),
    (ReconcileDue(), {}),
]


def test_there_is_a_stimulus_of_every_kind_among_those_that_are_sent_here() -> None:
    assert {type(stimulus) for stimulus, _ in STIMULI} == set(STIMULUS_TYPES.values())


@pytest.mark.parametrize(("stimulus", "payload"), STIMULI, ids=lambda one: type(one).__name__)
def test_the_tracker_hears_of_a_stimulus_and_then_the_engine_is_told(
    scene: Scene, stimulus: Stimulus, payload: Json
) -> None:
    scene.engine.send(stimulus)

    assert scene.log[0] == ("hear", stimulus)
    ((method, params),) = scene.log[1:]
    assert (method, params["payload"]) == ("stimulus/send", payload)
    assert STIMULUS_TYPES[params["type"]] is type(stimulus)
    assert read_stimulus(params) == stimulus == read_stimulus(stimulus_params(stimulus))


def test_what_the_engine_says_of_a_stimulus_is_given_on(scene: Scene) -> None:
    scene.answers("stimulus/send", {"run": "7", "outcome": "timed_out", "error": "no", "rest": IDLE})

    assert scene.engine.send(ReconcileDue()) == StimulusResult("7", RunOutcome.TIMED_OUT, "no")


@pytest.mark.parametrize("method", ["scenario/open", "engine/start"])
def test_a_refused_configuration_is_given_on_and_nothing_is_waited_for(scene: Scene, method: str) -> None:
    scene.answers(method, {"refused": "X is no setting"})

    said = scene.engine.open(CONFIG) if method == "scenario/open" else scene.engine.start()

    assert said == "X is no setting"
    assert scene.asked == [method]


def _meant(part: Json) -> Json:
    """Follow a reference from one schema into another."""
    _, _, name = part.get("$ref", "").rpartition("/")
    return cast("Json", schemas.schema("common")["$defs"][name]) if name else part


def _columns(view: str) -> Json:
    """Give the schema of each column of a view."""
    row = _meant(schemas.schema("state-query")["$defs"]["rows"][view])
    return {name: _meant(part) for name, part in row["properties"].items()}


#: Values of columns that hold more than a text, a number or a truth.
HELD: Json = {
    "mailbox": MAILBOX,
    "outcome": "live",
    "scope": "instance",
    "lines": [["Session", "agent/issue-17"], ["Resumed", "no"]],
    "session": {"name": "n", "resumeId": None, "stateDir": "/s"},
    "result": {"sessionId": "i", "resumed": False, "resumeFallback": None},
}
PLAIN: Json = {"string": "text", "boolean": True, "integer": 3}


def _value(name: str, part: Json, *, null: bool) -> object:
    """Give a value that a column can have: null where it may."""
    kinds = [one.get("type", "") for one in part.get("anyOf", [part])]
    flat: list[str] = [kind for one in kinds for kind in ([one] if isinstance(one, str) else one)]
    if null and "null" in flat:
        return None
    return HELD[name] if name in HELD else PLAIN[flat[0]]


@pytest.mark.parametrize("null", [False, True], ids=["all there", "null where it may be"])
@pytest.mark.parametrize("view", sorted(ROW_TYPES))
def test_the_rows_of_a_view_are_read_as_they_are_said(scene: Scene, view: ViewName, *, null: bool) -> None:
    row = {name: _value(name, part, null=null) for name, part in _columns(view).items()}
    scene.answers("state/query", {"rows": [row, row]})

    read = scene.engine.query(view)

    assert json.loads(json.dumps([row_fields(one) for one in read])) == [row, row]
    assert all(type(one) is ROW_TYPES[view] for one in read)
    assert [one.name for one in dataclasses.fields(ROW_TYPES[view])] == list(row)


def test_the_value_of_a_setting_keeps_its_type() -> None:
    values = [True, False, 0, 1, "1", "true", "", None]
    fields = {"scope": "instance", "organization": "", "project": "", "name": "X"}

    read = read_rows("settings", [{**fields, "value": value} for value in values])

    assert [repr(row_fields(row)["value"]) for row in read] == [repr(value) for value in values]


# What is not sent


def without(capability: str, said: str | None) -> Scene:
    """Give an engine that has everything but one capability: declined, or left out."""
    declared: dict[str, str] = dict.fromkeys(CAPABILITIES, "supported")
    del declared[capability]
    return Scene(declared if said is None else {**declared, capability: said})


def _open_with(*adapters: AdapterId) -> Callable[[RemoteEngine], object]:
    projects = tuple(ProjectConfig.of("acme", f"p{adapter}", adapter) for adapter in adapters)
    return lambda engine: engine.open(dataclasses.replace(CONFIG, projects=projects))


def _send(stimulus: Stimulus) -> Callable[[RemoteEngine], object]:
    return lambda engine: engine.send(stimulus)


NEEDS: list[tuple[str, Callable[[RemoteEngine], object]]] = [
    ("sessions", _open_with(AdapterId.CODEX)),
    *((f"adapter.{adapter}", _open_with(AdapterId.CODEX, adapter)) for adapter in AdapterId),
    ("adapter.copilot", _send(BindingChanged("acme", "shop", Binding(AdapterId.COPILOT)))),
    ("adapter.copilot", _send(InstallationChanged(AdapterId.COPILOT, "i"))),
    ("mailbox.merge_request", _send(ReviewRequested(REVIEW, "t"))),
    ("mailbox.merge_request", _send(RunDue(REVIEW, Phase.HUMAN_REVIEW))),
    ("mailbox.merge_request", _send(LeaseExpired(REVIEW))),
    *((f"stimulus.{stimulus_params(stimulus)['type']}", _send(stimulus)) for stimulus, _ in STIMULI),
    *((f"view.{view}", lambda engine, view=view: engine.query(view)) for view in ROW_TYPES),
    ("control.clock", lambda engine: engine.advance(1)),
    ("control.kill", lambda engine: engine.kill()),
    ("control.kill", lambda engine: engine.start()),
    ("control.overwrite", lambda engine: engine.overwrite("7", "id")),
]


def test_every_capability_is_needed_by_a_call() -> None:
    assert {capability for capability, _ in NEEDS} == set(CAPABILITIES)


@pytest.mark.parametrize(("capability", "call"), NEEDS, ids=[capability for capability, _ in NEEDS])
def test_what_is_declined_or_undeclared_is_not_asked_for_and_nobody_hears_of_it(
    capability: str, call: Callable[[RemoteEngine], object]
) -> None:
    declined = without(capability, "unsupported")
    with pytest.raises(UnsupportedError if capability in FEATURES else UntestableError, match=capability):
        call(declined.engine)

    undeclared = without(capability, None)
    with pytest.raises(UntestableError, match=f"{capability} is undeclared"):
        call(undeclared.engine)

    assert declined.log == undeclared.log == []


def test_a_stimulus_for_an_issue_needs_nothing_of_merge_requests_nor_of_other_adapters() -> None:
    scene = Scene({"sessions": "supported", "adapter.codex": "supported", "stimulus.run.due": "supported"})

    scene.engine.open(CONFIG)
    scene.engine.send(RunDue(ISSUE, Phase.ANSWER))

    assert scene.asked == ["scenario/open", "stimulus/send"]


def test_what_cannot_be_said_to_any_driver_is_the_kits_fault(scene: Scene) -> None:
    with pytest.raises(KitError, match="no message that a driver can be sent"):
        scene.engine.send(RunDue(dataclasses.replace(ISSUE, iid=0), Phase.ANSWER))

    assert scene.asked == []


# Ends and faults


def test_closing_gives_what_was_left_behind(scene: Scene) -> None:
    scene.engine.open(CONFIG)
    scene.answers("scenario/close", {"leaks": ["run 7"]})

    assert scene.engine.close() == Leaks(("run 7",))


@pytest.mark.parametrize("opened", [False, True])
def test_a_driver_that_never_heard_of_a_scenario_or_hears_no_more_is_not_told_of_its_end(
    scene: Scene, *, opened: bool
) -> None:
    if opened:
        scene.engine.open(CONFIG)
        scene.wire.usable = False
    scene.log.clear()

    assert scene.engine.close() == Leaks()
    assert scene.log == []


def test_an_engine_that_was_not_opened_for_want_of_a_feature_is_not_closed() -> None:
    scene = without("adapter.codex", "unsupported")
    with pytest.raises(UnsupportedError):
        scene.engine.open(CONFIG)

    assert scene.engine.close() == Leaks()
    assert scene.log == []


def test_a_scenario_that_the_engine_refused_is_closed(scene: Scene) -> None:
    scene.answers("scenario/open", {"refused": "no"})
    scene.engine.open(CONFIG)
    scene.engine.close()

    assert scene.asked == ["scenario/open", "scenario/close"]


ERRORS: list[tuple[Json, type[Exception], str]] = [
    ({"code": -32002, "message": "out of memory"}, EngineError, "out of memory"),
    (
        {"code": -32001, "message": "no", "data": {"capability": "stimulus.reconcile.due"}},
        FalseAdvertisingError,
        "is declared as supported",
    ),
    ({"code": -32603, "message": "a bug"}, DriverError, "error -32603: a bug"),
]


@pytest.mark.parametrize(("error", "raised", "words"), ERRORS, ids=["failed", "refused", "a bug"])
def test_an_error_is_the_engines_or_the_drivers_by_its_code(
    scene: Scene, error: Json, raised: type[Exception], words: str
) -> None:
    scene.answers("stimulus/send", {"error": error})

    with pytest.raises(raised, match=words):
        scene.engine.send(ReconcileDue())


@pytest.mark.parametrize("answer", [DONE, {"error": {"code": -32002, "message": "the stand-in did not answer"}}])
def test_what_is_wrong_among_the_kits_own_stand_ins_is_the_kits_whatever_the_engine_makes_of_it(
    scene: Scene, answer: Json
) -> None:
    scene.answers("stimulus/send", answer)
    scene.around.fault = "docker run --gpus is not in the stand-in"

    with pytest.raises(KitError, match="--gpus"):
        scene.engine.send(ReconcileDue())


def test_who_the_engine_is_was_said_when_the_driver_began(scene: Scene) -> None:
    assert scene.engine.declare(CAPABILITIES) is scene.connection.declaration
    assert scene.engine.declare(CAPABILITIES).language == "Go"
    assert scene.log == []


def test_a_row_is_read_into_the_type_of_its_view(scene: Scene) -> None:
    scene.answers("state/query", {"rows": [{"mailbox": MAILBOX, "llm_retries": 2, "fix_attempts": 0}]})

    assert scene.engine.query("counters") == [CounterRow(ISSUE, 2, 0)]


def test_the_configuration_says_nothing_of_a_database(scene: Scene) -> None:
    assert "database" not in json.dumps(config_params(dataclasses.replace(CONFIG, database_url="x"), NOON))
    scene.engine.open(dataclasses.replace(CONFIG, database_url="sqlite:///hers"))
    assert "hers" not in json.dumps(scene.log[0][1])
