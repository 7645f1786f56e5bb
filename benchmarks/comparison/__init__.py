"""All rules of the library on the same axes; `python -m benchmarks.comparison`."""
