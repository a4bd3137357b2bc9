"""What is known to fail: entries with reason, owner and date, and what they excuse."""
