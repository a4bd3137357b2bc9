"""opencode: a provider in its configuration file; what it would fetch is switched off by variables."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tck_driver.vocabulary import AdapterId
from tck_kit.probe.configured.configuration import KEY, Configuration, Place

_PROVIDER = "session-tck"
_MODEL = "session-tck-model"


def _environment(_: Place) -> Mapping[str, str]:
    return {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_SHARE": "1",
        # It installs a package into its configuration folder, with npm's own library.
        "npm_config_offline": "true",
    }


def _files(place: Place) -> Mapping[str, str]:
    configuration = {
        "$schema": "https://opencode.ai/config.json",
        "autoupdate": False,
        "share": "disabled",
        "model": f"{_PROVIDER}/{_MODEL}",
        "small_model": f"{_PROVIDER}/{_MODEL}",
        "provider": {
            _PROVIDER: {
                "npm": "@ai-sdk/openai-compatible",
                "name": _PROVIDER,
                "options": {"baseURL": f"{place.url}/v1", "apiKey": KEY},
                "models": {_MODEL: {"name": _MODEL}},
            }
        },
    }
    return {".config/opencode/opencode.json": json.dumps(configuration, indent=2) + "\n"}


OPENCODE = Configuration(
    adapter=AdapterId.OPENCODE,
    program="opencode",
    protocol="chat",
    model=f"{_PROVIDER}/{_MODEL}",
    state=".local/state/opencode-sessions",
    credentials=(".local/share/opencode/auth.json",),
    settings=(".config/opencode/",),
    environment=_environment,
    files=_files,
)
