"""Moving memories out and in: export, load, imports."""
