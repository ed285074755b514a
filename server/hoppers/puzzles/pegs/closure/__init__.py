"""Reachable-set tables: all positions that can follow from one position, with their values."""
