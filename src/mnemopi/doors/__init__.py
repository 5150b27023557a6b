"""Doors to parts of a bank: what one can do with its facts. Each method is one call down."""
