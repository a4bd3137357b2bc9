"""Reads options as the docker command does: long and short, clustered, with their value attached or as the next word.

What is refused is refused in the real command's words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

#: Spellings of truth, as the real command's language reads them.
TRUTH: dict[str, bool] = {
    word: word[0] in "1tT" for word in ("1", "t", "T", "true", "TRUE", "True", "0", "f", "F", "false", "FALSE", "False")
}


class FlagError(Exception):
    """The options are not as the real command takes them; the text is the real command's."""


def _anything(value: str) -> str | None:
    del value
    return None


@dataclass(frozen=True, slots=True)
class Flag:
    """One option. `names` as written, `-m,--memory`; a switch needs no value."""

    names: str
    switch: bool = False
    #: Gives what is wrong with a value, None where nothing is.
    fault: Callable[[str], str | None] = _anything

    @property
    def name(self) -> str:
        """The long name without dashes."""
        return self.names.split(",")[-1].lstrip("-")

    @property
    def shown(self) -> str:
        """The name as errors show it."""
        return self.names.replace(",", ", ")


@dataclass(frozen=True, slots=True)
class Words:
    """A command's words, read. `given` holds each option as often as it was given, by its long name, in order."""

    given: tuple[tuple[str, str], ...] = ()
    positionals: tuple[str, ...] = ()

    def all(self, name: str) -> list[str]:
        """Give every value of an option, in order."""
        return [value for given, value in self.given if given == name]

    def last(self, name: str, default: str = "") -> str:
        """Give the value that counts where an option was given more than once."""
        values = self.all(name)
        return values[-1] if values else default

    def on(self, name: str, *, default: bool = False) -> bool:
        """Tell whether a switch is on."""
        values = self.all(name)
        return TRUTH[values[-1]] if values else default


def _no_number(value: str) -> str | None:
    return None if re.fullmatch(r"[+-]?\d+", value) else f'strconv.ParseInt: parsing "{value}": invalid syntax'


def _no_size(value: str) -> str | None:
    fits = value == "-1" or re.fullmatch(r"\d+(\.\d+)?\s?([kKmMgGtTpP]?[iI]?[bB]?)", value)
    return None if fits else f"invalid size: '{value}'"


def _no_decimal(value: str) -> str | None:
    fits = re.fullmatch(r"\d*\.?\d+|\d+/\d+", value)
    return None if fits else f"failed to parse {value} as a rational number"


def flags(
    *,
    switch: str = "",
    text: str = "",
    number: str = "",
    size: str = "",
    decimal: str = "",
    checked: Mapping[str, Callable[[str], str | None]] | None = None,
) -> dict[str, Flag]:
    """Give a command's options by their names, from lists of names such as `-m,--memory`, one list for each kind."""
    made = [Flag(names, switch=True) for names in switch.split()]
    kinds = ((text, _anything), (number, _no_number), (size, _no_size), (decimal, _no_decimal))
    made += [Flag(names, fault=fault) for listed, fault in kinds for names in listed.split()]
    made += [Flag(names, fault=fault) for names, fault in (checked or {}).items()]
    return {name: flag for flag in made for name in flag.names.split(",")}


#: Every command has it.
HELP = Flag("--help", switch=True)


def read(words: Sequence[str], known: Mapping[str, Flag], *, mixed: bool) -> Words:
    """Read a command's words. `mixed`: options may follow the first word that is none. Raises `FlagError`."""
    pending = list(reversed(words))
    given: list[tuple[str, str]] = []
    positionals: list[str] = []
    while pending:
        word = pending.pop()
        if word == "--":
            positionals += reversed(pending)
            break
        if not word.startswith("-") or word == "-":
            positionals.append(word)
            if not mixed:
                positionals += reversed(pending)
                break
        elif word.startswith("--"):
            given.append(_long(word, known, pending))
        else:
            given += _short(word, known, pending)
    return Words(tuple(given), tuple(positionals))


def _long(word: str, known: Mapping[str, Flag], pending: list[str]) -> tuple[str, str]:
    name, attached, value = word.partition("=")
    flag = HELP if name == "--help" else known.get(name)
    if flag is None:
        raise FlagError(f"unknown flag: {name}")
    if not attached:
        if flag.switch:
            value = "true"
        elif pending:
            value = pending.pop()
        else:
            raise FlagError(f"flag needs an argument: {name}")
    return _checked(flag, value)


def _short(word: str, known: Mapping[str, Flag], pending: list[str]) -> list[tuple[str, str]]:
    given: list[tuple[str, str]] = []
    rest = word[1:]
    while rest:
        letter, rest = rest[0], rest[1:]
        flag = known.get(f"-{letter}")
        if flag is None:
            raise FlagError(f"unknown shorthand flag: '{letter}' in -{letter}{rest}")
        if rest.startswith("="):
            value, rest = rest[1:], ""
        elif flag.switch:
            value = "true"
        elif rest:
            value, rest = rest, ""
        elif pending:
            value = pending.pop()
        else:
            raise FlagError(f"flag needs an argument: '{letter}' in -{letter}")
        given.append(_checked(flag, value))
    return given


def _checked(flag: Flag, value: str) -> tuple[str, str]:
    fault = flag.fault(value)
    if flag.switch and value not in TRUTH:
        fault = f'strconv.ParseBool: parsing "{value}": invalid syntax'
    if fault is not None:
        raise FlagError(f'invalid argument "{value}" for "{flag.shown}" flag: {fault}')
    return flag.name, value
