"""Paths, disk cache, logging, metrics and process tuning; nothing here knows puzzles."""
