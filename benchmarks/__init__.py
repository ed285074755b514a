"""Benchmarks, most with a rival measured in the same run; `python -m benchmarks` lists all."""
