"""The library: positions as values, for programs and notebooks (see docs/python.md). The package exports it."""
