"""Images on a real container engine: they are made once, hold what they should, and leave nothing behind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from tests.real import docker_engine

from tck_fakes.images import MissingPartError, base, connect, making, standins
from tck_fakes.images.entries import PROGRAMS
from tck_fakes.images.making import KIND, LABEL, UNTIL, Recipe, derived, discard, imported, labels, sweep, there

if TYPE_CHECKING:
    from docker import DockerClient


@pytest.fixture(scope="module")
def client() -> Iterator[DockerClient]:
    docker_engine()
    connected = connect()
    yield connected
    connected.close()


def _run(client: DockerClient, image: str, *words: str, **asked: Any) -> str:  # noqa: ANN401 -- the SDK's own words
    said = client.containers.run(
        image, [*words], remove=True, network_mode="none", read_only=True, labels=labels("test", 600), **asked
    )
    return bytes(said).decode()


def test_the_image_of_the_stand_ins_is_made_once_and_found_again(client: DockerClient) -> None:
    name = standins(client)
    first = client.images.get(name).id
    assert name.startswith("session-tck/standins:")
    assert standins(client) == name
    assert client.images.get(name).id == first
    assert client.images.get(name).labels[LABEL] == "image"


def test_the_image_has_a_python_with_what_ours_needs_and_every_program(client: DockerClient) -> None:
    script = (
        "import hashlib, http.server, json, os, shutil, sqlite3, sys, tomllib; "
        "sys.path.insert(0, '/opt/session-tck'); import tck_fakes.modelserver.server as ours; "
        "print(json.dumps([sys.version_info[:2] >= (3, 11), ours.__cached__, os.path.exists(ours.__cached__), "
        "[name for name in sys.argv[1:] if shutil.which(name)], os.getuid(), sorted(os.environ)]))"
    )
    told = json.loads(_run(client, standins(client), "python3", "-I", "-c", script, *PROGRAMS))
    new_enough, _, compiled, found, uid, variables = told
    assert new_enough
    # Nothing can be compiled in a read-only file system, and compiling at each start would double its time.
    assert compiled
    assert found == [*PROGRAMS]
    assert uid == 1000
    assert set(variables) <= {"HOME", "HOSTNAME", "LC_CTYPE", "PATH"}


def test_neither_a_module_in_the_working_directory_nor_a_variable_takes_the_place_of_ours(client: DockerClient) -> None:
    planted = "import sys; sys.exit('planted')"
    shell = (
        f'mkdir tck_fakes && echo "{planted}" > tck_fakes/__init__.py && cp tck_fakes/__init__.py sitecustomize.py && '
        "export PYTHONPATH=$PWD && claude --version 2>&1; rm sitecustomize.py; python3 -c 'import tck_fakes' 2>&1; true"
    )
    words = {"working_dir": "/home/agent", "tmpfs": {"/home/agent": "uid=1000,gid=1000"}}
    said = _run(client, standins(client), "sh", "-c", shell, **words).splitlines()
    # Python by itself takes what is planted, and only then.
    assert said[-1] == "planted"
    assert "planted" not in said[0]


def test_the_base_trusts_somebody_and_has_a_shell(client: DockerClient) -> None:
    said = _run(client, base(client), "sh", "-c", "grep -c BEGIN /etc/ssl/certs/ca-certificates.crt; readlink /bin")
    authorities, link = said.split()
    assert int(authorities) > 50
    assert link == "usr/bin"


def test_a_base_of_ones_own_serves_as_well_and_one_without_python_is_refused(client: DockerClient) -> None:
    own = base(client)
    try:
        made = base(client, own)
        assert made != own
        assert _run(client, made, "python3", "-c", "print(1)") == "1\n"
    finally:
        client.images.remove(made)
    bare = derived(client, own, Recipe("test", "bare", lambda _: None, ("/usr/bin/busybox", "rm", "/usr/bin/python3")))
    try:
        with pytest.raises(MissingPartError) as missing:
            base(client, bare)
        assert missing.value.what == "the image for base cannot be made: /bin/sh: python3: not found"
    finally:
        client.images.remove(bare)


def test_an_image_that_is_nowhere_is_said_to_be(client: DockerClient) -> None:
    with pytest.raises(MissingPartError, match="the image session-tck-test/nowhere:1 is not here and cannot be pulled"):
        base(client, "session-tck-test/nowhere:1")


def test_a_recipe_that_fails_leaves_neither_image_nor_container(client: DockerClient) -> None:
    recipe = Recipe("test", "fails", lambda _: None, ("/usr/bin/sh", "-c", "echo why not >&2; exit 9"))
    before = len(client.containers.list(all=True, ignore_removed=True, filters={"label": f"{LABEL}=making"}))
    with pytest.raises(MissingPartError, match="the image for test cannot be made: why not"):
        derived(client, base(client), recipe)
    assert not there(client, recipe.tag)
    assert len(client.containers.list(all=True, ignore_removed=True, filters={"label": f"{LABEL}=making"})) <= before


def test_only_what_nobody_can_need_any_more_is_swept(client: DockerClient) -> None:
    image = base(client)
    stale = client.containers.create(image, ["sh"], labels={LABEL: "test", UNTIL: "1"})
    live = client.containers.create(image, ["sh"], labels=labels("test", 600))
    # One of a user's own, from our image: it has the image's labels, and no time of its own.
    theirs = client.containers.create(image, ["sh"])
    try:
        assert sweep(client) >= 1
        left = {each.id for each in client.containers.list(all=True, ignore_removed=True)}
        assert stale.id not in left
        assert {live.id, theirs.id} <= left
    finally:
        for each in (live, theirs):
            each.remove(force=True)


def test_an_older_image_of_a_kind_goes_unless_it_is_kept_young_or_in_use(client: DockerClient) -> None:
    made = [derived(client, base(client), Recipe("test", f"old-{number}", lambda _: None)) for number in range(3)]
    user = client.containers.create(made[1], ["sh"], labels=labels("test", 600))
    try:
        assert discard(client, "test", made[0], age=3600) == (0, ())
        removed, used = discard(client, "test", made[0])
        assert removed >= 1
        assert used == (made[1],)
        assert [there(client, name) for name in made] == [True, True, False]
    finally:
        user.remove(force=True)
        discard(client, "test")
    assert not any(there(client, name) for name in made)


def test_what_somebody_has_made_of_an_image_or_named_it_stays(client: DockerClient) -> None:
    ours = derived(client, base(client), Recipe("test", "given", lambda _: None))
    other = derived(client, base(client), Recipe("test", "named", lambda _: None))
    # Names of a form that nothing else here uses.
    own, further = "acme-of-session-tck/agent:1", "acme-of-session-tck/named:1"
    container = client.containers.create(ours, ["sh"], labels=labels("test", 600))
    try:
        container.commit("acme-of-session-tck/agent", "1")
    finally:
        container.remove(force=True)
    client.images.get(other).tag("acme-of-session-tck/named", "1")
    try:
        assert client.images.get(own).labels[KIND] == "test"
        discard(client, "test")
        assert [there(client, name) for name in (own, further, ours, other)] == [True, True, False, False]
        assert _run(client, own, "echo", "whole") == "whole\n"
        # The layers below somebody's own have no name left, and are no images of their own.
        assert discard(client, "test") == (0, ())
    finally:
        for name in (own, further):
            client.images.remove(name)


def test_what_a_making_that_was_killed_had_unpacked_goes_with_the_next(
    client: DockerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    tag = "session-tck/unpacked:left-behind"
    imported(client, tag, lambda layer: layer.file("etc/x", b"y"), {LABEL: "image", KIND: "unpacked"})
    try:
        made = derived(client, base(client), Recipe("test", "young", lambda _: None))
        # It may be under way.
        assert there(client, tag)
        monkeypatch.setattr(making, "_MAKING_LIMIT", -5)
        left = client.containers.create(made, ["sh"], labels=labels("making", -5))
        derived(client, base(client), Recipe("test", "later", lambda _: None))
        assert not there(client, tag)
        assert left.id not in {each.id for each in client.containers.list(all=True, ignore_removed=True)}
    finally:
        discard(client, "test")
        if there(client, tag):
            client.images.remove(tag)


def test_what_is_run_while_an_image_is_made_can_do_little(client: DockerClient) -> None:
    look = "grep -E '^(CapEff|NoNewPrivs|Uid)' /proc/self/status | tr -d '\\t' > /seen; ls /sys/class/net >> /seen"
    made = derived(client, base(client), Recipe("test", "little", lambda _: None, ("/usr/bin/sh", "-c", look)))
    try:
        assert _run(client, made, "cat", "/seen").split() == [
            "Uid:0000",
            "CapEff:0000000000000000",
            "NoNewPrivs:1",
            "lo",
        ]
    finally:
        client.images.remove(made)
