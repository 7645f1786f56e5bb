"""okpca in the manners of River, measured: `python -m benchmarks.river`."""
