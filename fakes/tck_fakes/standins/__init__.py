"""One module per agent CLI: its arguments, its session files, its output, its ways to fail, as measured."""
