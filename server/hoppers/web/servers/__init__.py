"""The HTTP server: gevent's `pywsgi`, with one event loop for all connections and no monkey-patching."""
