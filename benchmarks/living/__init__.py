"""What the living dictionary can do, measured: `python -m benchmarks.living`."""
