"""Pure functions of text: no I/O, no clock, no state but caches of pure results."""
