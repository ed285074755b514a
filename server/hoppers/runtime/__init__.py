"""Paths, disk cache, logging, metrics and process tuning; independent of puzzles."""
