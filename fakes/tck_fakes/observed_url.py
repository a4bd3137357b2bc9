"""The URL of an engine's database: with placeholders as it was written, and never with its password as it is shown."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote_plus

from sqlalchemy import URL, make_url
from sqlalchemy.exc import SQLAlchemyError

from tck_fakes.observed_mapping import MappingError, MappingFault

#: What can stand in braces in a URL: the folder of the driver process, and the folder of the scenario.
PLACEHOLDERS = ("directory", "workdir")

_BRACES = re.compile(r"\{([^{}]*)\}")
_RELATIVE = re.compile(
    r"(?P<scheme>sqlite(?:\+\w+)?:///)(?!/|\{|:memory:|file:)(?P<path>[^?]+)(?P<rest>\?.*)?", re.DOTALL
)
_SECRET = re.compile(r"pass|pwd|secret|token", re.IGNORECASE)
_FORM = "write one such as postgresql+psycopg://user@127.0.0.1/engine or sqlite:///{directory}/engine.sqlite"


def check_url(url: str) -> None:
    """Raise `MappingError` for what is no URL of a database, or has a placeholder that is none."""
    for name in _BRACES.findall(url):
        if name not in PLACEHOLDERS:
            known = " and ".join(f"{{{one}}}" for one in PLACEHOLDERS)
            raise _mistake(f"has the placeholder {{{name}}}", f"known are {known}; a brace of your own is %7B or %7D")
    parsed(url)


def fill(url: str, *, directory: Path, workdir: Path) -> str:
    """Put the folders in the place of `{directory}` and `{workdir}`. Raises `MappingError` as `check_url` does."""
    check_url(url)
    folders = {"directory": directory, "workdir": workdir}
    place, mark, query = url.partition("?")
    place = _BRACES.sub(lambda found: _in_url(folders[found[1]]), place)
    query = _BRACES.sub(lambda found: quote_plus(str(folders[found[1]].absolute())), query)
    return f"{place}{mark}{query}"


def anchored(url: str, folder: Path) -> str:
    """Give the URL with the path of an SQLite file in full, as it is meant from a folder."""
    found = _RELATIVE.fullmatch(url)
    if found is None:
        return url
    return f"{found['scheme']}{_in_url(folder)}/{found['path']}{found['rest'] or ''}"


def masked(url: str | URL) -> str:
    """Give the URL without its password, or the mere fact that it is none."""
    try:
        given = make_url(url)
    except (SQLAlchemyError, ValueError):
        return "(no URL)"
    query = {name: "***" if _SECRET.search(name) else value for name, value in given.query.items()}
    return given.set(query=query).render_as_string(hide_password=True).replace(quote_plus("***"), "***")


def without_secrets(text: str, url: URL) -> str:
    """Take the passwords of a URL out of a text of others, except those that its user or database is called as well."""
    given = {str(value) for name, value in url.query.items() if _SECRET.search(name)} | {url.password or ""}
    for secret in given - {"", url.username, url.database, url.host}:
        text = text.replace(secret, "***")
    return text


def parsed(url: str) -> URL:
    """Read a URL. Raises `MappingError`, without the text: what is no URL may still hold a password."""
    try:
        return make_url(url)
    except (SQLAlchemyError, ValueError):
        raise _mistake(
            "is no URL of a database", f"{_FORM}; in a password, @ : / and ? are %40 %3A %2F and %3F"
        ) from None


def _in_url(folder: Path) -> str:
    """Give a path as it stands before the question mark of a URL, which versions of SQLAlchemy quote differently."""
    path = str(folder.absolute())
    text = URL.create("sqlite", database=path).render_as_string()
    if make_url(text).database != path or _BRACES.search(text):
        raise _mistake(f"cannot name the folder {path}", "use a folder without ? { or } in its name")
    return text.removeprefix("sqlite:///")


def _mistake(what: str, cure: str) -> MappingError:
    return MappingError([MappingFault("url", what, cure)])
