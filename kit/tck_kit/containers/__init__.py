"""Real containers: whether an engine for them is what it seems, the kit's images, and the proof with the real CLIs."""
