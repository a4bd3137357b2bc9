"""Which engines of other people the kit has drivers for, and which version of each its driver was written for.

A pin is what was published: a version in a registry, or a commit. What moves under a name would be another engine
tomorrow, and whatever a report says would be about no one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

from tck_kit.faults import UsageFault

#: All of them, in the place of a name.
ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class Peer:
    """One engine in one version.

    `source` is the name of a package of Python's registry, or the address of a repository; `pin` its version there, or
    a commit. `version` is what a report calls it. `digests` are those of the wheels that may be installed, by the
    platforms that they are for. `built` are files that are there once it can be run, below its folder. `needs` are
    programs that it runs with. `profiles` are those that its driver claims.
    """

    name: str
    what: str
    kind: Literal["pip", "git"]
    source: str
    pin: str
    version: str
    homepage: str
    licence: str
    language: str
    module: str
    profiles: tuple[str, ...]
    digests: Mapping[str, str] = field(default_factory=dict[str, str])
    built: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()

    @property
    def how(self) -> str:
        """How it is had, in one line."""
        if self.kind == "pip":
            return f"session-tck peers fetch {self.name}"
        return (
            f"session-tck peers fetch {self.name} for its source, which is then built as its own documentation says "
            f"({self.homepage})"
        )

    def absent_from(self, folder: Path) -> str | None:
        """Name something that is not in a folder and without which it cannot be run; None where it is all there."""
        return next((one for one in self.built if not (folder / one).exists()), None)

    def installed_in(self, folder: Path) -> bool:
        """Tell whether a folder has all that a fetch brings; a source is whole once it is there."""
        return self.kind == "git" or self.absent_from(folder) is None


_ZEROSHOT: Final = "https://github.com/the-open-engine/zeroshot"
_CYRUS: Final = "https://github.com/cyrusagents/cyrus"
_CYRUS_BUILT: Final = (
    "packages/edge-worker/dist/index.js",
    "packages/claude-runner/dist/ClaudeRunner.js",
    "packages/core/dist/index.js",
)

PEERS: Final[Mapping[str, Peer]] = MappingProxyType(
    {
        peer.name: peer
        for peer in (
            Peer(
                name="zeroshot-10",
                what="zeroshot 10, a program that plays graphs of agents",
                kind="pip",
                source="the-open-engine-zeroshot",
                pin="10.19.1.post1",
                version="10.19.1.post1",
                homepage=_ZEROSHOT,
                licence="MIT",
                language="Rust",
                module="tck_peers.zeroshot_10",
                profiles=("continuity",),
                digests=MappingProxyType(
                    {
                        "Linux x86_64": "e8943eab2a0fa8c99893cb482fb253b9a776ba354ab6424abadca23a3df2ae77",
                        "macOS arm64": "4b4f3e3f7748c18525a0796b8287a7f974e0ac02557e565d9c305d2bc6725131",
                        "macOS x86_64": "858207b0dbfb689b91f39df08a7030acdd0dbe9d5ccba07cf88009f3b2f1a08f",
                    }
                ),
                built=("site/zeroshot/_bin/zeroshot",),
                needs=("git",),
            ),
            Peer(
                name="zeroshot-node",
                what="zeroshot 6, the line for Node whose published rules the profile reuse states",
                kind="git",
                source=f"{_ZEROSHOT}.git",
                pin="2b0b35b7365958f7c9d2e3120dde9f0922415fda",
                version="6.42.0+2b0b35b7",
                homepage=_ZEROSHOT,
                licence="MIT",
                language="JavaScript",
                module="tck_peers.zeroshot_node",
                profiles=("continuity", "reuse"),
                built=(
                    "node_modules/better-sqlite3/build/Release/better_sqlite3.node",
                    "lib/agent-cli-provider/index.js",
                    "cli/event-copy.js",
                ),
                needs=("node",),
            ),
            Peer(
                name="cyrus-main",
                what="Cyrus, an agent for issues of a tracker",
                kind="git",
                source=f"{_CYRUS}.git",
                pin="fbfa80f6910c5065de4d899590cd821e037cd8e4",
                version="0.2.68+fbfa80f6",
                homepage=_CYRUS,
                licence="Apache-2.0",
                language="TypeScript",
                module="tck_peers.cyrus",
                profiles=("continuity",),
                built=_CYRUS_BUILT,
                needs=("node", "git"),
            ),
            Peer(
                name="cyrus-1286",
                what="Cyrus with its proposed resuming across sessions of an issue (pull request 1286)",
                kind="git",
                source=f"{_CYRUS}.git",
                pin="5a25233ad93b2801f816c678b3a32731212509b4",
                version="0.2.62+5a25233a",
                homepage=_CYRUS,
                licence="Apache-2.0",
                language="TypeScript",
                module="tck_peers.cyrus",
                profiles=("continuity", "redelegation"),
                built=_CYRUS_BUILT,
                needs=("node", "git"),
            ),
        )
    }
)


def named(name: str) -> tuple[Peer, ...]:
    """Give the peer of this name, or all of them. Raises `UsageFault` for the name of none."""
    if name == ALL:
        return tuple(PEERS.values())
    if name not in PEERS:
        near = get_close_matches(name, PEERS, 1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(PEERS)}, and {ALL}"
        raise UsageFault("there is no such peer", name, hint)
    return (PEERS[name],)
