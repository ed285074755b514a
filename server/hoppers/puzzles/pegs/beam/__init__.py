"""Beam search: a good solution soon, without a proof."""
