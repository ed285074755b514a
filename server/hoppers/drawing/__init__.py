"""Boards as SVG, for pages, the API and the library; independent of the web server."""
