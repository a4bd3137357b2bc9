from __future__ import annotations

import re
from importlib.util import find_spec

import pytest

from tck_driver.courses import PROFILES
from tck_kit.faults import UsageFault
from tck_kit.peers.table import ALL, PEERS, named


@pytest.mark.parametrize("name", PEERS)
def test_a_pin_is_a_version_or_a_whole_commit_and_never_a_branch(name: str) -> None:
    peer = PEERS[name]

    form = r"\d+(\.\d+)+(\.post\d+)?" if peer.kind == "pip" else "[0-9a-f]{40}"
    assert re.fullmatch(form, peer.pin)
    assert peer.version == peer.pin or peer.version.endswith(f"+{peer.pin[:8]}")


@pytest.mark.parametrize("name", PEERS)
def test_a_package_is_known_by_the_digest_of_each_of_its_wheels(name: str) -> None:
    peer = PEERS[name]

    assert bool(peer.digests) == (peer.kind == "pip")
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in peer.digests.values())


@pytest.mark.parametrize("name", PEERS)
def test_its_driver_is_part_of_the_kit_and_claims_profiles_that_there_are(name: str) -> None:
    peer = PEERS[name]

    assert find_spec(peer.module) is not None
    assert peer.profiles
    assert set(peer.profiles) <= set(PROFILES)


def test_a_name_gives_one_and_all_gives_all() -> None:
    assert [peer.name for peer in named("cyrus-1286")] == ["cyrus-1286"]
    assert [peer.name for peer in named(ALL)] == list(PEERS)


def test_a_name_of_none_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageFault, match=r"zeroshot10: there is no such peer; did you mean zeroshot-10\?"):
        named("zeroshot10")
    with pytest.raises(UsageFault, match="known are zeroshot-10, zeroshot-node, cyrus-main, cyrus-1286, and all"):
        named("x")
