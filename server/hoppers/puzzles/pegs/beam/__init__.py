"""Beam search: finds a good solution quickly, without a proof that it is the shortest."""
