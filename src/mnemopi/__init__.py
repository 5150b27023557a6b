"""Long-term memory for AI agents in one SQLite file."""
