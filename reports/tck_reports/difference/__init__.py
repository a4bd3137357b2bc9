"""What lies between two reports: regressions, fixes, and what keeps the two from being compared."""
