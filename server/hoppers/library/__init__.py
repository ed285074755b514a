"""What `import` gives programs and notebooks: positions as values (see docs/python.md)."""
