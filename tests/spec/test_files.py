"""The library over files: what a path leads to, and what is never read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tck_spec import Specification, SpecificationError, check, load, parse
from tck_spec.files import FileLibrary, collect, file_library
from tck_spec.settings import Settings


def _write(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {path.stem}\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("lids.md", "document"),
        ("./lids.md", "document"),
        ("lids.md?plain=1", "document"),
        ("two%20words.md", "document"),
        ("img/cup.png", "file"),
        ("img", "folder"),
        ("img/", "folder"),
        (".", "folder"),
        ("img/../lids.md", "document"),
        ("../docs/lids.md", "document"),
        ("../top.md", "document"),
        ("Lids.md", "missing"),
        ("IMG/cup.png", "missing"),
        ("lids.md/", "missing"),
        ("lids.md/more.md", "missing"),
        ("none.md", "missing"),
        ("a%00b.md", "missing"),
        ("x" * 5000, "missing"),
        ("lids", "page"),
        ("lids/", "page"),
        ("lids.html", "page"),
        ("/top.md", "document"),
        ("/docs/lids.md", "document"),
        ("../../outside.md", "outside"),
        ("../../../../../../etc/passwd", "outside"),
        ("/../outside.md", "outside"),
        ("?x", "outside"),
    ],
)
def test_a_path_leads_to(tmp_path: Path, path: str, found: str) -> None:
    root = tmp_path / "root"
    _write(root, "docs/tea.md", "docs/lids.md", "docs/two words.md", "docs/img/cup.png", "top.md", "../outside.md")
    library = FileLibrary([load(root / "docs" / "tea.md")], root=root)
    assert library.look(str(root / "docs" / "tea.md"), path).found == found


def test_a_document_is_parsed_only_when_it_is_asked_for_and_only_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path, "tea.md", "lids.md")
    read: list[str] = []

    def reading(path: Path) -> Specification:
        read.append(path.name)
        return load(path)

    monkeypatch.setattr("tck_spec.files.load", reading)
    library = FileLibrary(root=tmp_path)
    source = str(tmp_path / "tea.md")
    targets = [library.look(source, "lids.md"), library.look(source, "./lids.md")]
    assert read == []
    assert [target.document and target.document.title for target in targets] == ["lids", "lids"]
    assert read == ["lids.md"]


def test_a_document_of_the_check_is_the_one_that_a_link_leads_to(tmp_path: Path) -> None:
    _write(tmp_path, "tea.md", "lids.md")
    documents = [load(tmp_path / "tea.md"), load(tmp_path / "lids.md")]
    library = FileLibrary(documents, root=tmp_path)
    assert library.look(documents[0].source, "lids.md").document is documents[1]
    assert list(library.documents) == documents


def test_what_an_editor_has_not_saved_lies_over_the_files(tmp_path: Path) -> None:
    _write(tmp_path, "tea.md", "lids.md")
    overlay = {tmp_path / "lids.md": "# New lids\n", tmp_path / "new" / "cups.md": "# Cups\n"}
    library = FileLibrary(root=tmp_path, overlay=overlay)
    source = str(tmp_path / "tea.md")
    found = [library.look(source, path) for path in ("lids.md", "new/cups.md")]
    assert [(one.found, one.document and one.document.title) for one in found] == [
        ("document", "New lids"),
        ("document", "Cups"),
    ]


def test_a_folder_has_the_page_that_is_shown_for_it(tmp_path: Path) -> None:
    _write(tmp_path, "tea.md", "pots/README.md", "lids/index.md", "cups/more.md")
    library = FileLibrary(root=tmp_path)
    found = [library.look(str(tmp_path / "tea.md"), path) for path in ("pots", "lids/", "cups")]
    assert [one.found for one in found] == ["folder"] * 3
    assert [one.document and one.document.title for one in found] == ["README", "index", None]


def test_pages_without_extensions_are_documents_where_that_is_set(tmp_path: Path) -> None:
    _write(tmp_path, "docs/tea.md", "docs/lids.md", "site/cups.md")
    settings = Settings(root=tmp_path, site_root=tmp_path / "site", extensionless=True)
    library = file_library([], settings)
    source = str(tmp_path / "docs" / "tea.md")
    assert [library.look(source, path).found for path in ("lids", "/cups", "/cups.md", "/lids", "none")] == [
        "document",
        "document",
        "document",
        "missing",
        "missing",
    ]


def test_a_missing_file_comes_with_names_that_are_near(tmp_path: Path) -> None:
    _write(tmp_path, "tea.md", "lids.md", "Cups.md")
    library = FileLibrary(root=tmp_path)
    source = str(tmp_path / "tea.md")
    assert library.look(source, "lid.md").near == ("lids.md",)
    assert library.look(source, "cups.md").near == ("Cups.md",)
    assert library.look(source, "nothing-like-it.md").near == ()


def test_links_in_the_file_system_end_at_the_root_and_in_loops(tmp_path: Path) -> None:
    root = tmp_path / "root"
    _write(root, "tea.md", "lids/lid.md", "../outside/secret.md")
    (root / "away").symlink_to(tmp_path / "outside")
    (root / "secret.md").symlink_to(tmp_path / "outside" / "secret.md")
    (root / "loop.md").symlink_to(root / "loop.md")
    (root / "lids" / "again").symlink_to(root)
    library = FileLibrary(root=root)
    source = str(root / "tea.md")
    paths = ("away/secret.md", "secret.md", "loop.md", "lids/again/lids/again/tea.md")
    found = [library.look(source, path) for path in paths]
    assert [one.found for one in found] == ["outside", "outside", "missing", "document"]
    assert found[0].document is None
    assert found[1].document is None


def test_a_document_elsewhere_has_its_own_folder_for_a_root(tmp_path: Path) -> None:
    _write(tmp_path, "here/x.md", "there/deep/tea.md", "there/deep/lids.md", "there/top.md")
    tea = load(tmp_path / "there" / "deep" / "tea.md")
    library = FileLibrary([tea], root=tmp_path / "here")
    assert [library.look(tea.source, path).found for path in ("lids.md", "none.md", "../top.md")] == [
        "document",
        "missing",
        "outside",
    ]


def test_what_cannot_be_read_is_there_all_the_same(tmp_path: Path) -> None:
    _write(tmp_path, "tea.md")
    (tmp_path / "bad.md").write_bytes(b"# \xff")
    (tmp_path / "empty.md").write_bytes(b"")
    with (tmp_path / "huge.md").open("wb") as file:
        file.truncate(5 * 1024 * 1024)
    library = FileLibrary(root=tmp_path)
    found = [library.look(str(tmp_path / "tea.md"), name) for name in ("bad.md", "empty.md", "huge.md")]
    assert [(one.found, one.document) for one in found] == [("document", None)] * 3


def test_a_name_of_a_text_without_a_file_is_looked_up_from_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path, "lids.md")
    monkeypatch.chdir(tmp_path)
    library = FileLibrary([parse("# Tea\n", "tea.md")], root=Path())
    assert [library.look("tea.md", path).found for path in ("lids.md", "tea.md")] == ["document", "document"]


def _collected(
    paths: list[Path], root: Path, *, files: tuple[str, ...] = (), exclude: tuple[str, ...] = ()
) -> list[str]:
    found = collect(paths, Settings(path=root / "session-tck.toml", root=root, files=files, exclude=exclude))
    return [path.relative_to(root).as_posix() for path in found]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    _write(
        tmp_path,
        "b.md",
        "a.markdown",
        "notes.txt",
        "docs/c.MD",
        "docs/deep/d.md",
        "docs/drafts/e.md",
        ".hidden/f.md",
        ".h.md",
        "node_modules/g/g.md",
        "env/pyvenv.cfg",
        "env/h.md",
    )
    (tmp_path / "docs" / "loop").symlink_to(tmp_path)
    (tmp_path / "again.md").symlink_to(tmp_path / "b.md")
    return tmp_path


def test_of_a_folder_its_markdown_is_taken_but_not_what_others_wrote(tree: Path) -> None:
    assert _collected([tree], tree) == ["a.markdown", "b.md", "docs/c.MD", "docs/deep/d.md", "docs/drafts/e.md"]


def test_what_is_named_is_taken_in_order_and_once(tree: Path) -> None:
    named = [tree / "notes.txt", tree / "docs" / "deep", tree / "b.md", tree / "docs", tree / "b.md"]
    assert _collected(named, tree) == ["notes.txt", "docs/deep/d.md", "b.md", "docs/c.MD", "docs/drafts/e.md"]


@pytest.mark.parametrize(
    ("files", "exclude", "found"),
    [
        (("docs",), (), ["docs/c.MD", "docs/deep/d.md", "docs/drafts/e.md"]),
        (("docs", "b.md"), ("drafts",), ["docs/c.MD", "docs/deep/d.md", "b.md"]),
        (("docs",), ("docs/deep/", "*.MD"), ["docs/drafts/e.md"]),
        (("**/*.md",), (), ["b.md", "docs/deep/d.md", "docs/drafts/e.md"]),
        (("docs/*",), (), ["docs/c.MD", "docs/deep/d.md", "docs/drafts/e.md"]),
        (("docs/**/[de].md",), ("docs/d*/e.md",), ["docs/deep/d.md"]),
        (("*.txt", "?.md"), (), ["notes.txt", "b.md"]),
        (("*.m*",), ("**/b.md",), ["a.markdown"]),
    ],
)
def test_settings_say_what_is_checked(
    tree: Path, files: tuple[str, ...], exclude: tuple[str, ...], found: list[str]
) -> None:
    assert _collected([], tree, files=files, exclude=exclude) == found


def test_what_is_named_is_not_excluded(tree: Path) -> None:
    named = [tree / "docs" / "deep" / "d.md", tree / "docs" / "drafts"]
    with pytest.raises(SpecificationError, match="there is no Markdown below"):
        collect(named, Settings(root=tree, exclude=("drafts",)))
    assert _collected(named[:1], tree, exclude=("docs",)) == ["docs/deep/d.md"]


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("dosc", "there is no such file or folder; did you mean docs?"),
        ("nothing/like.md", "there is no such file or folder; check the path"),
        (".hidden/*.txt", "nothing fits this pattern"),
        ("*.rst", "nothing fits this pattern"),
        ("empty", "there is no Markdown below this folder"),
    ],
)
def test_what_does_not_exist_is_an_error(tree: Path, name: str, what: str) -> None:
    (tree / "empty").mkdir()
    with pytest.raises(SpecificationError) as caught:
        collect([tree / name], Settings(root=tree))
    assert what in str(caught.value)
    with pytest.raises(SpecificationError) as caught:
        collect([], Settings(path=tree / "session-tck.toml", root=tree, files=(name,)))
    assert str(caught.value).startswith(f"{tree / 'session-tck.toml'}: check.files: {name}: ")


def test_a_link_that_leads_to_itself_is_named_as_it_is(tree: Path) -> None:
    (tree / "self.md").symlink_to(tree / "self.md")
    assert not os.path.exists(tree / "self.md")  # noqa: PTH110 -- what the file system says
    assert collect([tree / "self.md"], Settings(root=tree)) == [tree / "self.md"]
    with pytest.raises(SpecificationError, match="cannot be read"):
        load(tree / "self.md")


def test_a_link_that_leaves_the_project_is_not_followed_and_that_is_said(tmp_path: Path) -> None:
    root = tmp_path / "root"
    _write(root, "docs/tea.md", "docs/lids.md", "../outside.md")
    document = root / "docs" / "tea.md"
    document.write_text("# Tea\n\nSee [a](../../outside.md#x), [b](lids.md) and [c](?x).\n", encoding="utf-8")
    spec = load(document)
    found = check(spec, library=FileLibrary([spec], root=root))
    assert [(one.rule, one.severity, one.column) for one in found] == [("ANC005", "I", 5)]
