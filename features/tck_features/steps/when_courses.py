"""What happens in a scenario with a course: it is played, in one go."""

from __future__ import annotations

from tck_features.courses import play
from tck_features.sentences import when
from tck_features.world import World


@when("the course is played")
def the_course_is_played(world: World) -> None:
    """Play it to its end."""
    play(world)
