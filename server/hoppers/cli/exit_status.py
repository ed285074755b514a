"""Exit statuses of the commands; docs/api.md lists them."""

SOLVED = AGREED = 0
UNSOLVABLE = DIFFERS = 1
"""It is proved that there is no solution; not all results agree, not all kernels are compiled."""
BAD_INPUT = 2
"""Arguments or settings are not valid; click itself uses this number for unknown options."""
OPEN = 3
"""A search has ended without a proof."""
FAILED = 4
INTERRUPTED = 130
"""By Ctrl+C; as in shells, 128 and the number of the signal SIGINT."""
OUTPUT_CLOSED = 141
"""The reader of the output has gone; as in shells, 128 and the number of the signal SIGPIPE."""
