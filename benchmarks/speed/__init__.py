"""How fast is it, measured against the same work done bare?

    python -m benchmarks.speed all
    python -m benchmarks.speed recall --n 1000,10000 --embedder static
    python -m benchmarks.speed.profile ingest

Absolute times say more about the machine than about the library, so each figure is a ratio to a *floor*: plain
SQLite, numpy or Python doing the same work on the same data with the same durability, in the same run, in turns with
ours. Start reading at `figures` (what a row is) and `floors` (what the bare work is); each other module is one part.
"""
