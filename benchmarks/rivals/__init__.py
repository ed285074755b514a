"""Rivals to compare with: the same algorithms in C, and a minimal server."""
