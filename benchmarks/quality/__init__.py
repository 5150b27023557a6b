"""Does recall find the right memories? Gold evidence, a plain BM25 beside it, figures per category.

    python -m benchmarks.quality locomo_dev --embedder static
    python -m benchmarks.quality all --embedder none --pool harness

The sets lie outside the project (`MNEMOPI_EVAL_DATA`, or `../shared/data/eval` beside the repository). Two ways to the
candidates: `engine` fills real banks and asks through the public API; `harness` scores the candidates an index in
memory proposes with the engine's own scoring, which is fast enough for fitting (`benchmarks.quality.fit`).
"""
