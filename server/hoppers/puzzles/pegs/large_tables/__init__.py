"""Tables of large boards: built or loaded for one problem, in memory, or for every position of a goal."""
