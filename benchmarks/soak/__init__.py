"""Hard use, at random and seeded: `make soak`, or `python -m benchmarks.soak --quick`.

One file a part; each has `excess_of(seed)`, the error of one try over what it may be.
"""
