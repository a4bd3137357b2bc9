"""Stand-ins for everything around an engine: agent CLIs, containers, tracker, model provider, clock and removal.

They behave as the real things were measured to behave, and write down what really happened in the witness log.
"""
