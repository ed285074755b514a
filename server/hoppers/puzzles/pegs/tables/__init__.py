"""Tables that answer every position: complete tables and winning tables."""
