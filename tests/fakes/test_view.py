"""What a container sees: nothing but its mounts and its own scratch, whatever links are planted."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tck_driver.witness import Mount
from tck_fakes.view import ContainerView, MountRefusedError

HOME = "/home/agent"
STATE = f"{HOME}/.claude/projects"


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A host with a mounted folder, and a canary outside it."""
    (tmp_path / "state").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "canary").write_text("secret")
    return tmp_path


@pytest.fixture
def view(world: Path) -> Iterator[ContainerView]:
    made = ContainerView([Mount(str(world / "state"), STATE)], HOME, world / "scratch")
    yield made
    made.close()


def refusal(action: Callable[[], object]) -> int | None:
    with pytest.raises(OSError, match=r"\[Errno") as caught:
        action()
    return caught.value.errno


def test_what_is_written_below_a_mount_is_on_the_host(view: ContainerView, world: Path) -> None:
    view.write(f"{STATE}/a/b.txt", b"x")
    assert (world / "state" / "a" / "b.txt").read_bytes() == b"x"


def test_what_is_written_elsewhere_vanishes_with_the_container(view: ContainerView, world: Path) -> None:
    view.write("/etc/x", b"x")
    view.write(f"{HOME}/.claude/settings.json", b"{}")
    assert view.read("/etc/x") == b"x"
    assert view.names(f"{HOME}/.claude") == ["projects", "settings.json"]
    view.close()
    assert sorted(path.name for path in world.iterdir()) == ["outside", "state"]


def test_the_longest_target_wins(world: Path) -> None:
    (world / "inner").mkdir()
    mounts = [Mount(str(world / "state"), "/m"), Mount(str(world / "inner"), "/m/in")]
    view = ContainerView(mounts, HOME, world / "scratch")
    view.write("/m/in/x", b"x")
    view.write("/m/y", b"y")
    assert (os.listdir(world / "inner"), os.listdir(world / "state")) == (["x"], ["y"])  # noqa: PTH208 - two short lists
    view.close()


def test_directories_of_the_image_are_there_before_anything_is_written(view: ContainerView, world: Path) -> None:
    assert view.is_dir(HOME)
    assert view.is_dir(f"{HOME}/.claude")
    assert view.names(HOME) == [".claude"]
    assert not view.exists(f"{HOME}/.codex")
    assert not (world / "scratch").exists()


def test_an_absolute_link_leads_to_the_containers_own_root(view: ContainerView, world: Path) -> None:
    view.link(f"{STATE}/out", str(world / "outside" / "canary"))
    assert refusal(lambda: view.read(f"{STATE}/out")) == errno.ENOENT
    view.write(f"{STATE}/out", b"mine")
    assert (world / "outside" / "canary").read_text() == "secret"
    assert view.read(str(world / "outside" / "canary")) == b"mine"


def test_a_relative_link_cannot_climb_above_the_containers_root(view: ContainerView, world: Path) -> None:
    (world / "state" / "up").symlink_to("../" * 40 + str(world / "outside"))
    assert refusal(lambda: view.read(f"{STATE}/up/canary")) == errno.ENOENT
    assert view.files(STATE) == []


def test_a_link_from_one_mount_to_another_is_followed(view: ContainerView) -> None:
    view.write(f"{STATE}/real", b"x")
    view.link("/tmp/link", f"{STATE}/real")  # noqa: S108 - a container path
    assert view.read("/tmp/link") == b"x"  # noqa: S108 - a container path


def test_a_source_that_is_a_link_is_followed_as_a_real_bind_does(world: Path) -> None:
    (world / "link").symlink_to(world / "outside")
    view = ContainerView([Mount(str(world / "link"), "/m")], HOME, world / "scratch")
    assert view.read("/m/canary") == b"secret"
    view.close()


def test_a_loop_of_links_ends_in_an_error(view: ContainerView) -> None:
    view.link(f"{STATE}/a", "b")
    view.link(f"{STATE}/b", "a")
    assert refusal(lambda: view.read(f"{STATE}/a")) == errno.ELOOP
    assert not view.exists(f"{STATE}/a")
    assert view.files(STATE) == []


@pytest.mark.parametrize("links", [3, 60])
def test_a_folder_that_links_to_itself_is_walked_to_an_end(view: ContainerView, links: int) -> None:
    view.write(f"{STATE}/x", b"")
    view.link(f"{STATE}/self", ".")
    assert view.read(f"{STATE}/{'self/' * min(links, 40)}x") == b""
    assert f"{STATE}/x" in view.files(STATE)


def test_a_missing_source_refuses_the_container(world: Path) -> None:
    with pytest.raises(MountRefusedError, match="bind source path does not exist"):
        ContainerView([Mount(str(world / "none"), "/m")], HOME, world / "scratch")


def test_two_mounts_on_one_target_refuse_the_container(world: Path) -> None:
    mounts = [Mount(str(world / "state"), "/m"), Mount(str(world / "outside"), "/m/")]
    with pytest.raises(MountRefusedError, match="Duplicate mount point: /m"):
        ContainerView(mounts, HOME, world / "scratch")


def test_a_read_only_mount_refuses_every_kind_of_write(world: Path) -> None:
    view = ContainerView([Mount(str(world / "outside"), "/m", read_only=True)], HOME, world / "scratch")
    actions: list[Callable[[], object]] = [
        lambda: view.write("/m/canary", b"x"),
        lambda: view.append("/m/new", b"x"),
        lambda: view.make_dirs("/m/dir"),
        lambda: view.link("/m/canary", "x"),
        lambda: view.touch("/m/canary", 1),
    ]
    assert [refusal(action) for action in actions] == [errno.EROFS] * len(actions)
    assert not view.may_write("/m/canary")
    assert view.read("/m/canary") == b"secret"
    view.close()


