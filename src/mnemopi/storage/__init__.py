"""The only SQL: named statements, the store that runs them, and copies of whole files."""
