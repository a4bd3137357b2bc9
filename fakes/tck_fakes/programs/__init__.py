"""Stand-ins for the programs that an engine in any language starts: `docker`, and the agent CLIs on their own."""
