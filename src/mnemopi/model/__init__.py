"""Frozen values: no I/O and no clock."""
