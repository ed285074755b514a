"""The Socket.IO channel."""
