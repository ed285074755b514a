"""JSON and pictures for programs."""
