"""The trace of a run: what every scenario asked and was given, for a newer kit to judge it again without the engine."""
