"""Figures against named rivals, measured side by side: `python -m benchmarks`."""
