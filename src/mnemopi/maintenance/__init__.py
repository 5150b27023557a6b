"""Keeping a bank well: diagnosis and backups."""
