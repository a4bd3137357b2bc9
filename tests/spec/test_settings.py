"""Settings: everything that can be said in the file, and every mistake with its line."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tck_spec import SpecificationError
from tck_spec.settings import Form, Settings, Waiver, find_settings, read_settings

WHOLE = """\
[engine]
name = "sim"

[check]
files = ["docs/**/*.md"]
exclude = "docs/old/*"
features = "features"
anchors = ["github", "gitlab"]
site_root = "docs"
extensionless_links = true
mermaid = false
lock = "docs/spec.lock.jsonl"

[rules]
XREF005 = "on"
NUM002 = "error"
gap = "off"
all = "info"

[requirements]
style = "marked"
pattern = 'Requirement \\d+(\\.\\d+)+'
document = "TEA"
phrases = ["returns an error if"]
lower_case = true
quotes = true

[tables.required_columns]
Methods = ["name", "meaning"]

[[waivers]]
requirement = "POT-1"
reason = "the pot is on order"
until = 2030-05-01

[[waivers]]
requirement = "POT-2"
"""


def _file(folder: Path, text: str | bytes) -> Path:
    path = folder / "session-tck.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_everything_that_can_be_set_is_read(tmp_path: Path) -> None:
    path = _file(tmp_path, WHOLE)
    assert read_settings(path) == Settings(
        path=path,
        files=("docs/**/*.md",),
        exclude=("docs/old/*",),
        root=tmp_path,
        site_root=tmp_path / "docs",
        extensionless=True,
        anchors=("github", "gitlab"),
        mermaid=False,
        required_columns={"Methods": ("name", "meaning")},
        rules={"XREF005": "on", "NUM002": "E", "gap": None, "all": "I"},
        form=Form("marked", r"Requirement \d+(\.\d+)+", "TEA", ("returns an error if",), lower_case=True, quotes=True),
        lock=tmp_path / "docs" / "spec.lock.jsonl",
        features=tmp_path / "features",
        waivers=(
            Waiver("POT-1", "the pot is on order", date(2030, 5, 1), 31),
            Waiver("POT-2", "", None, 36),
        ),
    )


def test_nothing_has_to_be_set(tmp_path: Path) -> None:
    path = _file(tmp_path, b"\xef\xbb\xbf")
    assert read_settings(path) == Settings(path=path, root=tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[chek]\n", ":1: 'chek' is no setting; did you mean check?"),
        ('\n[check]\nfile = "x"\n', ":3: 'check.file' is no setting; did you mean files?"),
        ("[check]\nfiles = [1]\n", ":2: 'check.files' is not a list of texts; write files = [\"…\"]"),
        ('[check]\nfiles = [""]\n', ":2: 'check.files' is not a list of texts; write files = [\"…\"]"),
        ("[check]\nlock = 1\n", ":2: 'check.lock' is not a text; write lock = \"…\""),
        ('[check]\nmermaid = "no"\n', ":2: 'check.mermaid' is neither true nor false; write mermaid = true"),
        (
            '[check]\nanchors = ["hub"]\n',
            ":2: 'check.anchors' has 'hub'; known are github, gitlab, forgejo, mkdocs, pandoc",
        ),
        ("check = 1\n", ":1: 'check' is not a table; write [check]"),
        (
            '[rules]\nNUM002 = "fatal"\n',
            ":2: 'rules.NUM002' has no known severity; write one of error, warning, info, on, off",
        ),
        ('[requirements]\nstyle = "x"\n', ":2: 'requirements.style' is 'x'; write auto, marked or prose"),
        ("[requirements]\npattern = '('\n", ":2: 'requirements.pattern' is no regular expression"),
        ("[requirements]\nphrases = ['a', '[']\n", ":2: 'requirements.phrases' is no regular expression"),
        ("[tables]\ncolumns = 1\n", ":2: 'tables.columns' is no setting"),
        ("[tables.required_columns]\nA = 1\n", ":2: 'tables.required_columns.A' is not a list of texts"),
        ("waivers = 1\n", ":1: 'waivers' is not a list; write [[waivers]]"),
        ("waivers = [1]\n", ":1: 'waivers' is not a list of tables; write [[waivers]]"),
        ('[[waivers]]\nreason = "x"\n', ':1: a waiver names no requirement; write requirement = "…"'),
        (
            '[[waivers]]\nrequirement = "A-1"\nuntil = "soon"\n',
            ":3: 'waivers.until' is no date; write until = 2030-01-31",
        ),
        ('[[waivers]]\nrequirement = "A-1"\nuntil = 2030-01-01T10:00:00\n', ":3: 'waivers.until' is no date"),
        ("[check\n", ": is not TOML"),
        ("x = " + "[" * 5000, ": is not TOML"),
        (b"\xff", ": is not UTF-8; save it as UTF-8"),
        (b"#" * (1024 * 1024 + 1), ": is larger than 1 MiB"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_its_cure(tmp_path: Path, text: str | bytes, message: str) -> None:
    path = _file(tmp_path, text)
    with pytest.raises(SpecificationError) as caught:
        read_settings(path)
    assert str(caught.value).startswith(f"{path}{message}")


def test_a_file_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(SpecificationError, match=r"session-tck\.toml: cannot be read \(No such file or directory\)"):
        read_settings(tmp_path / "session-tck.toml")


def test_the_nearest_file_counts_and_no_search_leaves_the_repository(tmp_path: Path) -> None:
    inner = tmp_path / "repository" / "docs" / "deep"
    inner.mkdir(parents=True)
    outside = _file(tmp_path, "")
    assert find_settings(inner) == outside
    (tmp_path / "repository" / ".git").mkdir()
    assert find_settings(inner) is None
    nearest = _file(tmp_path / "repository", "")
    assert find_settings(inner) == nearest
