"""GitHub Copilot CLI: variables alone. Offline, it needs no login and reports to nobody."""

from __future__ import annotations

from collections.abc import Mapping

from tck_driver.vocabulary import AdapterId
from tck_kit.probe.configured.configuration import KEY, Configuration, Place

_MODEL = "session-tck-model"


def _environment(place: Place) -> Mapping[str, str]:
    return {
        "COPILOT_PROVIDER_BASE_URL": f"{place.url}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": _MODEL,
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        # It unpacks 235 MB, once for every HOME, unless it is told where it has done so before.
        "XDG_CACHE_HOME": str(place.cache),
    }


def _files(_: Place) -> Mapping[str, str]:
    return {}


COPILOT = Configuration(
    adapter=AdapterId.COPILOT,
    program="copilot",
    protocol="chat",
    model=_MODEL,
    state=".copilot/session-state",
    credentials=(".copilot/config.json",),
    settings=(".copilot/config.json", ".copilot/settings.json", ".copilot/mcp-config.json"),
    environment=_environment,
    files=_files,
)
