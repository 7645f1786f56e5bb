"""What the components are good for, measured: `python -m benchmarks.uses`."""
