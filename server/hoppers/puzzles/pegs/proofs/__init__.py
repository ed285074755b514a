"""Proofs that a peg position cannot be solved."""
