"""Finding: from a question to hits with their reasons. Read `recall` first."""
