"""Generic searches: compiled rules go in, a stream of events comes out."""
