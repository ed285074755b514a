"""The atlas: results worth printing, computed offline and kept in docs/atlas."""
