"""The atlas: reference results of all puzzles, computed offline and stored in docs/atlas."""
