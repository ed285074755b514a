"""Benchmarks of searches, tables and verdicts."""
