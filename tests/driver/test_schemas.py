"""The schemas refuse what is wrong, say where and why, and both of their readers are of one mind."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tck_driver import schemas
from tck_driver.bench import Shape
from tck_driver.capabilities import CAPABILITIES
from tck_driver.courses import ACT_TYPES, Come, Policy, Role, Start
from tck_driver.messages import Json
from tck_driver.stimuli import STIMULUS_TYPES
from tck_driver.views import ViewName

MAILBOX: Json = {"organization": "acme", "project": "shop", "kind": "issue", "iid": 7}
REST: Json = {
    "idle": False,
    "pending": [{"what": "run 1", "waits_for": "container", "container": "c1"}],
    "next_deadline": "2026-01-05T09:00:00Z",
}
#: A valid message of every method: params and result.
VALID: Mapping[str, tuple[Json, Json]] = {
    "initialize": (
        {
            "protocol": 1,
            "kit": {"name": "session-tck", "version": "1.0.0"},
            "spec": {"id": "session-resume", "version": "1.0.0", "digest": "sha256:0"},
            "capabilities": [*CAPABILITIES],
            "directory": "/tmp/driver-1",  # noqa: S108 -- a text
        },
        {
            "protocol": 1,
            "driver": {"name": "a driver", "version": "1.4.0"},
            "implementation": {"name": "an engine", "version": "1.4.0", "language": "Go", "homepage": ""},
            "capabilities": {"sessions": "supported", "adapter.api": "unsupported"},
            "clock": "virtual",
            "policy": {
                "scope": ["agent"],
                "identity": "reported",
                "valid": "success",
                "fork": "reject",
                "fallback": "same_turn",
                "prompt": "delta",
                "default": "on",
                "switch": "--no-resume",
            },
        },
    ),
    "scenario/open": (
        {
            "ref": "0001",
            "seed": 1,
            "workdir": "/scenes/0001",
            "endpoints": {"path": "/bin", "forge": "http://127.0.0.1:1/forge", "model": "http://127.0.0.1:1/model"},
            "config": {
                "base": "/scenes/0001/base",
                "now": "2026-01-05T09:00:00Z",
                "projects": [
                    {
                        "organization": "acme",
                        "name": "shop",
                        "branch_prefix": "agent/",
                        "bindings": [{"phase": "analysis", "adapter": "codex", "provider": "p", "model": "m"}],
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
                "credential_mounts": [{"target": "/home/agent/.netrc", "source": "/scenes/netrc"}],
                "images": [{"adapter": "codex", "image": "runner-codex:1"}],
            },
        },
        {"refused": None, "rest": REST},
    ),
    "stimulus/send": (
        {"type": "issue.opened", "payload": {"mailbox": MAILBOX, "title": "Mend the door"}},
        {"run": "1", "outcome": "live", "error": None, "rest": REST},
    ),
    "clock/advance": (
        {"ms": 1000, "now": "2026-01-05T09:00:01Z"},
        {"now": "2026-01-05T09:00:01.000Z", "rest": REST},
    ),
    "barrier/quiesce": ({"deadline_ms": 500}, REST),
    "state/query": (
        {"view": "sessions"},
        {
            "rows": [
                {
                    "run": "1",
                    "mailbox": MAILBOX,
                    "adapter_id": "codex",
                    "phase": "analysis",
                    "provider": "p",
                    "model": "m",
                    "session_name": "agent/issue-7-mend-the-door",
                    "native_session_id": None,
                    "resumed": False,
                    "resume_fallback": "no_prior_session",
                    "outcome": "succeeded",
                }
            ]
        },
    ),
    "state/overwrite": ({"run": "1", "native_session_id": "../x"}, {}),
    "engine/kill": ({}, {}),
    "engine/start": ({}, {"refused": "AGENT_CREDENTIAL_MOUNTS is wrong", "rest": REST}),
    "course/cast": (
        {
            "ref": "0001",
            "workdir": "/scenes/0001",
            "endpoints": {"path": "/bin", "forge": "http://127.0.0.1:1/forge", "model": "http://127.0.0.1:1/model"},
            "course": {
                "acts": [
                    {
                        "act": "turn",
                        "scope": "a",
                        "starts": [{"shape": "unsaved", "invalid": False}],
                        "hook_fails": False,
                        "killed": True,
                    },
                    {"act": "restart"},
                    {"act": "switch", "on": False},
                    {"act": "moved", "scope": "a"},
                ]
            },
        },
        {
            "cast": {
                "roles": [
                    {
                        "scope": "a",
                        "adapter": "claude-code",
                        "prompt": "for a",
                        "full": "the task",
                        "answers": ["Done."],
                        "invalid": "{",
                    }
                ]
            }
        },
    ),
    "course/play": (
        {},
        {"acts": [{"outcome": "done"}, {"outcome": "failed", "visible": "in red"}], "visible": "exit code 1"},
    ),
    "scenario/close": ({}, {"leaks": ["run 1"]}),
    "shutdown": ({}, {}),
}
GONE = object()
Step = str | int

#: Method, where in its params (0) or result (1), what stands there instead, and what is then said.
WRONG: Sequence[tuple[str, int, tuple[Step, ...], object, str]] = (
    ("initialize", 0, ("protocol",), "1", "1 was expected @ $.protocol"),
    ("initialize", 0, ("directory",), GONE, "'directory' is a required property @ $"),
    ("initialize", 1, ("protocol",), None, "None is not of type 'integer' @ $.protocol"),
    ("initialize", 1, ("clock",), "sundial", "'sundial' is not one of ['virtual', 'wall'] @ $.clock"),
    (
        "initialize",
        1,
        ("capabilities", "sessions"),
        True,
        "True is not one of ['supported', 'unsupported'] @ $.capabilities.sessions",
    ),
    ("initialize", 1, ("capabilities",), ["sessions"], "['sessions'] is not of type 'object' @ $.capabilities"),
    ("initialize", 1, ("implementation", "version"), "", "'' should be non-empty @ $.implementation.version"),
    ("initialize", 1, ("implementation", "language"), GONE, "'language' is a required property @ $.implementation"),
    (
        "initialize",
        1,
        ("implementation", "licence"),
        "MIT",
        "Additional properties are not allowed ('licence' was unexpected) @ $.implementation",
    ),
    ("scenario/open", 0, ("seed",), -1, "-1 is less than the minimum of 0 @ $.seed"),
    ("scenario/open", 0, ("ref",), "", "'' should be non-empty @ $.ref"),
    (
        "scenario/open",
        0,
        ("endpoints", "forge"),
        "ftp://x",
        "'ftp://x' does not match '^http://' @ $.endpoints.forge",
    ),
    (
        "scenario/open",
        0,
        ("config", "projects", 0, "bindings", 0, "adapter"),
        "gpt",
        (
            "'gpt' is not one of ['claude-code', 'codex', 'opencode', 'copilot', 'grok-build', 'api']"
            " @ $.config.projects[0].bindings[0].adapter"
        ),
    ),
    (
        "scenario/open",
        0,
        ("config", "settings", 0, "value"),
        0.5,
        "0.5 is not of type 'boolean', 'integer', 'string', 'null' @ $.config.settings[0].value",
    ),
    ("scenario/open", 1, ("refused",), GONE, "'refused' is a required property @ $"),
    ("scenario/open", 1, ("refused",), False, "False is not of type 'string', 'null' @ $.refused"),
    ("scenario/open", 1, ("rest", "idle"), "yes", "'yes' is not of type 'boolean' @ $.rest.idle"),
    (
        "stimulus/send",
        0,
        ("type",),
        "issue.eaten",
        "'issue.eaten' is not one of " + str([*STIMULUS_TYPES])[:100],
    ),
    ("stimulus/send", 0, ("payload", "title"), GONE, "'title' is a required property @ $.payload"),
    ("stimulus/send", 0, ("payload", "mailbox", "iid"), 0, "0 is less than the minimum of 1 @ $.payload.mailbox.iid"),
    (
        "stimulus/send",
        0,
        ("payload", "mailbox", "kind"),
        "pull_request",
        "'pull_request' is not one of ['issue', 'merge_request'] @ $.payload.mailbox.kind",
    ),
    (
        "stimulus/send",
        0,
        ("payload", "scenario"),
        "0001",
        "Additional properties are not allowed ('scenario' was unexpected) @ $.payload",
    ),
    ("stimulus/send", 1, ("run",), 7, "7 is not of type '"),
    ("stimulus/send", 1, ("run",), "", "'' should be non-empty @ $.run"),
    ("stimulus/send", 1, ("outcome",), "done", "'done' is not "),
    ("stimulus/send", 1, ("rest", "pending", 0, "what"), GONE, "'what' is a required property @ $.rest.pending[0]"),
    (
        "stimulus/send",
        1,
        ("rest", "pending", 0, "waits_for"),
        "godot",
        "'godot' is not one of ['container', 'clock', 'run', 'work'] @ $.rest.pending[0].waits_for",
    ),
    ("clock/advance", 0, ("ms",), -1, "-1 is less than the minimum of 0 @ $.ms"),
    ("clock/advance", 0, ("ms",), 0.5, "0.5 is not of type 'integer' @ $.ms"),
    ("clock/advance", 1, ("now",), "soon", "'soon' does not match '^[0-9]{4}-"),
    ("clock/advance", 1, ("now",), "2026-01-05T09:00:00+02:00", "'2026-01-05T09:00:00+02:00' does not match '^["),
    ("clock/advance", 1, ("now",), "2026-01-05 09:00:00Z", "'2026-01-05 09:00:00Z' does not match '^["),
    ("clock/advance", 1, ("now",), 1767603600, "1767603600 is not of type 'string' @ $.now"),
    ("barrier/quiesce", 0, ("deadline_ms",), True, "True is not of type 'integer' @ $.deadline_ms"),
    ("barrier/quiesce", 1, ("idle",), GONE, "'idle' is a required property @ $"),
    ("barrier/quiesce", 1, ("pending",), None, "None is not of type 'array' @ $.pending"),
    ("barrier/quiesce", 1, ("next_deadline",), "", "'' "),
    (
        "barrier/quiesce",
        1,
        ("busy",),
        True,
        "Additional properties are not allowed ('busy' was unexpected) @ $",
    ),
    ("state/query", 0, ("view",), "secrets", "'secrets' is not one of ['sessions', 'mailboxes', 'installations', "),
    ("state/query", 1, ("rows",), {}, "{} is not of type 'array' @ $.rows"),
    ("state/query", 1, ("rows", 0), None, "None is not of type 'object' @ $.rows[0]"),
    ("state/query", 1, ("rows", 0, "run"), GONE, "'run' is a required property @ $ of rows[0]"),
    ("state/query", 1, ("rows", 0, "resumed"), 1, "1 is not of type 'boolean' @ $.resumed of rows[0]"),
    (
        "state/query",
        1,
        ("rows", 0, "mailbox", "iid"),
        "7",
        "'7' is not of type 'integer' @ $.mailbox.iid of rows[0]",
    ),
    (
        "state/query",
        1,
        ("rows", 0, "colour"),
        "red",
        "Additional properties are not allowed ('colour' was unexpected) @ $ of rows[0]",
    ),
    ("state/overwrite", 0, ("run",), "", "'' should be non-empty @ $.run"),
    ("state/overwrite", 1, ("done",), True, "Additional properties are not allowed ('done' was unexpected) @ $"),
    ("engine/kill", 1, ("done",), True, "Additional properties are not allowed ('done' was unexpected) @ $"),
    ("engine/start", 1, ("refused",), GONE, "'refused' is a required property @ $"),
    ("initialize", 1, ("policy", "scope"), [], "[] should be non-empty @ $.policy.scope"),
    (
        "initialize",
        1,
        ("policy", "valid"),
        "maybe",
        "'maybe' is not one of ['init', 'success', 'hook'] @ $.policy.valid",
    ),
    ("initialize", 1, ("policy", "default"), GONE, "'default' is a required property @ $.policy"),
    ("initialize", 1, ("policy",), None, "None is not of type 'object' @ $.policy"),
    ("course/cast", 0, ("course", "acts"), [], "[] should be non-empty @ $.course.acts"),
    ("course/cast", 0, ("course", "acts", 0, "act"), "dance", "'dance' is not one of " + str([*ACT_TYPES])[:60]),
    ("course/cast", 0, ("course", "acts", 0, "scope"), GONE, "'scope' is a required property @ $.course.acts[0]"),
    (
        "course/cast",
        0,
        ("course", "acts", 0, "starts", 0, "shape"),
        "sideways",
        "'sideways' is not one of " + str([*get_args(Shape)])[:60],
    ),
    (
        "course/cast",
        0,
        ("course", "acts", 1, "on"),
        True,
        "Additional properties are not allowed ('on' was unexpected) @ $.course.acts[1]",
    ),
    ("course/cast", 1, ("cast", "roles"), [], "[] should be non-empty @ $.cast.roles"),
    ("course/cast", 1, ("cast", "roles", 0, "answers"), [], "[] should be non-empty @ $.cast.roles[0].answers"),
    ("course/cast", 1, ("cast", "roles", 0, "prompt"), GONE, "'prompt' is a required property @ $.cast.roles[0]"),
    ("course/cast", 1, ("cast", "roles", 0, "adapter"), "gpt", "'gpt' is not one of ['claude-code', "),
    (
        "course/play",
        1,
        ("acts", 0, "outcome"),
        "skipped",
        "'skipped' is not one of ['done', 'failed', 'not_reached'] @ $.acts[0].outcome",
    ),
    ("course/play", 1, ("visible",), None, "None is not of type 'string' @ $.visible"),
    ("scenario/close", 1, ("leaks",), None, "None is not of type 'array' @ $.leaks"),
    ("scenario/close", 1, ("leaks", 0), 1, "1 is not of type 'string' @ $.leaks[0]"),
    ("shutdown", 0, ("now",), True, "Additional properties are not allowed ('now' was unexpected) @ $"),
    ("shutdown", 1, ("bye",), True, "Additional properties are not allowed ('bye' was unexpected) @ $"),
)


def _check(method: str, part: int, message: Json) -> None:
    if part:
        schemas.check_result(method, VALID[method][0], message)
    else:
        schemas.check_params(method, message)


def _with(message: Json, place: tuple[Step, ...], value: object) -> Json:
    """Give a copy with another value at a place."""
    changed = copy.deepcopy(message)
    spot: Any = changed
    for step in place[:-1]:
        spot = spot[step]
    if value is GONE:
        del spot[place[-1]]
    else:
        spot[place[-1]] = value
    return changed


@pytest.mark.parametrize("method", schemas.METHODS)
def test_a_valid_message_of_every_method_fits(method: str) -> None:
    for part in (0, 1):
        _check(method, part, VALID[method][part])


def _named(one: tuple[str, int, tuple[Step, ...], object, str]) -> str:
    return f"{one[0]}-{'result' if one[1] else 'params'}-{'.'.join(str(step) for step in one[2])}-{one[4][:12]}"


@pytest.mark.parametrize(("method", "part", "place", "value", "words"), WRONG, ids=map(_named, WRONG))
def test_a_wrong_message_is_refused_with_its_place_and_the_reason(
    method: str, part: int, place: tuple[Step, ...], value: object, words: str
) -> None:
    with pytest.raises(schemas.MisfitError) as caught:
        _check(method, part, _with(VALID[method][part], place, value))

    assert str(caught.value)[: len(words)] == words
    assert " @ $" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_every_method_has_a_wrong_result_among_the_examples() -> None:
    assert {one[0] for one in WRONG if one[1]} == set(schemas.METHODS)


@pytest.mark.parametrize("message", [None, [], "x", 1, True])
@pytest.mark.parametrize("method", schemas.METHODS)
def test_what_is_no_object_is_neither_params_nor_a_result(method: str, message: object) -> None:
    for part in ("params", "result"):
        with pytest.raises(schemas.MisfitError, match=r"is not of type 'object' @ \$$"):
            schemas.check(message, schemas.METHODS[method], part)


def test_a_refusal_of_something_long_is_short() -> None:
    with pytest.raises(schemas.MisfitError) as caught:
        schemas.check_result("scenario/close", {}, {"leaks": [{"a": "x" * 100_000}]})

    assert len(str(caught.value)) < 340
    assert str(caught.value).endswith(" @ $.leaks[0]")


def test_the_row_that_is_wrong_is_the_one_that_is_named() -> None:
    row: Json = VALID["state/query"][1]["rows"][0]
    empty: Json = {}

    with pytest.raises(schemas.MisfitError, match=r"'run' is a required property @ \$ of rows\[2\]"):
        schemas.check_result("state/query", {"view": "sessions"}, {"rows": [row, row, empty]})


def test_the_vocabulary_of_the_schemas_is_the_vocabulary_of_the_code() -> None:
    assert schemas.schema("stimulus-send")["$defs"]["params"]["properties"]["type"]["enum"] == [*STIMULUS_TYPES]
    assert [*schemas.schema("stimulus-send")["$defs"]["payloads"]] == [*STIMULUS_TYPES]
    assert [*schemas.schema("state-query")["$defs"]["rows"]] == [*get_args(ViewName)]
    acts = schemas.schema("course-cast")["$defs"]
    assert acts["params"]["properties"]["course"]["properties"]["acts"]["items"]["properties"]["act"]["enum"] == [
        *ACT_TYPES
    ]
    assert [*acts["acts"]] == [*ACT_TYPES]
    start = schemas.schema("common")["$defs"]["start"]
    assert start["properties"]["shape"]["enum"] == [*get_args(Shape)]
    assert [*start["properties"]] == [one.name for one in fields(Start)]


@pytest.mark.parametrize("name", ACT_TYPES)
def test_an_act_has_the_same_fields_in_messages_and_in_the_code(name: str) -> None:
    held = schemas.schema("course-cast")["$defs"]["acts"][name]
    assert [*held["properties"]] == held["required"] == ["act", *(one.name for one in fields(ACT_TYPES[name]))]


def test_a_policy_has_the_same_fields_and_words_in_messages_and_in_the_code() -> None:
    held = schemas.schema("initialize")["$defs"]["result"]["properties"]["policy"]["properties"]
    kinds = get_type_hints(Policy)
    assert [*held] == [*kinds]
    assert {name: tuple(one["enum"]) for name, one in held.items() if "enum" in one} == {
        name: get_args(kind) for name, kind in kinds.items() if get_origin(kind) is Literal
    }


def test_a_role_and_what_became_of_an_act_have_the_same_fields_in_messages_and_in_the_code() -> None:
    roles = schemas.schema("course-cast")["$defs"]["result"]["properties"]["cast"]["properties"]["roles"]
    come = schemas.schema("course-play")["$defs"]["result"]["properties"]["acts"]["items"]["properties"]
    assert [*roles["items"]["properties"]] == [one.name for one in fields(Role)]
    assert [*come] == [one.name for one in fields(Come)]
    assert tuple(come["outcome"]["enum"]) == get_args(get_type_hints(Come)["outcome"])
    assert [*VALID] == [*schemas.METHODS]


@pytest.mark.parametrize("name", ["common", "envelope", *schemas.METHODS.values()])
def test_a_schema_is_one_itself_and_says_which(name: str) -> None:
    schema = schemas.schema(name)

    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"{schemas.BASE}{name}.json"


# --- both readers of a schema are of one mind ----------------------------------------------------------------------

#: Every part of a file that a message is held against.
PARTS: Sequence[tuple[str, ...]] = (
    *((file, part) for file in schemas.METHODS.values() for part in ("params", "result")),
    *(("state-query", "rows", view) for view in get_args(ViewName)),
    *(("course-cast", "acts", act) for act in ACT_TYPES),
    *(("envelope", frame) for frame in ("request", "cancel", "answer")),
)
#: What may stand anywhere by mistake.
JUNK: Sequence[object] = (
    *(None, True, False, 0, 1, -1, 7.0, 0.5, 2**53, 2**70, -(2**70), 1e300),
    *("", "x", "2.0", "\0", "ü\U0001f600", "issue", "2026-01-05T09:00:00Z", "2026-02-31T09:00:00.5+00:00", "x" * 1001),
    *(json.loads(text) for text in ("[]", "{}", "[null]", '{"a": 1}', "[[]]", '["a", "b"]')),
)


class Writer:
    """Writes messages along a schema, one node in so many by mistake."""

    def __init__(self, seed: int, *, mistakes: float) -> None:
        self._random = random.Random(seed)  # noqa: S311 -- messages of a test
        self._mistakes = mistakes

    def write(self, file: str, node: Json) -> object:
        """Write a value for a node of a file's schema."""
        if self._random.random() < self._mistakes:
            return copy.deepcopy(self._random.choice(JUNK))
        if "$ref" in node:
            place, _, path = node["$ref"].partition("#/$defs/")
            name = place.removesuffix(".json") or file
            target: Any = schemas.schema(name)["$defs"]
            for step in path.split("/"):
                target = target[step]
            return self.write(name, target)
        for several in ("anyOf", "oneOf"):
            if several in node:
                return self.write(file, self._random.choice(node[several]))
        if "const" in node:
            return node["const"]
        if "enum" in node:
            return self._random.choice(node["enum"])
        kinds = node.get("type", "null")
        kind: str = kinds if isinstance(kinds, str) else self._random.choice(kinds)
        value: object = getattr(self, f"_{kind}")(file, node)
        return value

    def _object(self, file: str, node: Json) -> object:
        value: Json = {}
        for name, child in node.get("properties", {}).items():
            wanted = name in node.get("required", ())
            if self._random.random() < (1 - self._mistakes / 3 if wanted else 0.5):
                value[name] = self.write(file, child)
        if "allOf" in node and value.get("act") in [*ACT_TYPES]:
            return self.write(file, {"$ref": f"#/$defs/acts/{value['act']}"})
        if "allOf" in node and value.get("type") in [*STIMULUS_TYPES]:
            value["payload"] = self.write(file, {"$ref": f"#/$defs/payloads/{value['type']}"})
        if "propertyNames" in node or self._random.random() < self._mistakes / 3:
            value["sessions"] = "supported"
        return value

    def _array(self, file: str, node: Json) -> list[object]:
        if "prefixItems" in node:
            return [self.write(file, one) for one in node["prefixItems"]]
        return [self.write(file, node["items"]) for _ in range(self._random.randint(node.get("minItems", 0), 2))]

    def _string(self, _file: str, node: Json) -> str:
        if "pattern" in node:
            pattern: str = node["pattern"]
            schemes = {"^http://": "http://127.0.0.1:1", "^unix://": "unix:///s"}
            return schemes.get(pattern, "2026-01-05T09:00:00Z")
        texts: tuple[str, ...] = ("a", "Grüße", "x" * 200, *(() if node.get("minLength") else ("",)))
        return self._random.choice(texts)

    def _integer(self, _file: str, node: Json) -> int:
        most: int = node.get("maximum", 2**53)
        return self._random.choice((1, 7, most))

    def _boolean(self, _file: str, _node: Json) -> bool:
        return self._random.choice((True, False))

    def _null(self, _file: str, _node: Json) -> None:
        return None


