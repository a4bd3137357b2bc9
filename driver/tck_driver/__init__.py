"""What an engine can be told and asked, and what the kit's fakes write down: the vocabulary of every other room."""
