"""The steps, one module per noun; importing this package puts all of them into the register."""

from tck_features import words as words
from tck_features.steps import given_bounds as given_bounds
from tck_features.steps import given_courses as given_courses
from tck_features.steps import given_world as given_world
from tck_features.steps import history_frame as history_frame
from tck_features.steps import history_stimuli as history_stimuli
from tck_features.steps import history_surroundings as history_surroundings
from tck_features.steps import then_bounds as then_bounds
from tck_features.steps import then_cleanup as then_cleanup
from tck_features.steps import then_containers as then_containers
from tck_features.steps import then_continuity as then_continuity
from tck_features.steps import then_course_rules as then_course_rules
from tck_features.steps import then_courses as then_courses
from tck_features.steps import then_fallbacks as then_fallbacks
from tck_features.steps import then_forge as then_forge
from tck_features.steps import then_names as then_names
from tck_features.steps import then_rows as then_rows
from tck_features.steps import then_starts as then_starts
from tck_features.steps import when_courses as when_courses
from tck_features.steps import when_happens as when_happens
