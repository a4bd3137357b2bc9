"""The register of sentences with every step in it: what somebody outside this room takes."""

from tck_features import steps
from tck_features.sentences import SENTENCES

#: The register, filled by importing the steps.
LIBRARY = SENTENCES
STEP_MODULES = steps.__name__
