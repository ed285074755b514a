"""A* search from both ends."""
