"""The papers' experiments, repeated: `python -m benchmarks.papers`."""
