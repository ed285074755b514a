"""Boards as bits: jump masks, invariants, pagoda functions and keys."""
