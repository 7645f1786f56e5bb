"""okpca at the prompt, measured: `python -m benchmarks.prompt`."""
