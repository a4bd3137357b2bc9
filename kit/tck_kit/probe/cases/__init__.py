"""What a CLI is asked, case by case: each starts it in a home of its own and says by evidence what came of it."""
