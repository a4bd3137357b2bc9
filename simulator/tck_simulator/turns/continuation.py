"""A continuation: what an engine of turns keeps of a session, so that a later turn can go on with it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from tck_driver.vocabulary import AdapterId


@dataclass(frozen=True, slots=True)
class Due:
    """A turn that is asked for: of which scope and session of the tracker, the how-manieth, by whom and where."""

    scope: str
    session: int
    generation: int
    provider: AdapterId
    directory: str
    digest: str

    def keeping(self, native_id: str, position: int = 0) -> Continuation:
        """Give the continuation that this turn leaves behind, where its end has this position in the log."""
        return Continuation(
            self.scope, self.session, self.generation, self.provider, self.directory, self.digest, native_id, position
        )


@dataclass(frozen=True, slots=True)
class Continuation:
    """The native id of a session, with everything that has to be the same where it is resumed."""

    scope: str
    session: int
    generation: int
    provider: AdapterId
    directory: str
    digest: str
    native_id: str
    #: Where in the log the end of the turn stands that it comes from.
    position: int = 0


def digest_of(instructions: str) -> str:
    """Give what tells whether instructions are still the same, without their text."""
    return hashlib.sha256(instructions.encode()).hexdigest()
