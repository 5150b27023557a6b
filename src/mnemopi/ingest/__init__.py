"""Taking in: from a draft to a committed memory. Read `remember` first."""
