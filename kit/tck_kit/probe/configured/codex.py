"""Codex: a provider of one's own can only be named in its configuration file; plugins would be fetched from GitHub."""

from __future__ import annotations

from collections.abc import Mapping

from tck_driver.vocabulary import AdapterId
from tck_kit.probe.configured.configuration import KEY, Configuration, Place

_VARIABLE = "SESSION_TCK_MODEL_KEY"
_MODEL = "session-tck-model"


def _environment(_: Place) -> Mapping[str, str]:
    return {_VARIABLE: KEY}


def _files(place: Place) -> Mapping[str, str]:
    return {
        ".codex/config.toml": f"""\
model = "{_MODEL}"
model_provider = "session-tck"
check_for_update_on_startup = false

[model_providers.session-tck]
name = "session-tck"
base_url = "{place.url}/v1"
wire_api = "responses"
env_key = "{_VARIABLE}"

[analytics]
enabled = false

[feedback]
enabled = false

[otel]
exporter = "none"

[features]
plugins = false
"""
    }


CODEX = Configuration(
    adapter=AdapterId.CODEX,
    program="codex",
    protocol="responses",
    model=_MODEL,
    state=".codex/sessions",
    credentials=(".codex/auth.json",),
    settings=(".codex/config.toml",),
    environment=_environment,
    files=_files,
)
