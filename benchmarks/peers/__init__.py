"""How do others fare on the same questions? One process a peer, JSON lines, the same vectors for all.

    python -m benchmarks.peers list
    python -m benchmarks.peers chromadb locomo_dev --embedder minilm
    python -m benchmarks.peers all madial_zh --embedder none
    python -m benchmarks.peers.speed --n 1000,10000 --embedder static

Each peer is installed, once, in an environment of its own below the cache folder (`MNEMOPI_BENCH_CACHE`, else
`.cache/benchmarks`), and driven through its public interface by a script in `workers`. Vectors come from one server on
the loopback interface, which speaks OpenAI's form and keeps what it made. A peer that cannot be had, or takes longer
than it may, has a row that says so.
"""
