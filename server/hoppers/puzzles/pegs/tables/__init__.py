"""Tables of exact answers: complete tables, winning tables, and closures (reachable-set tables)."""
