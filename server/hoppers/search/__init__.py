"""Searches: rules in, events out."""
