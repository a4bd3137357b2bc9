"""What the scenarios of one worker share: the engine, the image, and what need not be found out twice."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from tck_driver.bench import VersionShape
from tck_fakes.docker.engine import ContainerEngine, owner
from tck_fakes.docker.outposts import Outposts
from tck_simulator.ports import ContainerRequest, ContainerState


@dataclass(slots=True)
class Ward:
    """What the scenarios of one worker share: the engine, the image, and the answers of version commands.

    A version command gives the same each time, so each is really run once: what it printed, and its exit code.
    """

    engine: ContainerEngine
    image: str
    answers: dict[tuple[ContainerRequest, str, VersionShape], ContainerState] = field(
        default_factory=dict[tuple[ContainerRequest, str, VersionShape], ContainerState]
    )
    #: The names that the image itself puts into the environment.
    variables: frozenset[str] = frozenset()
    outposts: Outposts = field(default_factory=Outposts)
    #: How many containers were really started.
    started: int = 0
    owner: str = field(default_factory=owner)

    @property
    def places(self) -> tuple[str, ...]:
        """Places of this host that no container may reach, wherever its engine's folder is."""
        listens = self.engine.place
        return (os.path.expanduser("~"), *(() if listens is None else (str(listens),)))  # noqa: PTH111 -- only a text

    def close(self) -> None:
        """Let the engine go."""
        self.outposts.close()
        self.engine.close()
