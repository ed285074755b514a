"""Benchmarks, most of them against a rival measured in the same run: `python -m benchmarks` lists them."""
