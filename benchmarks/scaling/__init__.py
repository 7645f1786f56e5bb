"""Fits that are shared by many workers, measured: `python -m benchmarks.scaling`."""
