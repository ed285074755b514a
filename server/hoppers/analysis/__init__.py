"""Queries about positions: verdicts, hints, solutions, atlas results and published results."""
