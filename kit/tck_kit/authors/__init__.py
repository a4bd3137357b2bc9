"""What spec authors use: checks of any Markdown specification, and what goes with them."""
