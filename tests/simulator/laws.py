"""How many examples a law is tried with: the same ones each time, and few enough to be run at every change."""

from hypothesis import settings

law = settings(max_examples=60, deadline=None, derandomize=True)
