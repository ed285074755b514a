"""The library: positions as values, for programs and notebooks (see docs/python.md). `hoppers` exports it."""
