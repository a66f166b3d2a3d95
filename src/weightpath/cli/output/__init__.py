"""What a user gets: progress, summaries, tables and pictures."""
