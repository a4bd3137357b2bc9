"""The crash sweep: the power goes at every point of a scenario, and what must not be lost is looked for afterwards."""
