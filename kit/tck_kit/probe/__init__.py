"""Real agent CLIs, started safely and asked what they do: the evidence behind what an adapter declares."""
