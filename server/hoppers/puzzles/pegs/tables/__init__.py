"""Tables of exact answers: complete tables, winning tables, and closures of one position."""
