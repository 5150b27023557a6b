"""Does it hold under load? Rates and memory use of long work, on banks of thousands of memories."""
