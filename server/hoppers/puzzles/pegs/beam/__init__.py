"""Beam search: a good solution soon, without a proof that it is the shortest."""
