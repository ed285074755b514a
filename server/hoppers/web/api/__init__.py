"""The HTTP API for programs: JSON and pictures."""