def test_a_mounted_file_can_be_read_and_is_no_directory(world: Path) -> None:
    mount = Mount(str(world / "outside" / "canary"), f"{HOME}/auth.json", read_only=True)
    view = ContainerView([mount], HOME, world / "scratch")
    assert view.read(f"{HOME}/auth.json") == b"secret"
    assert refusal(lambda: view.read(f"{HOME}/auth.json/x")) == errno.ENOTDIR
    assert refusal(lambda: view.link(f"{HOME}/auth.json", "x")) == errno.EBUSY
    view.close()


@pytest.mark.parametrize("anew", [False, True])
def test_a_source_that_was_removed_is_gone_for_the_container_also_when_made_anew(
    view: ContainerView, world: Path, *, anew: bool
) -> None:
    shutil.rmtree(world / "state")
    if anew:
        (world / "state").mkdir()
    assert refusal(lambda: view.write(f"{STATE}/late", b"x")) == errno.ENOENT
    assert not view.exists(f"{STATE}/late")
    assert not view.may_write(f"{STATE}/late")
    assert (world / "state").exists() == anew
    assert not anew or list((world / "state").iterdir()) == []


@pytest.mark.parametrize(
    ("mode", "action", "number"),
    [
        (0o000, "read", errno.EACCES),
        (0o200, "read", errno.EACCES),
        (0o400, "write", errno.EACCES),
        (0o600, "read", None),
        (0o600, "write", None),
    ],
)
def test_the_owners_mode_bits_count_for_root_too(
    view: ContainerView, world: Path, mode: int, action: str, number: int | None
) -> None:
    view.write(f"{STATE}/x", b"x")
    (world / "state" / "x").chmod(mode)
    calls: dict[str, Callable[[], object]] = {
        "read": lambda: view.read(f"{STATE}/x"),
        "write": lambda: view.write(f"{STATE}/x", b"y"),
    }
    if number is None:
        calls[action]()
    else:
        assert refusal(calls[action]) == number


def test_a_folder_without_its_search_bit_hides_what_is_in_it(view: ContainerView, world: Path) -> None:
    view.write(f"{STATE}/in/x", b"x")
    (world / "state" / "in").chmod(0o600)
    assert refusal(lambda: view.read(f"{STATE}/in/x")) == errno.EACCES
    (world / "state" / "in").chmod(0o700)


def test_a_pipe_in_place_of_a_file_is_refused_instead_of_waited_for(view: ContainerView, world: Path) -> None:
    os.mkfifo(world / "state" / "pipe")
    assert refusal(lambda: view.read(f"{STATE}/pipe")) == errno.EACCES
    assert refusal(lambda: view.append(f"{STATE}/pipe", b"x")) == errno.EACCES


def test_appending_ends_a_line_that_was_cut_off(view: ContainerView) -> None:
    view.write(f"{STATE}/x", b"cut")
    view.append(f"{STATE}/x", b"next\n")
    assert view.read(f"{STATE}/x") == b"cut\nnext\n"


NAMES = st.sampled_from(["a", "b", "c"])
RELATIVE = st.lists(st.one_of(NAMES, st.just("..")), min_size=1, max_size=6).map("/".join)
TARGETS = st.one_of(
    RELATIVE,
    RELATIVE.map(lambda path: f"/{path}"),
    RELATIVE.map(lambda path: f"{STATE}/{path}"),
    st.just("HOST"),
    st.just("UP"),
)


@settings(max_examples=150, deadline=None)
@given(links=st.lists(st.tuples(RELATIVE, TARGETS), max_size=8), reached=st.lists(RELATIVE, min_size=1, max_size=6))
def test_no_tree_of_links_ever_reaches_what_is_not_mounted(links: list[tuple[str, str]], reached: list[str]) -> None:
    root = Path(tempfile.mkdtemp())
    try:
        state, canary = root / "state", root / "outside" / "canary"
        state.mkdir()
        canary.parent.mkdir()
        canary.write_text("secret")
        host: dict[str, str] = {"HOST": str(canary), "UP": "../" * 30 + str(canary.parent)}
        view = ContainerView([Mount(str(state), STATE)], HOME, root / "scratch")
        for path, target in links:
            _try(partial(view.link, f"{STATE}/{path}", host.get(target, target)))
        for path in (*reached, *(path for path, _ in links), *(f"{path}/canary" for path, _ in links)):
            where = f"{STATE}/{path}"
            led = _try(partial(view.resolve, where))
            assert led is None or _inside(Path(led), state, root / "scratch"), f"{where} leads to {led}"
            assert _try(partial(view.read, where)) != b"secret"
            _try(partial(view.write, where, b"overwritten"))
        assert all(path.startswith(STATE) for path in view.files(STATE))
        view.close()
        assert canary.read_text() == "secret"
        assert [path.name for path in canary.parent.iterdir()] == ["canary"]
        assert sorted(path.name for path in root.iterdir()) == ["outside", "state"]
    finally:
        shutil.rmtree(root)


def _inside(path: Path, *roots: Path) -> bool:
    real = Path(os.path.realpath(path.parent)) / path.name
    return any(real.is_relative_to(root) for root in roots)


T = TypeVar("T")


def _try(action: Callable[[], T]) -> T | None:
    try:
        return action()
    except OSError:
        return None
