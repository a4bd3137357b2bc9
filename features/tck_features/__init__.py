"""The sentences that scenarios are written in, and what each of them does to an engine and its surroundings."""
