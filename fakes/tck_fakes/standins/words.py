"""Reads an argument vector by a table of options, under the three sets of rules that the CLIs' libraries have.

The libraries differ where it hurts: whether an option takes a value that begins with a dash decides whether an id
`--help` prints the usage or is looked up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

#: How many words an option takes: none, exactly one, one if the next is no option, all up to the next option.
Arity = Literal["none", "one", "maybe", "many"]
#: Every spelling of an option → its canonical name and its arity.
Options = Mapping[str, tuple[str, Arity]]

_HELP = ("-h", "--help")


def options(table: Mapping[str, Arity]) -> dict[str, tuple[str, Arity]]:
    """Spread a table of `"-s,--session": arity`; the last spelling is the canonical name."""
    spread: dict[str, tuple[str, Arity]] = {}
    for spellings, arity in table.items():
        names = spellings.split(",")
        for name in names:
            spread[name] = (names[-1], arity)
    return spread


def every(arity: Arity, *spellings: str) -> dict[str, Arity]:
    """Give a table in which every option has the same arity."""
    return dict.fromkeys(spellings, arity)


@dataclass(slots=True)
class Words:
    """An argument vector, read. Reading stops at the first of `help`, `unknown`, `missing`."""

    values: dict[str, str | None] = field(default_factory=dict[str, str | None])
    positionals: list[str] = field(default_factory=list[str])
    help: bool = False
    unknown: str | None = None
    missing: str | None = None
    subcommand: str | None = None
    rest: tuple[str, ...] = ()

    def flag(self, name: str) -> bool:
        """Tell whether the option was given."""
        return name in self.values


def read_words(
    argv: Sequence[str], table: Options, *, dash_values: bool = False, subcommands: Sequence[str] = ()
) -> Words:
    """Read words by a table. `dash_values`: an option that needs a value takes the next word whatever it looks like."""
    words = Words()
    at = 0
    while at < len(argv):
        word = argv[at]
        at += 1
        if word == "--":
            words.positionals.extend(argv[at:])
            break
        if word in subcommands and not words.positionals:
            words.subcommand, words.rest = word, tuple(argv[at:])
            break
        if not _dashed(word):
            words.positionals.append(word)
            continue
        if word in _HELP:
            words.help = True
            break
        name, glued, value = word.partition("=")
        if name not in table:
            words.unknown = word
            break
        canonical, arity = table[name]
        if glued and arity != "none":
            words.values[canonical] = value
            continue
        taken = _taken(argv[at:], arity, dash_values=dash_values)
        if taken == 0 and arity == "one":
            words.missing = name
            break
        words.values[canonical] = argv[at] if taken and arity != "many" else _BARE[arity]
        at += taken
    return words


#: What an option without a word of its own counts as.
_BARE: dict[Arity, str | None] = {"none": "", "one": None, "maybe": None, "many": ""}


def _dashed(word: str) -> bool:
    return word.startswith("-") and word != "-"


def _taken(following: Sequence[str], arity: Arity, *, dash_values: bool) -> int:
    """Give how many of the following words an option takes for itself."""
    if arity == "none":
        return 0
    if arity == "one" and dash_values:
        return min(1, len(following))
    plain = 0
    while plain < len(following) and not _dashed(following[plain]):
        plain += 1
    return plain if arity == "many" else min(1, plain)
