"""One writer per format: each renders `report.json`, and nothing else is ever read back."""
