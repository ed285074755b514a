"""Breadth-first search from both ends."""
