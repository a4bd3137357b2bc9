"""Histories: whatever can happen to an engine, one thing after another, and who watches it."""
