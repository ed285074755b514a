"""Reachable-set tables: all positions that follow from one, with their values."""
