"""Handling of every request: errors, limits, languages, caching and headers."""
