"""One page of everything that was measured, made from the logs: tables, plots, and what made each of them.

    python -m benchmarks.report
    python -m benchmarks.report --markdown docs/benchmarks.md

It measures nothing. A table has the rows whose logs are there; below it stand the commands that make it again, the
versions and the machine.
"""
