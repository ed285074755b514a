"""Complete tables and winning tables."""
