"""The command line, and everything that joins specification, scenarios, engine and report."""
