"""What applies to every request: errors, limits, languages, caching, headers."""
