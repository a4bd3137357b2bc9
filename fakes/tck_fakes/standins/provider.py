"""Where each CLI finds the provider that it calls: the same variables and files as the real one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, cast

from tck_fakes.standins.base import Err, Stop
from tck_fakes.standins.seen import View

Protocol = Literal["messages", "responses", "chat"]
#: The path of each protocol below the base address.
PATHS: dict[Protocol, str] = {"messages": "/v1/messages", "responses": "/responses", "chat": "/chat/completions"}


@dataclass(frozen=True, slots=True)
class Provider:
    """What a CLI knows of the provider that it calls."""

    protocol: Protocol
    base: str = ""
    model: str = "model"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    #: What the CLI says where it cannot call any.
    unready: str = ""
    #: What the CLI's settings call it.
    name: str = ""


@dataclass(frozen=True, slots=True)
class Around:
    """What a CLI looks into: its environment, files, home and directory, and what its arguments say."""

    environment: Mapping[str, str]
    view: View
    home: str
    workdir: str
    options: Mapping[str, str]


_LOGIN = """Error: No authentication information found.

Copilot can be authenticated with GitHub using an OAuth Token or a Fine-Grained Personal Access Token.

To authenticate, you can use any of the following methods:
  • Start 'copilot' and run the '/login' command
  • Set the COPILOT_GITHUB_TOKEN, GH_TOKEN, or GITHUB_TOKEN environment variable
  • Run 'gh auth login' to authenticate with the GitHub CLI"""


def _claude(around: Around) -> Provider | Stop:
    environment = around.environment
    headers = {"anthropic-version": "2023-06-01"}
    if environment.get("ANTHROPIC_AUTH_TOKEN"):
        headers["authorization"] = f"Bearer {environment['ANTHROPIC_AUTH_TOKEN']}"
    if environment.get("ANTHROPIC_API_KEY"):
        headers["x-api-key"] = environment["ANTHROPIC_API_KEY"]
    return Provider(
        "messages",
        environment.get("ANTHROPIC_BASE_URL") or "https://api.anthropic.com",
        around.options.get("--model") or environment.get("ANTHROPIC_MODEL") or "claude-opus-4-8",
        headers,
        "" if len(headers) > 1 else "Not logged in · Please run /login",
    )


def _codex(around: Around) -> Provider | Stop:
    place = f"{around.environment.get('CODEX_HOME') or f'{around.home}/.codex'}/config.toml"
    # Only codex has its settings in this form, and the import takes as long as a stand-in otherwise does.
    import tomllib  # noqa: PLC0415 -- see above

    try:
        settings = tomllib.loads(around.view.read(place).decode())
    except OSError:
        settings = {}
    except ValueError as error:
        return Stop((Err(f"Error loading config.toml: {place}: {error}"),), 1)
    name = str(settings.get("model_provider", "openai"))
    told = _inner(settings, "model_providers", name)
    model = around.options.get("--model") or str(settings.get("model", "gpt-5"))
    key = str(told.get("env_key", ""))
    secret = around.environment.get(key, "") if key else around.environment.get("OPENAI_API_KEY", "")
    unready = f"Missing environment variable: `{key}`." if key and not secret else ""
    base = str(told.get("base_url", "https://api.openai.com/v1"))
    return Provider("responses", base, model, {"authorization": f"Bearer {secret}"} if secret else {}, unready, name)


def _opencode(around: Around) -> Provider | Stop:
    environment = around.environment
    folder = f"{environment.get('XDG_CONFIG_HOME') or f'{around.home}/.config'}/opencode"
    places = [f"{folder}/config.json", f"{folder}/opencode.json", f"{folder}/opencode.jsonc"]
    places += [environment["OPENCODE_CONFIG"]] if environment.get("OPENCODE_CONFIG") else []
    places += [f"{around.workdir}/opencode.json", f"{around.workdir}/opencode.jsonc"]
    settings: dict[str, object] = {}
    for place in places:
        try:
            text = around.view.read(place).decode()
        except OSError:
            continue
        try:
            found = cast("object", json.loads(text))
        except ValueError as error:
            colour = "\x1b[91m\x1b[1mError: \x1b[0m"
            return Stop((Err(f"{colour}Config file at {place} is not valid JSON(C): {error}"),), 1)
        settings |= cast("dict[str, object]", found) if isinstance(found, dict) else {}
    content = environment.get("OPENCODE_CONFIG_CONTENT")
    if content:
        settings |= cast("dict[str, object]", json.loads(content))
    name, _, model = (around.options.get("--model") or str(settings.get("model", ""))).partition("/")
    told = _inner(settings, "provider", name, "options")
    key = str(told.get("apiKey", ""))
    headers = {"authorization": f"Bearer {key}"} if key else {}
    unready = "" if told.get("baseURL") else "unready"
    return Provider("chat", str(told.get("baseURL", "")), model, headers, unready)


def _copilot(around: Around) -> Provider | Stop:
    environment = around.environment
    base = environment.get("COPILOT_PROVIDER_BASE_URL", "")
    model = around.options.get("--model") or environment.get("COPILOT_MODEL") or "model"
    key = environment.get("COPILOT_PROVIDER_API_KEY") or environment.get("COPILOT_PROVIDER_BEARER_TOKEN")
    headers = {"authorization": f"Bearer {key}"} if key else {}
    kind: Protocol = "responses" if environment.get("COPILOT_PROVIDER_WIRE_API") == "responses" else "chat"
    if environment.get("COPILOT_PROVIDER_TYPE") == "anthropic":
        return Provider("messages", base, model, {"x-api-key": key or ""}, "" if base else _LOGIN)
    return Provider(kind, base, model, headers, "" if base else _LOGIN)


def _grok(around: Around) -> Provider | Stop:
    key = around.environment.get("XAI_API_KEY", "")
    base = around.environment.get("XAI_BASE_URL") or "https://api.x.ai/v1"
    return Provider("chat", base, around.options.get("--model", "grok"), {"authorization": f"Bearer {key}"})


def _inner(settings: Mapping[str, object], *path: str) -> Mapping[str, object]:
    """Give the table at a path of keys, an empty one where there is none."""
    at: Mapping[str, object] = settings
    for key in path:
        value = at.get(key)
        at = cast("Mapping[str, object]", value) if isinstance(value, dict) else {}
    return at


#: Program → how it finds its provider, or what it says where it cannot read its settings.
_PROVIDERS: dict[str, Callable[[Around], Provider | Stop]] = {
    "claude": _claude,
    "codex": _codex,
    "opencode": _opencode,
    "copilot": _copilot,
    "grok": _grok,
}


def provider(program: str, around: Around) -> Provider | Stop:
    """Give the provider that a program would call; what it says, where its settings cannot be read."""
    return _PROVIDERS[program](around)
