"""Generic searches, which use the compiled rules of a puzzle and yield events."""