def _part(file: str, *path: str) -> Json:
    node: Any = schemas.schema(file)["$defs"]
    for step in path:
        node = node[step]
    return cast("Json", node)


def _messages(place: tuple[str, ...], seed: int, mistakes: float) -> Iterator[object]:
    writer = Writer(seed, mistakes=mistakes)
    for _ in range(5):
        yield writer.write(place[0], _part(*place))


@pytest.mark.parametrize("place", PARTS, ids="-".join)
@given(seed=st.integers(0, 2**32))
def test_the_fast_reader_and_the_one_that_says_why_agree(place: tuple[str, ...], seed: int) -> None:
    for message in _messages(place, seed, 0.05):
        misfit = _misfit(message, place)
        assert (misfit is None) == _fits(message, place), json.dumps(message)
        assert misfit is None or " @ $" in misfit


def _fits(message: object, place: tuple[str, ...]) -> bool:
    """Ask the one that says why."""
    return schemas.validator(*place).is_valid(cast("Any", message))  # pyright: ignore[reportUnknownMemberType] -- the stubs leave it open


def _misfit(message: object, place: tuple[str, ...]) -> str | None:
    """Ask the fast one first, as a run does."""
    try:
        schemas.check(message, *place)
    except schemas.MisfitError as fault:
        return str(fault)
    return None


@pytest.mark.parametrize("place", PARTS, ids="-".join)
def test_what_is_written_along_a_schema_fits_it_and_with_mistakes_often_does_not(place: tuple[str, ...]) -> None:
    right = [_fits(one, place) for one in _messages(place, 1, 0.0)]
    wrong = [_fits(one, place) for one in _messages(place, 1, 1.0)]

    assert all(right)
    assert not all(wrong)
