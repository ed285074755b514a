"""Bidirectional breadth-first search."""
