"""Updating: from the lock as it was and the document as it is to the lock as it has to be, and what has changed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal

from tck_spec.lock.atoms import Atom, of_record, of_statement
from tck_spec.lock.changes import KINDS, OPEN, Change, Kind, kind_of
from tck_spec.lock.fingerprints import loose, readable, strict
from tck_spec.lock.links import Fate, carried
from tck_spec.lock.matching import Matching, match
from tck_spec.lock.minting import document_key, mint
from tck_spec.lock.records import PARSER, Header, Lock, RequirementRecord, State
from tck_spec.lock.section_matching import SectionMatching, match_sections

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tck_spec.settings import Form
    from tck_spec.specification import Specification
    from tck_spec.statements import Statement

__all__ = ["Update", "contents", "new_lock", "update"]

_REFERENCE: Final = re.compile(r"\{(?:§\d+|[^\s{}#]+#S-\w+)\}")
#: Why an id cannot stand in the document.
_RETIRED: Final[Mapping[State, str]] = {
    "gone": "the id was retired when its requirement went",
    "split": "the id was retired when its requirement was split",
    "merged": "the id was retired when its requirement was merged",
}


@dataclass(frozen=True, slots=True)
class Update:
    """The new lock and every change; what is open stands in the lock as it was."""

    lock: Lock
    changes: tuple[Change, ...]
    #: Line and column of every requirement that holds; of one that is asked about, of what it may be.
    places: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])

    @property
    def open(self) -> tuple[Change, ...]:
        """The changes that wait for an answer."""
        return tuple(one for one in self.changes if one.kind in OPEN)


def new_lock(spec: Specification, form: Form, source: str) -> Lock:
    """Return the empty lock of a document; `source` is its path from the lock's folder."""
    return Lock(Header(document_key(form.document or spec.identifier), source))


def update(
    lock: Lock,
    spec: Specification,
    statements: Sequence[Statement],
    answers: Mapping[str, str] | None = None,
) -> Update:
    """Hold a lock against a document.

    `answers` say of a statement, by the id that it would get, which requirement it is; an empty text says a new one.
    Of an id that stands with another text than before, the id itself is the answer.
    """
    pass_ = _Pass(lock, spec, _once(statements))
    if not answers:
        return pass_.result({})
    return pass_.result(answers)


def _once(statements: Sequence[Statement]) -> list[Statement]:
    """Leave out what gives itself an id that stands before already; that is a finding of its own."""
    seen: set[str] = set()
    kept: list[Statement] = []
    for one in statements:
        if not one.marker or one.marker not in seen:
            kept.append(one)
            seen.add(one.marker)
    return kept


def contents(
    lock: Lock, spec: Specification, statements: Sequence[Statement]
) -> tuple[dict[str, frozenset[str]], list[frozenset[str]]]:
    """Return the texts in each section of the lock, and in each of the document, without the numbers of sections."""
    before: dict[str, set[str]] = defaultdict(set)
    for record in lock.active:
        before[record.section].add(loose(_masked(record.text)))
    after: list[set[str]] = [set() for _ in spec.sections]
    for one in statements:
        if 0 <= one.section < len(after):
            after[one.section].add(loose(_masked(strict(one.keyed))))
    return {key: frozenset(texts) for key, texts in before.items()}, [frozenset(texts) for texts in after]


def _shown(atom: Atom) -> str:
    return " | ".join(part for part in atom.context if part)


def _masked(text: str) -> str:
    return _REFERENCE.sub("{}", text) if "{" in text else text


