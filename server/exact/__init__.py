"""Exact answers without a search: position and goal in, moves left out."""
