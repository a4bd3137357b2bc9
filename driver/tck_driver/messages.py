"""Values of the vocabulary as they stand in messages, and back.

Field names are the same on both sides; where a message has another form than a value (a pair becomes an object with two
names), that is written down here and nowhere else. What comes in has been held against its schema before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, cast

from cattrs import Converter

from tck_driver.configuration import Binding, EngineConfig, ProjectConfig, SettingValue
from tck_driver.stimuli import STIMULUS_TYPES, Stimulus, StimulusResult
from tck_driver.views import ROW_TYPES, Row, ViewName
from tck_driver.vocabulary import AdapterId, Phase

#: The protocol's version.
PROTOCOL = 1
Json = dict[str, Any]
WaitsFor = Literal["container", "clock", "run", "work"]

_CONVERTER = Converter()
# Unions of plain values stay as they are: the schema has seen them.
for _union in (SettingValue, str | bool | None):
    _CONVERTER.register_structure_hook(_union, lambda value, _: value)
_NAMES: Mapping[type[Stimulus], str] = {kind: name for name, kind in STIMULUS_TYPES.items()}


@dataclass(frozen=True, slots=True)
class Pending:
    """Something that is under way in an engine, and what it waits for."""

    what: str
    waits_for: WaitsFor
    container: str | None = None


@dataclass(frozen=True, slots=True)
class Rest:
    """Whether an engine waits for the outside world; `next_deadline` is when it has something to do by itself."""

    idle: bool
    pending: tuple[Pending, ...] = ()
    next_deadline: datetime | None = None


def instant(when: datetime) -> str:
    """Give a point in time as a message has it."""
    return when.astimezone(UTC).isoformat().replace("+00:00", "Z")


def moment(text: str) -> datetime:
    """Read a point in time. Raises `ValueError` for one that is in no calendar."""
    return datetime.fromisoformat(text).astimezone(UTC)


def stimulus_params(stimulus: Stimulus) -> Json:
    """Give the params of `stimulus/send`."""
    return {"type": stimulus_type(stimulus), "payload": cast("Json", _CONVERTER.unstructure(stimulus))}


def stimulus_type(stimulus: Stimulus) -> str:
    """Give the name of a stimulus, such as `issue.opened`."""
    return _NAMES[type(stimulus)]


def read_stimulus(params: Json) -> Stimulus:
    """Read the params of `stimulus/send`."""
    return _CONVERTER.structure(params["payload"], STIMULUS_TYPES[params["type"]])


def read_result(result: Json) -> StimulusResult:
    """Read the answer to a stimulus."""
    fields = {name: result[name] for name in ("run", "outcome", "error")}
    return _CONVERTER.structure(fields, StimulusResult)


def result_of(result: StimulusResult) -> Json:
    """Give the answer to a stimulus."""
    return cast("Json", _CONVERTER.unstructure(result))


def config_params(config: EngineConfig, now: datetime) -> Json:
    """Give the `config` of `scenario/open`. The database is not in it: an engine has its own."""
    return {
        "base": config.base,
        "now": instant(now),
        "projects": [
            {
                "organization": project.organization,
                "name": project.name,
                "branch_prefix": project.branch_prefix,
                "bindings": [{"phase": str(phase), **_binding(binding)} for phase, binding in project.bindings],
            }
            for project in config.projects
        ],
        "settings": [
            {"scope": scope, "organization": organization, "project": project, "name": name, "value": value}
            for scope, organization, project, name, value in config.settings
        ],
        "credential_mounts": [{"target": target, "source": source} for target, source in config.credential_mounts],
        "images": [{"adapter": str(adapter), "image": image} for adapter, image in config.images],
    }


def _binding(binding: Binding) -> Json:
    return {"adapter": str(binding.adapter), "provider": binding.provider, "model": binding.model}


def read_config(params: Json, database_url: str | None) -> EngineConfig:
    """Read the params of `scenario/open`."""
    config: Json = params["config"]
    return EngineConfig(
        base=config["base"],
        projects=tuple(
            ProjectConfig(
                project["organization"],
                project["name"],
                project["branch_prefix"],
                tuple(
                    (Phase(one["phase"]), Binding(AdapterId(one["adapter"]), one["provider"], one["model"]))
                    for one in project["bindings"]
                ),
            )
            for project in config["projects"]
        ),
        settings=tuple(
            (one["scope"], one["organization"], one["project"], one["name"], one["value"]) for one in config["settings"]
        ),
        credential_mounts=tuple((one["target"], one["source"]) for one in config["credential_mounts"]),
        images=tuple((AdapterId(one["adapter"]), one["image"]) for one in config["images"]),
        database_url=database_url,
        seed=params["seed"],
    )


def row_fields(row: Row) -> Json:
    """Give a row of a view."""
    return cast("Json", _CONVERTER.unstructure(row))


def read_rows(view: ViewName, rows: Sequence[Json]) -> list[Row]:
    """Read the rows of a view."""
    kind = ROW_TYPES[view]
    return [_CONVERTER.structure(row, kind) for row in rows]


def rest_fields(rest: Rest) -> Json:
    """Give what an engine waits for."""
    return {
        "idle": rest.idle,
        "pending": [
            {"what": one.what, "waits_for": one.waits_for}
            | ({} if one.container is None else {"container": one.container})
            for one in rest.pending
        ],
        "next_deadline": None if rest.next_deadline is None else instant(rest.next_deadline),
    }


def read_rest(fields: Json) -> Rest:
    """Read what an engine waits for. Raises `ValueError` for an instant that is in no calendar."""
    due: str | None = fields.get("next_deadline")
    pending = tuple(Pending(one["what"], one["waits_for"], one.get("container")) for one in fields["pending"])
    return Rest(fields["idle"], pending, None if due is None else moment(due))
