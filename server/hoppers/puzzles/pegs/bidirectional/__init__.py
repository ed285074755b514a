"""Bidirectional search of peg boards: two directions that share one budget of moves."""
