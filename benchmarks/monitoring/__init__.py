"""A detector that runs for weeks, measured: `python -m benchmarks.monitoring`."""
