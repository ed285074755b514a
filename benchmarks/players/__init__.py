"""Benchmarks of a server with many players, and the players."""
