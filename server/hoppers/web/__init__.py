"""The web server: the pages, the JSON API, and the Socket.IO channel that controls searches."""
