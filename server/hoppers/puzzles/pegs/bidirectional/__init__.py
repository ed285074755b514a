"""Bidirectional search of peg boards, both directions within one budget."""
