"""Command line: the commands and the servers they start."""
