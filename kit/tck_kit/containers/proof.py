"""The proof of one CLI: its image, the story in a folder of its own, the claims, and what is left in one line."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tck_driver.vocabulary import AdapterId
from tck_fakes.images import RealCli, real
from tck_kit.containers.claims import Claim, issues, judged
from tck_kit.containers.runtime import RealRuntime
from tck_kit.containers.story import Cast, Story, Teller
from tck_kit.probe.configured import CONFIGURED

if TYPE_CHECKING:
    from docker import DockerClient


@dataclass(frozen=True, slots=True)
class Proof:
    """What was found for one CLI in one image."""

    program: str
    version: str
    image: str
    claims: tuple[Claim, ...]
    story: Story

    @property
    def holds(self) -> bool:
        """Whether every claim does."""
        return all(claim.holds for claim in self.claims)

    @property
    def summary(self) -> str:
        """Give it in one line."""
        failed = [claim.name for claim in self.claims if not claim.holds]
        known = f"{self.program} {self.version}"
        if failed:
            return f"{known}: not proved ({'; '.join(failed)})"
        return f"{known}: proved, a second container remembers what the first was told, by the session state alone"

    def fields(self) -> dict[str, object]:
        """Give it as JSON."""
        return {
            "cli": self.program,
            "version": self.version,
            "image": self.image,
            "proved": self.holds,
            "claims": [claim.fields() for claim in self.claims],
            "issues": issues(self.story),
        }


def proved(
    client: DockerClient, adapter: AdapterId, cli: RealCli, base: str | None, say: Callable[[str], None]
) -> Proof:
    """Make the image where it is not there, tell the story, and judge it. Nothing is left of the containers."""
    say(f"{cli.program}: its image")
    image = real(client, cli, base)
    name = f"session-tck-{os.getpid()}-proof-"
    with tempfile.TemporaryDirectory(prefix=name, ignore_cleanup_errors=True) as folder:
        # The container engine looks below it as whoever a container runs as.
        Path(folder).chmod(0o755)
        runtime = RealRuntime(client, Path(folder))
        players = Cast(adapter, image, CONFIGURED[adapter].model)
        try:
            story = Teller(players, runtime, Path(folder), lambda what: say(f"{cli.program}: {what}")).tell()
            claims = judged(story)
        finally:
            runtime.close()
    return Proof(cli.program, cli.version, image, claims, story)
