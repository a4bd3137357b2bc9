"""Scenarios that nobody wrote: histories drawn at random, each event held against the specification."""
