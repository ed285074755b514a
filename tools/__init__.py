"""Tools of the repository: they compute the data that comes with the program, and stay out of the package."""
