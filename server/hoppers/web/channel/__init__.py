"""The Socket.IO channel, over which clients start and control searches and receive their events."""
