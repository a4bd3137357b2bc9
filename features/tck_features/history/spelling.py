r"""How names, texts, lengths of time and scripts stand in a sentence, so that each can be read back exactly.

A text stands in double quotes. What a reader could not see in it, or what would end it, is escaped: `\"`, `\\`, `\n`,
`\u200b`, half a surrogate pair included. One that repeats itself is told once: `"word " 1000 times`. An address is a
text of the form `org/project#7` for an issue and `org/project!7` for a merge request; a `/` in a name is `\/`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from tck_driver.bench import Act, Link, Script, Shape, Write
from tck_driver.configuration import Binding, ProjectConfig, SettingScope, SettingValue
from tck_driver.errors import KitError
from tck_driver.vocabulary import AdapterId, MailboxRef, Phase
from tck_features.words import BEHAVIOURS

_LONGEST_UNIT = 24
_WORTH_COUNTING = 60
_PLAIN_ESCAPES = MappingProxyType({"\n": "n", "\t": "t", "\r": "r"})
_ESCAPE = re.compile(r"\\(?:u([0-9a-f]{4})|U([0-9a-f]{8})|(.))", re.DOTALL)
_BASIC_PLANE = 0xFFFF
_MILLISECONDS: Mapping[str, int] = MappingProxyType(
    {"day": 86_400_000, "hour": 3_600_000, "minute": 60_000, "second": 1_000, "millisecond": 1}
)
_PHRASES: Mapping[Shape, str] = MappingProxyType({shape: phrase for phrase, shape in BEHAVIOURS.items()})


def _any_of(words: Sequence[str]) -> str:
    """Match one of these, the longest that fits."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_QUOTED = r'"(?:[^"\\]|\\.)*"'
_ADDRESS = r'(?:[^"\\/]|\\.)*/(?:[^"\\/]|\\.)*'
#: What the words of a sentence look like. None of these captures anything.
TEXT = rf"{_QUOTED}(?: [0-9]+ times)?"
MAILBOX = rf'issue "{_ADDRESS}#[0-9]+"|merge request "{_ADDRESS}![0-9]+"'
PROJECT = rf'"{_ADDRESS}"'
DURATION = rf"[0-9]+ (?:{'|'.join(_MILLISECONDS)})s?"
VALUE = rf"true|false|nothing|-?[0-9]+|{TEXT}"
HOLDER = rf"the instance|organization {TEXT}|project {PROJECT}"
PHASE = "|".join(Phase)
_ADAPTER = _any_of(list(AdapterId))
BINDING = rf"(?:{_ADAPTER})(?: with provider {TEXT} and model {TEXT})?"
BINDINGS = rf"{BINDING}(?:, in (?:{PHASE}) by {BINDING})*"
_ACT = rf", (?:writing|linking) {TEXT} to {TEXT}"
SCRIPT = (
    rf"(?:{_any_of(list(BEHAVIOURS))}|reports the id {TEXT})(?: after {DURATION})?(?:{_ACT})*(?:, answering {TEXT})?"
)
SCRIPTS = rf"{SCRIPT}(?:, then {SCRIPT})*"


# --- texts ---------------------------------------------------------------------------------------------------------


def quoted(text: str) -> str:
    """Give a text in quotes."""
    unit = _repeated(text)
    return f'"{_escaped(text)}"' if unit is None else f'"{_escaped(unit)}" {len(text) // len(unit)} times'


def unquoted(words: str) -> str:
    """Read what `quoted` gave."""
    inner, _, count = words.rpartition('"')
    text = _unescaped(inner[1:])
    return text * int(count.split()[0]) if count else text


def _repeated(text: str) -> str | None:
    if len(text) < _WORTH_COUNTING:
        return None
    for length in range(1, _LONGEST_UNIT + 1):
        if len(text) % length == 0 and text == text[:length] * (len(text) // length):
            return text[:length]
    return None


def _escaped(text: str, also: str = "") -> str:
    return "".join(_sign(sign, also) for sign in text)


def _sign(sign: str, also: str) -> str:
    if sign in _PLAIN_ESCAPES:
        return f"\\{_PLAIN_ESCAPES[sign]}"
    if sign in {'"', "\\"} or sign in also:
        return f"\\{sign}"
    if sign.isprintable():
        return sign
    return f"\\u{ord(sign):04x}" if ord(sign) <= _BASIC_PLANE else f"\\U{ord(sign):08x}"


def _unescaped(text: str) -> str:
    names = {letter: sign for sign, letter in _PLAIN_ESCAPES.items()}

    def read(found: re.Match[str]) -> str:
        code = found[1] or found[2]
        return chr(int(code, 16)) if code else names.get(found[3], found[3])

    return _ESCAPE.sub(read, text)


# --- addresses -----------------------------------------------------------------------------------------------------


def project_words(organization: str, project: str) -> str:
    """Give a project's address in quotes."""
    return f'"{_escaped(organization, "/")}/{_escaped(project, "/")}"'


def read_project(words: str) -> tuple[str, str]:
    """Read what `project_words` gave."""
    organization, project = re.split(r"((?:[^\\/]|\\.)*)/", words[1:-1], maxsplit=1)[1:]
    return _unescaped(organization), _unescaped(project)


def mailbox_words(ref: MailboxRef) -> str:
    """Give a mailbox's address, with what it is."""
    kind, sign = ("issue", "#") if ref.kind == "issue" else ("merge request", "!")
    return f'{kind} {project_words(ref.organization, ref.project)[:-1]}{sign}{ref.iid}"'


def read_mailbox(words: str) -> MailboxRef:
    """Read what `mailbox_words` gave."""
    kind, _, address = words.partition(' "')
    place, _, number = address.removesuffix('"').rpartition("#" if kind == "issue" else "!")
    organization, project = read_project(f'"{place}"')
    return MailboxRef(organization, project, "issue" if kind == "issue" else "merge_request", int(number))


# --- time and values -----------------------------------------------------------------------------------------------


def duration_words(milliseconds: int) -> str:
    """Give a length of time in the largest unit that it is a whole number of."""
    unit, size = next((unit, size) for unit, size in _MILLISECONDS.items() if milliseconds % size == 0 or size == 1)
    if milliseconds == 0:
        unit, size = "millisecond", 1
    count = milliseconds // size
    return f"{count} {unit}{'' if count == 1 else 's'}"


def read_duration(words: str) -> int:
    """Read what `duration_words` gave."""
    count, unit = words.split()
    return int(count) * _MILLISECONDS[unit.removesuffix("s")]


def value_words(value: SettingValue) -> str:
    """Give a setting's value: a word, a number, or a text in quotes."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else quoted(value)


def read_value(words: str) -> SettingValue:
    """Read what `value_words` gave."""
    plain: dict[str, SettingValue] = {"nothing": None, "true": True, "false": False}
    if words in plain:
        return plain[words]
    return unquoted(words) if words.startswith('"') else int(words)


def holder_words(scope: SettingScope, organization: str, project: str) -> str:
    """Say for whom a setting holds."""
    if scope == "project":
        return f"project {project_words(organization, project)}"
    return "the instance" if scope == "instance" else f"organization {quoted(organization)}"


def read_holder(words: str) -> tuple[SettingScope, str, str]:
    """Read what `holder_words` gave."""
    scope, _, name = words.partition(" ")
    if scope == "project":
        return ("project", *read_project(name))
    return ("instance", "", "") if scope == "the" else ("organization", unquoted(name), "")


# --- bindings ------------------------------------------------------------------------------------------------------


def binding_words(binding: Binding) -> str:
    """Give an adapter, with provider and model where they are not the usual ones."""
    if binding == Binding(binding.adapter):
        return str(binding.adapter)
    return f"{binding.adapter} with provider {quoted(binding.provider)} and model {quoted(binding.model)}"


def read_binding(words: str) -> Binding:
    """Read what `binding_words` gave."""
    found = re.fullmatch(rf"({_ADAPTER})(?: with provider ({TEXT}) and model ({TEXT}))?", words)
    if found is None:
        raise KitError(f"{words} is no binding")
    adapter = AdapterId(found[1])
    return Binding(adapter) if found[2] is None else Binding(adapter, unquoted(found[2]), unquoted(found[3]))


def bindings_words(project: ProjectConfig) -> str:
    """Give what serves most phases of a project, and then the phases that something else serves."""
    held = dict(project.bindings)
    if tuple(held) != tuple(Phase):
        raise KitError(f"{project.organization}/{project.name} leaves phases unbound; a sentence cannot say that")
    usual = max(held.values(), key=list(held.values()).count)
    others = [f"in {phase} by {binding_words(one)}" for phase, one in held.items() if one != usual]
    return ", ".join([binding_words(usual), *others])


def read_bindings(words: str) -> tuple[tuple[Phase, Binding], ...]:
    """Read what `bindings_words` gave."""
    usual = re.match(BINDING, words)
    if usual is None:
        raise KitError(f"{words} are no bindings")
    rest = {
        Phase(found[1]): read_binding(found[2])
        for found in re.finditer(rf", in ({PHASE}) by ({BINDING})", words[usual.end() :])
    }
    return tuple((phase, rest.get(phase, read_binding(usual[0]))) for phase in Phase)


# --- scripts -------------------------------------------------------------------------------------------------------


def scripts_words(scripts: Sequence[Script]) -> str:
    """Say what a CLI does at its next starts."""
    return ", then ".join(_script_words(script) for script in scripts)


def _script_words(script: Script) -> str:
    odd = script.shape == "odd_id"
    words = f"reports the id {quoted(script.reported_id or '')}" if odd else _PHRASES[script.shape]
    if script.duration_ms:
        words += f" after {duration_words(script.duration_ms)}"
    for act in script.acts:
        match act:
            case Write(path, text):
                words += f", writing {quoted(text)} to {quoted(path)}"
            case Link(path, target):
                words += f", linking {quoted(path)} to {quoted(target)}"
    return words if script.answer == Script().answer else f"{words}, answering {quoted(script.answer)}"


def read_scripts(words: str) -> tuple[Script, ...]:
    """Read what `scripts_words` gave."""
    found = re.match(SCRIPT, words)
    scripts: list[Script] = []
    while found is not None:
        scripts.append(_read_script(found[0]))
        rest = words[found.end() :]
        found = re.compile(SCRIPT).match(words, found.end() + len(", then ")) if rest.startswith(", then ") else None
    return tuple(scripts)


def _read_script(words: str) -> Script:
    shape = re.match(rf"({_any_of(list(BEHAVIOURS))})|reports the id ({TEXT})", words)
    if shape is None:
        raise KitError(f"{words!r} is nothing that a CLI can do")
    rest = words[shape.end() :]
    after = re.match(rf" after ({DURATION})", rest)
    answer = re.search(rf", answering ({TEXT})$", rest)
    return Script(
        shape=BEHAVIOURS[shape[1]] if shape[1] else "odd_id",
        duration_ms=read_duration(after[1]) if after else 0,
        reported_id=None if shape[2] is None else unquoted(shape[2]),
        acts=_read_acts(rest[after.end() if after else 0 :]),
        answer=unquoted(answer[1]) if answer else Script().answer,
    )


def _read_acts(words: str) -> tuple[Act, ...]:
    acts: list[Act] = []
    kind = re.compile(rf", (writing|linking) ({TEXT}) to ({TEXT})")
    found = kind.match(words)
    while found is not None:
        first, second = unquoted(found[2]), unquoted(found[3])
        acts.append(Write(second, first) if found[1] == "writing" else Link(first, second))
        found = kind.match(words, found.end())
    return tuple(acts)
