"""HTTP servers that run the application."""
