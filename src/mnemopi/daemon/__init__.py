"""The resident process: one per user and data folder, which holds engines and models warm, and its shim."""
