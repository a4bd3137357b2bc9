"""The workspace: every document, scenario and setting around the open texts, read once and kept while it stands.

All functions that answer a client take a workspace. It belongs to the one thread that works; the desk it looks at is
exchanged between two pieces of work. The texts of the desk lie over the files.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from tck_kit.authors.checked import settings_for
from tck_kit.authors.language_server.definitions import Definition, find_definitions
from tck_kit.authors.language_server.desk import Desk, kind_of, path_of
from tck_kit.authors.language_server.kept import Kept, Same, stamp
from tck_kit.authors.language_server.positions import Text
from tck_kit.authors.language_server.survey import MOST_DOCUMENTS, Survey, survey
from tck_kit.authors.language_server.tags import Tag, find_tags
from tck_kit.faults import UsageFault
from tck_spec.collecting import collect
from tck_spec.coverage import ScenarioTag
from tck_spec.errors import SpecificationError
from tck_spec.files import FileLibrary
from tck_spec.library import Library, Lone, Target
from tck_spec.lock.file import beside
from tck_spec.memory import Memory
from tck_spec.settings import Settings, find_settings
from tck_spec.specification import MOST_BYTES, Specification, load, parse

__all__ = ["Feature", "Project", "Unreadable", "Workspace"]

#: How long a look into a folder holds where the client does not say that something has changed in it.
_SECONDS: Final = 5.0
_MOST_TEXT_BYTES: Final = 1024 * 1024
_LARGEST_LINKED: Final = 4 * 1024 * 1024
_HALF: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Project:
    """What belongs together: the settings, the documents that state requirements, and the scenarios."""

    settings: Settings
    #: Keys, in order.
    documents: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    #: Whether the settings name the documents; only such are checked together.
    together: bool = False


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature file and its tags."""

    text: Text
    tags: tuple[Tag, ...]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a text is no specification, and what to do; an empty one is no fault while somebody begins to write."""

    what: str
    cure: str
    offset: int = 0
    empty: bool = False


class Workspace:
    """The files around a desk, and what they say."""

    def __init__(self, desk: Desk | None = None) -> None:
        """Begin with nothing read."""
        self.desk = desk or Desk()
        #: Why settings cannot be read, and why the documents that they name cannot be found; by path.
        self._unread: dict[str, UsageFault] = {}
        self._unfound: dict[str, UsageFault] = {}
        self._specs = Kept[Specification | Unreadable]()
        self._features = Kept[Feature]()
        self._texts = Kept[Text]()
        self._scenarios = Kept[tuple[tuple[str, ScenarioTag], ...]]()
        self._definitions = Kept[tuple[Definition, ...]]()
        self._memories: dict[str, Memory] = {}
        self._settings: dict[str, tuple[object, Settings]] = {}
        self._surveys: dict[Path, tuple[float, Survey]] = {}
        self._collected: dict[str, tuple[float, Settings, tuple[str, ...]]] = {}
        self._files: dict[str, tuple[float, frozenset[Path], FileLibrary]] = {}

    def forget_folders(self) -> None:
        """Look into folders anew: a file was made, moved or removed."""
        self._surveys.clear()
        self._collected.clear()
        self._files.clear()

    # Settings and what belongs together

    @property
    def broken_settings(self) -> Mapping[str, UsageFault]:
        """What is wrong with settings files, by path. What they said before stays in force."""
        return {**self._unfound, **self._unread}

    def settings(self, key: str) -> Settings:
        """Return the settings for a text: those nearest to it, as the command line finds them."""
        file = path_of(key)
        folder = file.parent if file else next(iter(self.desk.folders), None)
        if folder is None:
            return Settings()
        path = find_settings(folder)
        name = str(path or folder)
        mark = None if path is None else stamp(name)
        held = self._settings.get(name)
        if held is not None and held[0] == mark:
            return held[1]
        settings = Settings(root=self.desk.folder_of(key) or folder) if held is None else held[1]
        try:
            settings = settings_for(None, folder)
            self._unread.pop(name, None)
        except UsageFault as fault:
            self._unread[name] = fault
        self._settings[name] = mark, settings
        return settings

    def project(self, key: str) -> Project:
        """Return what belongs together with a text."""
        settings = self.settings(key)
        root = settings.root if settings.path else self.desk.folder_of(key)
        if root is None:
            return Project(settings, (key,) if self._is_markdown(key) else ())
        around = self._survey(root)
        named = self._named(settings)
        open_here = [one for one, held in self.desk.open.items() if held.kind == "markdown" and _is_below(one, root)]
        documents = dict.fromkeys(named or (*around.documents, *open_here))
        features = dict.fromkeys(around.features)
        if settings.features is not None:
            features = dict.fromkeys(self._survey(settings.features).features)
        features |= dict.fromkeys(
            one
            for one, held in self.desk.open.items()
            if held.kind == "feature" and _is_below(one, settings.features or root)
        )
        together = bool(named) and key in documents
        kept = dict.fromkeys(tuple(documents)[:MOST_DOCUMENTS])
        if self._is_markdown(key):
            kept.setdefault(key)
        return Project(settings, tuple(kept), tuple(features), together)

    def _is_markdown(self, key: str) -> bool:
        held = self.desk.open.get(key)
        return (held.kind if held else kind_of(key)) == "markdown"

    def _named(self, settings: Settings) -> tuple[str, ...]:
        """Return the documents that the settings name; what is wrong there is told of the settings file."""
        if not settings.files or settings.path is None:
            self._unfound.pop(str(settings.path), None)
            return ()
        name = str(settings.path)
        held = self._collected.get(name)
        if held is None or held[1] is not settings or time.monotonic() - held[0] > _SECONDS:
            try:
                paths = tuple(str(one) for one in collect((), settings))
                self._unfound.pop(name, None)
            except SpecificationError as error:
                self._unfound[name] = UsageFault(error.what, error.where, error.cure)
                paths = ()
            held = time.monotonic(), settings, paths
            self._collected[name] = held
        return held[2]

    def _survey(self, folder: Path) -> Survey:
        held = self._surveys.get(folder)
        if held is None or time.monotonic() - held[0] > _SECONDS:
            held = time.monotonic(), survey(folder)
            self._surveys[folder] = held
        return held[1]

    def library(self, project: Project, spec: Specification) -> Library:
        """Return what a document is checked with: the others that the settings name, and the files around it."""
        documents = tuple(one for _, one in self.specs(project)) if project.together else (spec,)
        if path_of(spec.source) is None:
            return Lone(documents)
        settings = project.settings
        open_here = frozenset(filter(None, map(path_of, self.desk.open)))
        name = f"{settings.root}\0{settings.site_root}\0{settings.extensionless}"
        held = self._files.get(name)
        if held is None or held[1] != open_here or time.monotonic() - held[0] > _SECONDS:
            files = FileLibrary(
                root=settings.root,
                site_root=settings.site_root,
                extensionless=settings.extensionless,
                overlay=dict.fromkeys(open_here, ""),
            )
            held = time.monotonic(), open_here, files
            self._files[name] = held
        return _Around(documents, held[2], self._linked)

    def _linked(self, path: Path) -> Specification | None:
        """Return a document that another one links; one that takes long to read is not read for that."""
        key = str(path)
        if key not in self.desk.open and _size(key) > _LARGEST_LINKED:
            return None
        spec = self.spec(key)
        return spec if isinstance(spec, Specification) else None

    # Texts and what is in them

    def spec(self, key: str) -> Specification | Unreadable:
        """Return a document as it is on the desk, or else in its file."""
        held = self.desk.open.get(key)
        if (held.kind if held else kind_of(key)) in ("feature", "settings"):
            return Unreadable("is no Markdown", "name a Markdown file")
        if held is not None:
            return self._specs.get(key, Same(held.text.string), lambda: self._parsed(held.text.string, key))
        return self._specs.get(key, stamp(key), lambda: _loaded(key))

    def _parsed(self, string: str, key: str) -> Specification | Unreadable:
        """Parse an open text; what is known of its state before an edit makes that quick."""
        for gone in self._memories.keys() - self.desk.open.keys():
            del self._memories[gone]
        return _parsed(string, key, self._memories.setdefault(key, Memory()))

    def face(self, key: str) -> object:
        """Return what the findings in other texts can depend on; equal for two states of which that is the same."""
        if not self._is_markdown(key):
            return tuple(tag.folded for tag in self.feature(key).tags)
        spec, project = self.spec(key), self.project(key)
        if isinstance(spec, Unreadable) or project.together:
            return Same(spec)
        anchors = tuple(one.name for one in spec.anchors)
        stated = tuple((one.id, one.level) for one in self.definitions(project).values() if one.key == key)
        return tuple(one.slug for one in spec.sections), anchors, stated

    def specs(self, project: Project) -> Iterator[tuple[str, Specification]]:
        """Yield the documents of a project that can be read."""
        for key in project.documents:
            spec = self.spec(key)
            if isinstance(spec, Specification):
                yield key, spec

    def feature(self, key: str) -> Feature:
        """Return a feature file; one that cannot be read is empty."""
        held = self.desk.open.get(key)
        if held is not None:
            return self._features.get(key, Same(held.text.string), lambda: Feature(held.text, find_tags(held.text)))

        def read() -> Feature:
            text = Text(_file_text(key), self.desk.encoding)
            return Feature(text, find_tags(text))

        return self._features.get(key, stamp(key), read)

    def scenarios(self, project: Project) -> dict[str, list[ScenarioTag]]:
        """Return the scenarios of a project by their tags, as the command line reads them.

        A file in which somebody is typing need not be Gherkin at the moment; then its tags count where they stand.
        """
        from tck_kit.authors.tagged import tags_in_text  # noqa: PLC0415 -- loads every step, and few need it
        from tck_kit.scenarios import ScenarioSyntaxError  # noqa: PLC0415 -- the same

        found: dict[str, list[ScenarioTag]] = {}
        for key, feature in self.features(project):

            def read(key: str = key, feature: Feature = feature) -> tuple[tuple[str, ScenarioTag], ...]:
                try:
                    return tuple(tags_in_text(feature.text.string, key))
                except ScenarioSyntaxError:
                    return tuple((tag.folded, ScenarioTag(tag.title, key, tag.owner_line)) for tag in feature.tags)

            for name, tag in self._scenarios.get(key, Same(feature), read):
                found.setdefault(name.lower(), []).append(tag)
        return found

    def features(self, project: Project) -> Iterator[tuple[str, Feature]]:
        """Yield the feature files of a project."""
        for key in project.features:
            yield key, self.feature(key)

    def text(self, key: str) -> Text:
        """Return the text of a document or a feature file, for the places in it."""
        held = self.desk.open.get(key)
        if held is not None:
            return held.text
        if kind_of(key) == "feature":
            return self.feature(key).text
        spec = self.spec(key)
        string = spec.text if isinstance(spec, Specification) else ""
        return self._texts.get(key, Same(string), lambda: Text(string, self.desk.encoding))

    def plain_text(self, key: str) -> Text:
        """Return the text of any file; nothing of one that is no text or too large."""
        held = self.desk.open.get(key)
        if held is not None:
            return held.text
        return self._texts.get(key, stamp(key), lambda: Text(_file_text(key), self.desk.encoding))

    def definitions(self, project: Project) -> Mapping[str, Definition]:
        """Return the requirements of a project by their tags; the first of two with one id."""
        found: dict[str, Definition] = {}
        for key, spec in self.specs(project):
            mark = Same(spec), Same(project.settings), _locks_of(key, project.settings)

            def make(spec: Specification = spec, key: str = key) -> tuple[Definition, ...]:
                return find_definitions(spec, key, project.settings, only=len(project.documents) == 1)

            for one in self._definitions.get(key, mark, make):
                found.setdefault(one.tag, one)
        return found

    def tags(self, project: Project) -> dict[str, list[tuple[str, Tag]]]:
        """Return where each tag stands: the tag as tags are compared, and key and tag of each place."""
        found: dict[str, list[tuple[str, Tag]]] = {}
        for key, feature in self.features(project):
            for tag in feature.tags:
                found.setdefault(tag.folded, []).append((key, tag))
        return found


@dataclass(frozen=True, slots=True)
class _Around:
    """A library whose documents are those that the workspace keeps, so that none is parsed for every key stroke."""

    documents: tuple[Specification, ...]
    files: FileLibrary
    read: Callable[[Path], Specification | None]

    def look(self, source: str, path: str) -> Target:
        """Resolve the path of a link."""
        target = self.files.look(source, path)
        if target.path is None or target.found not in ("document", "page"):
            return target
        return replace(target, read=partial(self.read, target.path))


def _is_below(key: str, root: Path) -> bool:
    path = path_of(key)
    return path is not None and path.is_relative_to(root)


def _locks_of(key: str, settings: Settings) -> object:
    """Return a mark that changes with the lock files that a document may have."""
    near = stamp(str(beside(Path(key)))) if path_of(key) else None
    return near, stamp(str(settings.lock)) if settings.lock else None


def _size(key: str) -> int:
    try:
        return Path(key).stat().st_size
    except (OSError, ValueError):
        return 0


def _parsed(string: str, source: str, memory: Memory) -> Specification | Unreadable:
    """Parse a text of an editor, within the bounds in which a file is read."""
    limit = MOST_BYTES // 1024 // 1024
    if len(string) > MOST_BYTES or (not string.isascii() and len(string.encode("utf-8", "surrogatepass")) > MOST_BYTES):
        return Unreadable(f"is larger than {limit} MiB", "a specification of that size has to be split")
    if "\0" in string:
        cure = "take the NUL character out"
        return Unreadable("is not a text file (it has a NUL byte)", cure, string.index("\0"))
    if not string.removeprefix("\ufeff").strip():
        return Unreadable("is empty", "write the specification first", empty=True)
    try:
        # Half a character, which an editor may have and no file, is no text for those who read it.
        return parse(string if string.isascii() else _HALF.sub("\ufffd", string), source, memory=memory)
    except Exception as error:  # noqa: BLE001 -- whatever it is, the author goes on writing
        return Unreadable(f"cannot be read for a fault of ours ({type(error).__name__}: {error})", "please report it")


def _loaded(key: str) -> Specification | Unreadable:
    try:
        return load(Path(key))
    except SpecificationError as error:
        return Unreadable(error.what, error.cure)


def _file_text(key: str) -> str:
    try:
        path = Path(key)
        return path.read_text(encoding="utf-8") if path.stat().st_size <= _MOST_TEXT_BYTES else ""
    except (OSError, ValueError):
        return ""