@dataclass(slots=True)
class _Pass:
    """One pass of the pipeline."""

    lock: Lock
    spec: Specification
    statements: list[Statement]
    document: str = ""
    olds: list[Atom] = field(default_factory=list[Atom])
    news: list[Atom] = field(default_factory=list[Atom])
    sections: SectionMatching = field(default_factory=lambda: SectionMatching((), ()))
    #: The id of each statement that is not settled by the lock.
    ids: dict[int, str] = field(default_factory=dict[int, str])
    occurrences: list[int] = field(default_factory=list[int])
    records: dict[str, RequirementRecord] = field(default_factory=dict[str, RequirementRecord])
    changes: list[Change] = field(default_factory=list[Change])
    fates: dict[str, Fate] = field(default_factory=dict[str, Fate])
    stands: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    before: Mapping[str, str] = field(default_factory=dict[str, str])
    after: Mapping[str, str] = field(default_factory=dict[str, str])
    places: Mapping[str, str] = field(default_factory=dict[str, str])

    def result(self, answers: Mapping[str, str]) -> Update:
        self.document = self.lock.header.document
        self._sections()
        self._atoms()
        retired = {one.id: one for one in self.lock.requirements if one.state != "active"}
        back = {
            index: retired[atom.id]
            for index, atom in enumerate(self.news)
            if atom.id in retired and atom.id not in answers
        }
        rest = [index for index in range(len(self.news)) if index not in back]
        news = [self.news[index] for index in rest]
        inside = {one.id: one.inside for one in self.sections.records}
        decided = self._decided(answers, news, rest, inside) if answers else {}
        matching = match(self.olds, news, inside, decided)
        self.records = {one.id: one for one in self.lock.requirements if one.state != "active"}
        self._count()
        self._mint(matching, rest)
        self._settle(matching, rest)
        for index, record in back.items():
            change = self._change(
                "reused", record.id, (), (index,), ratio=0.0, others=(record.id,), why=_RETIRED[record.state]
            )
            self.changes.append(replace(change, old=readable(record.text, self.before)))
        return self._update()

    def _sections(self) -> None:
        self.sections = match_sections(
            self.document,
            self.lock.sections,
            self.spec.sections,
            *contents(self.lock, self.spec, self.statements),
        )
        self.before = self.lock.labels
        now = Lock(self.lock.header, self.sections.records)
        self.after = now.labels
        self.places = {one.id: now.place(one.id) for one in self.sections.records}

    def _atoms(self) -> None:
        place = {identifier: index for index, identifier in enumerate(self.sections.ids)}
        last = len(place)
        active = sorted(self.lock.active, key=lambda one: (place.get(one.section, last), one.occurrence, one.id))
        self.olds = [of_record(one) for one in active]
        prefix = f"{self.document}:"
        self.news = [
            of_statement(one, prefix + one.marker if one.marker else "", self.sections.ids, index)
            for index, one in enumerate(self.statements)
        ]

    def _decided(
        self, answers: Mapping[str, str], news: Sequence[Atom], rest: Sequence[int], inside: Mapping[str, str]
    ) -> dict[int, int]:
        """Return the answers by index, for which the ids are minted once without them."""
        trial = match(self.olds, news, inside)
        self._count()
        self._mint(trial, rest)
        by_id = {self.ids[index]: position for position, index in enumerate(rest) if index in self.ids}
        by_id |= {atom.id: position for position, atom in enumerate(news) if atom.id}
        olds = {atom.id: index for index, atom in enumerate(self.olds)}
        self.ids.clear()
        return {by_id[new]: olds.get(old, -1) for new, old in answers.items() if new in by_id}

    def _count(self) -> None:
        seen: dict[tuple[str, str], int] = defaultdict(int)
        self.occurrences = []
        for atom in self.news:
            self.occurrences.append(seen[atom.section, atom.loose])
            seen[atom.section, atom.loose] += 1

    def _mint(self, matching: Matching, rest: Sequence[int]) -> None:
        """Give an id to whatever has none in the lock: what is new, what is asked, the parts of a split."""
        kept = {pair.new for pair in (*matching.pairs, *matching.reused)}
        taken = {one.id for one in self.lock.requirements}
        taken |= {alias for one in self.lock.requirements for alias in one.aliases}
        titles = [loose(section.title) for section in self.spec.sections]
        counts: dict[tuple[str, str], int] = defaultdict(int)
        position = {index: number for number, index in enumerate(rest)}
        for index, (atom, one) in enumerate(zip(self.news, self.statements, strict=True)):
            title = titles[one.section] if 0 <= one.section < len(titles) else ""
            occurrence = counts[atom.loose, title]
            counts[atom.loose, title] += 1
            if index in position and position[index] not in kept:
                self.ids[index] = atom.id or mint(self.document, atom.loose, title, occurrence, taken)
                taken.add(self.ids[index])

    def _settle(self, matching: Matching, rest: Sequence[int]) -> None:
        """Turn what was matched into records and changes."""
        same_parser = self.lock.header.parser == PARSER
        for pair in matching.pairs:
            self._lives_on(matching.olds[pair.old], rest[pair.new], pair.ratio, same_parser=same_parser)
        for question in matching.asked:
            olds = [matching.olds[old] for old in question.olds]
            self._ask("ask", self.ids[rest[question.new]], olds, rest[question.new], question.ratio)
        for pair in matching.reused:
            old = matching.olds[pair.old]
            self._ask("reused", old.id, (old,), rest[pair.new], pair.ratio)
        for old_index, parts in matching.splits.items():
            self._split(matching.olds[old_index], [rest[part] for part in parts])
        for new_index, parts in matching.merges.items():
            self._merged(rest[new_index], [matching.olds[part] for part in parts])
        for new_index in matching.free_news:
            index = rest[new_index]
            self._add(index)
            self.changes.append(self._change("new", self.ids[index], (), (index,)))
        for old in matching.free_olds.values():
            self._retire(old, "gone")
            self.changes.append(self._change("gone", old.id, (old,), ()))

    def _ask(self, kind: Kind, identifier: str, olds: Sequence[Atom], index: int, ratio: float) -> None:
        """Leave requirements in the lock as they were, with the text that somebody has to say of what it is."""
        for old in olds:
            record = self.records.get(old.id, replace(self.lock.by_id[old.id], asked=()))
            self.stands[old.id] = self.news[index].line, self.news[index].column
            self.records[old.id] = replace(record, asked=tuple(sorted({*record.asked, self.news[index].fp})))
        others = tuple(old.id for old in olds)
        self.changes.append(self._change(kind, identifier, olds[:1], (index,), ratio=ratio, others=others))

    def _lives_on(self, old: Atom, index: int, ratio: float, *, same_parser: bool) -> None:
        before, atom = self.lock.by_id[old.id], self.news[index]
        kind, why = kind_of(old, atom, same_parser=same_parser)
        identifier, aliases = old.id, before.aliases
        if atom.id and atom.id != old.id:
            identifier = atom.id
            aliases = tuple(sorted({*aliases, old.id} - {atom.id}))
            kind = "renumbered" if kind in ("unchanged", "moved") else kind
        self.records[identifier] = replace(
            before,
            id=identifier,
            asked=(),
            aliases=aliases,
            text=atom.text,
            level=atom.level,
            section=atom.section,
            context=atom.context,
            occurrence=self.occurrences[index],
        )
        self.ids[index] = identifier
        self.stands[identifier] = atom.line, atom.column
        others = (old.id,) if identifier != old.id else ()
        self.changes.append(self._change(kind, identifier, (old,), (index,), ratio=ratio, others=others, why=why))
        self.fates[old.id] = Fate(identifier, editorial=kind == "editorial", refit=not same_parser)

    def _split(self, old: Atom, parts: Sequence[int]) -> None:
        ids = tuple(self.ids[part] for part in parts)
        for part in parts:
            self._add(part)
        self._retire(old, "split", ids)
        self.changes.append(self._change("split", old.id, (old,), parts, others=ids))

    def _merged(self, index: int, olds: Sequence[Atom]) -> None:
        target = self.ids[index]
        if target not in self.records:
            self._add(index)
        record = self.records[target]
        origin = {*record.origin, *(old.id for old in olds)}
        aliases = {*record.aliases, *(alias for old in olds for alias in self.lock.by_id[old.id].aliases)}
        self.records[target] = replace(record, origin=tuple(sorted(origin)), aliases=tuple(sorted(aliases)))
        for old in olds:
            self.records[old.id] = RequirementRecord(old.id, "merged", into=(target,))
            self.fates[old.id] = Fate(target)
        others = tuple(old.id for old in olds)
        self.changes.append(self._change("merged", target, olds, (index,), others=others))

    def _add(self, index: int) -> None:
        atom = self.news[index]
        self.stands[self.ids[index]] = atom.line, atom.column
        self.records[self.ids[index]] = RequirementRecord(
            id=self.ids[index],
            text=atom.text,
            level=atom.level,
            section=atom.section,
            context=atom.context,
            since=self.spec.version,
            occurrence=self.occurrences[index],
        )

    def _retire(self, old: Atom, state: Literal["split", "gone"], into: tuple[str, ...] = ()) -> None:
        """Leave a tombstone for an id and for each of its aliases: none is ever given again."""
        for identifier in (old.id, *self.lock.by_id[old.id].aliases):
            text = old.text if state == "gone" else ""
            self.records.setdefault(identifier, RequirementRecord(identifier, state, text, into=into))

    def _change(
        self,
        kind: Kind,
        identifier: str,
        olds: Sequence[Atom],
        news: Sequence[int],
        *,
        ratio: float = 1.0,
        others: tuple[str, ...] = (),
        why: str = "",
    ) -> Change:
        first = self.news[news[0]] if news else None
        return Change(
            kind=kind,
            id=identifier,
            old=" / ".join(readable(old.text, self.before) for old in olds),
            new=" / ".join(readable(self.news[index].text, self.after) for index in news),
            ratio=round(ratio, 3),
            old_section=self.lock.place(olds[0].section) if olds else "",
            new_section=self.places.get(first.section, "") if first else "",
            moved=bool(olds) and first is not None and olds[0].section != first.section,
            others=others,
            why=why,
            old_context=_shown(olds[0]) if kind == "context-changed" else "",
            new_context=_shown(first) if kind == "context-changed" and first else "",
            line=first.line if first else 0,
            column=first.column if first else 0,
        )

    def _update(self) -> Update:
        header = replace(self.lock.header, parser=PARSER)
        records = tuple(sorted(self.records.values(), key=lambda one: one.id))
        lock = Lock(header, self.sections.records, records)
        links = carried(self.lock, lock, self.fates)
        order = list(KINDS)
        changes = sorted(
            self.changes, key=lambda one: (one.line == 0, one.line, one.column, order.index(one.kind), one.id)
        )
        return Update(replace(lock, links=links), tuple(changes), self.stands)
