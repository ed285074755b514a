"""Firefox and WebKit, where Debian's packages of them are installed."""
