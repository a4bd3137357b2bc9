"""Documents that nobody would write, and halves of those that somebody did: findings or one clear error, in bounds.

The bounds are of computing and of memory, not of the clock: what grows with the square of a document's size takes
minutes on these sizes, whatever else the machine is doing.
"""

from __future__ import annotations

import re
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tck_spec import Specification, SpecificationError, check, load, parse
from tck_spec.findings import Finding
from tck_spec.rules import RULES
from tck_spec.settings import Settings

SIZE: Final = 50_000
SECONDS: Final = 10
ROOM: Final = 1024**3

#: Every rule, also those that are off by themselves; diagrams by their first words only.
ALL_RULES: Final = Settings(mermaid=False, rules={"all": "on"}, required_columns={"tea": ("Pot",)})


@contextmanager
def bounds(seconds: int = SECONDS, room: int = ROOM) -> Iterator[None]:
    """Fail what computes for too long or takes too much memory."""

    def late(*_: object) -> None:
        pytest.fail(f"computed for more than {seconds} seconds")

    kinds = (resource.RLIMIT_CPU, resource.RLIMIT_AS)
    before = {kind: resource.getrlimit(kind) for kind in kinds}
    handler = signal.signal(signal.SIGXCPU, late)
    used = resource.getrusage(resource.RUSAGE_SELF)
    wanted = (int(used.ru_utime + used.ru_stime) + 1 + seconds, _size() + room)
    try:
        for kind, soft in zip(kinds, wanted, strict=True):
            hard = before[kind][1]
            resource.setrlimit(kind, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
        yield
    finally:
        for kind in kinds:
            resource.setrlimit(kind, before[kind])
        signal.signal(signal.SIGXCPU, handler)


def _size() -> int:
    """Return how much memory this process has mapped."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[0]) * resource.getpagesize() if statm.exists() else ROOM


def places_are_inside(spec: Specification, found: tuple[Finding, ...]) -> bool:
    lines = re.split(r"\r\n|\n|\r", spec.text.removeprefix("\ufeff"))
    return all(
        1 <= one.line <= len(lines) and 1 <= one.column <= one.column + one.length <= len(lines[one.line - 1]) + 1
        for one in found
    )


def times(unit: str) -> Callable[[int], str]:
    return lambda size: unit * (size // len(unit))


def numbered(template: str) -> Callable[[int], str]:
    return lambda size: "".join(template.replace("%", str(number)) for number in range(size // (len(template) + 4)))


SHAPES: Final[dict[str, Callable[[int], str]]] = {
    "a table of many columns": lambda size: f"|{'a|' * (size // 4)}\n|{'-|' * (size // 4)}\n",
    "a table of many rows": lambda size: "|a|b|\n|-|-|\n" + "|1|2|\n" * (size // 6),
    "rows with too many cells": lambda size: "|a|b|\n|-|-|\n" + "|1|2|3|\n" * (size // 8),
    "lines after a table": lambda size: "|a|b|\n|-|-|\n" + "1\n" * (size // 2),
    "rows with too few cells": lambda size: "|a|b|c|\n|-|-|-|\n" + "|1|2|\n" * (size // 6),
    "headings of one name": lambda size: f"|{'a|b|' * (size // 8)}c|\n|{'-|-|' * (size // 8)}-|\n|1|\n",
    "tables that are none": times("|a|b|\n|-|\n\n"),
    "nested quotes": lambda size: ">" * 10_000 + "a" + "\n>" * (size // 2 - 5_000),
    "quotes, each deeper": lambda size: "\n".join(">" * depth + "a" for depth in range(int((2 * size) ** 0.5))),
    "nested items": times("- "),
    "items, each deeper": lambda size: "\n".join("  " * depth + "- a" for depth in range(int(size**0.5))),
    "items with fences": times("- ```\n"),
    "fences that never end": times("````\n```\n"),
    "opening brackets": times("["),
    "closing brackets": times("]"),
    "nested brackets": lambda size: "[" * 10_000 + "a" + "]" * 10_000 + "(b)" * (size // 3 - 7_000),
    "nested links": lambda size: "[" * (size // 4) + "a" + "](b)" * (size // 5),
    "openings of images": times("!["),
    "nested emphasis": lambda size: "*" * 10_000 + "a" + "*" * 10_000 + "a" * (size - 20_000),
    "emphasis in emphasis": times("**a"),
    "one huge definition many times": lambda size: f"[a]: #{'b' * (size // 2)}\n\n{'[a] ' * (size // 8)}",
    "emphasis that crosses": times("*a _b "),
    "ticks, each run longer": lambda size: "a".join("`" * run for run in range(1, int((2 * size) ** 0.5))),
    "a huge target": lambda size: f"[a](#{'b' * size})\n",
    "a huge target that never ends": lambda size: "[a](#" + "b(" * (size // 2),
    "a huge title that never ends": lambda size: f'[a](b "{"c" * size}',
    "huge targets": lambda size: f"[a](#{'b' * 1000}) " * (size // 1000),
    "an encoded target": lambda size: f"[a](#{'%41' * (size // 3)})\n",
    "dead links": numbered("[a](#b%)\n\n"),
    "dead files": numbered("[a](b%.md#c)\n\n"),
    "definitions": numbered("[a%]: b\n"),
    "one definition many times": times("[a]: b\n"),
    "definitions that never end": times("[a]: b '\n"),
    "uses of one definition": lambda size: "[a]: b\n\n" + "[a][a] " * (size // 7),
    "definitions and uses": lambda size: numbered("[a%]: b\n")(size // 2) + "\n" + numbered("[x][a%] ")(size // 2),
    "undefined labels": numbered("[x][a%]\n\n"),
    "a long line": lambda size: "a" * size,
    "a line of spaces": lambda size: "a" + " " * size + "b",
    "words": times("word "),
    "lines": times("a\n"),
    "blank lines": times("\n"),
    "carriage returns": times("a\r"),
    "mixed line ends": times("a\r\nb\rc\n"),
    "one heading many times": times("# a\n"),
    "headings that look like copies": numbered("# a-%\n# a\n"),
    "one number many times": times("# 1 a\n"),
    "numbers": numbered("## % a\n"),
    "a deep number": lambda size: f"# {'1.' * (size // 2)} a\n",
    "underlines": times("a\n-\n"),
    "references to sections": times("See Section 9.9 and §1-9.\n\n"),
    "a list of sections": lambda size: f"Sections {'1, ' * (size // 3)}and 2",
    "a huge range of sections": times("§1–999999999 "),
    "contents": lambda size: numbered("- [a%](#a%)\n")(size // 2) + "\n" + numbered("# a%\n")(size // 2),
    "key words": times("It MUST be. "),
    "key words in one sentence": times("it MUST be "),
    "key words in items": times("- It MUST be so.\n"),
    "requirements": numbered('- <a id="pot-%"></a>**POT-%** (agreed): It MUST be so now.\n'),
    "mentions of requirements": lambda size: (
        '- <a id="a-1"></a>**A-1** (agreed): It MUST be.\n\n' + "A-2 " * (size // 4)
    ),
    "tags that never end": times("<a "),
    "attributes that never end": lambda size: "<a " + "b='" * (size // 3),
    "comments that never end": times("<!-- "),
    "comments that never end, in lines": times("a <!--\n\n"),
    "ids": numbered("<a id='b%'></a>\n\n"),
    "one id many times": times("<a id='b'></a>\n\n"),
    "excuses": times("<!-- check-off NUM002: so -->\n\na\n\n"),
    "an excuse for everything": lambda size: f"<!-- check-off {'A, ' * (size // 3)}",
    "combining marks": lambda size: "# a" + "\u0301" * (size // 2),
    "NUL": times("\0\n"),
    "half surrogate pairs": times("\ud800\n"),
    "lost characters": times("\ufffd\n"),
    "empty diagrams": times("```mermaid\n```\n"),
    "diagrams of unknown types": numbered("```mermaid\nx%\n```\n"),
    "a blank diagram": lambda size: f"```mermaid\n---\n{chr(10) * size}```\n",
    "directives that never end": lambda size: f"```mermaid\n{'%%{a ' * (size // 5)}\n```\n",
    "diagrams between colons that never end": times("::: mermaid\n\n"),
    "messages in a diagram": lambda size: f"```mermaid\nsequenceDiagram\n{'a->b' * (size // 4)}\n```\n",
    "names in a diagram": lambda size: (
        f"```mermaid\nsequenceDiagram\n{numbered('participant A%' + chr(10))(size)}```\n"
    ),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_a_hostile_document_has_findings_within_bounds(shape: Callable[[int], str]) -> None:
    text = shape(SIZE)
    with bounds():
        spec = parse(text, "tea.md")
        found = check(spec, ALL_RULES)
    assert places_are_inside(spec, found)


def _count() -> None:
    with bounds(seconds=0):
        while True:
            pass


def _fill() -> None:
    with bounds(room=1024**2):
        bytearray(1024**3)


def test_the_bounds_hold() -> None:
    with pytest.raises(pytest.fail.Exception, match="computed for more than 0 seconds"):
        _count()
    with pytest.raises(MemoryError):
        _fill()


def test_a_sparse_file_of_100_megabytes_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "tea.md"
    with path.open("wb") as file:
        file.truncate(100 * 1024**2)
    with pytest.raises(SpecificationError, match=r"larger than \d+ MiB"), bounds(seconds=5, room=64 * 1024**2):
        load(path)


TEA: Final = """\
# Tea

Version: 1.2.0

The key words MUST and MAY are to be read as in RFC 2119.

## Contents

- [1 Pots](#1-pots)
- [2 Cups](#2-cups)

## 1 Pots

- <a id="pot-1"></a>**POT-1** (agreed): The cook MUST warm the pot. *Reason: cold pots crack.*
- <a id="pot-2"></a>**POT-2** (proposed): The cook MAY fill the pot, see [Section 2.1](#21-saucers). *Reason: thirst.*

| Leaf | Water | Note |
|:-----|------:|------|
| Green | 80 | `a\\|b` |
| [Black][leaf] | 100 | *hot* |

```mermaid
sequenceDiagram
    participant P as Pot
    P->>Cup: tea
```

## 2 Cups

> See §1, RFC 9110 Section 4.2 and **POT-1**.
>
> 1. Warm them.
> 2. Fill them:
>
>        not too full

### 2.1 Saucers

<!-- check-off NUM002: 2.2 was withdrawn -->

### 2.3 Spoons

~~~text
| no | table |
~~~

[leaf]: #2-cups "Leaves"
"""

MILK: Final = """\
---
title: Milk
---
Milk
====

An agent must not pour milk (see "Sugar", §A.1) before [the tea](tea.md#2-cups).

Requirement 1.2.1
-----------------

> The agent **MUST** pour milk after the tea.\\
> It SHOULD NOT stir.

Appendix A — Sugar
------------------

* one
  * two

    ``` json
    {"sugar": [1, 2]}
    ```

* three[^1] and ![image](cow.png 'Cow') <span id="cow">`moo`</span> &mdash; Ünïcödé 😀

[^1]: Or four.

<details>
<summary>More</summary>

::: mermaid
graph TD
  A-->B
:::

</details>
"""

DOCUMENTS: Final = st.sampled_from([TEA, MILK])


@st.composite
def halves(draw: st.DrawFn) -> str:
    """Draw the beginning of a document, or the one of one and the end of another, with something odd between."""
    one, two = draw(DOCUMENTS), draw(DOCUMENTS)
    first, second = draw(st.integers(0, len(one))), draw(st.integers(0, len(two)))
    between = draw(
        st.sampled_from(["", "", "\n", "\n\n", "\r", "\ufeff", "`", "```", "> ", "    ", "|", "\\", "<!--", "["])
    )
    return one[:first] + between + two[second:]


@st.composite
def shuffled(draw: st.DrawFn) -> str:
    """Draw a document some of whose lines are gone, doubled, moved or indented."""
    lines = draw(DOCUMENTS).split("\n")
    for _ in range(draw(st.integers(1, 8))):
        at, to = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines) - 1))
        change = draw(st.sampled_from(["drop", "double", "move", "indent", "quote", "blank"]))
        line = lines[at]
        if change == "drop" and len(lines) > 1:
            del lines[at]
        elif change == "double":
            lines.insert(at, line)
        elif change == "move":
            lines[at], lines[to] = lines[to], line
        else:
            lines[at] = {"indent": "    " + line, "quote": "> " + line}.get(change, "")
    return "\n".join(lines)


@settings(max_examples=150, deadline=None)
@given(halves() | shuffled())
def test_halves_of_documents_are_checked_and_their_findings_are_inside(text: str) -> None:
    spec = parse(text, "tea.md")
    found = check(spec, ALL_RULES)
    assert places_are_inside(spec, found)
    assert not [one for one in found if re.search(r"[\n\r]", one.message + one.hint)]
    assert found == check(parse(text, "tea.md"), ALL_RULES)


@settings(max_examples=20, deadline=None)
@given(halves())
def test_halves_of_diagrams_are_held_against_the_grammar(text: str) -> None:
    spec = parse(text, "tea.md")
    assert places_are_inside(spec, tuple(one for rule in RULES if rule.code == "MMD001" for one in check(spec)))


def _loaded(data: bytes) -> Specification | str:
    """Load a file of these bytes; return why it is refused, if it is."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "tea.md")
        path.write_bytes(data)
        try:
            return load(path)
        except SpecificationError as error:
            return error.what


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS, st.integers(0, 2000), st.binary(min_size=1, max_size=6))
def test_bytes_of_any_kind_are_read_or_refused_with_their_place(text: str, at: int, noise: bytes) -> None:
    data = text.encode()
    data = data[:at] + noise + data[at:]
    result = _loaded(data)
    if isinstance(result, str):
        line = 1 + len(re.findall(rb"\r\n|\n|\r", data[: at + len(noise)]))
        assert "line" in result
        assert abs(int(re.findall(r"line (\d+)", result)[0]) - line) <= noise.count(b"\r") + noise.count(b"\n")
        assert b"\0" in noise or data.decode("utf-8", "replace").encode() != data
    else:
        assert result.text.encode() == data
        assert places_are_inside(result, check(result, ALL_RULES))


def test_both_documents_are_clean() -> None:
    assert [(one.rule, one.line) for one in check(parse(TEA, "tea.md"))] == []
    assert {one.rule[:3] for one in check(parse(MILK, "milk.md"))}.isdisjoint({"DOC", "TBL", "MMD", "ANC", "NUM"})


def test_a_table_of_a_million_columns_is_one_finding() -> None:
    columns = 1_000_000
    wide = f"{'|a' * columns}|\n{'|-' * columns}|\n{'|b' * columns}|\n"
    assert [(one.rule, one.line) for one in check(parse(wide, "wide.md"))] == [("TBL002", 1)]
    long = f"|a|b|\n|-|-|\n{'|c' * columns}|\n"
    assert [(one.rule, one.line) for one in check(parse(long, "long.md"))] == [("TBL001", 3)]
