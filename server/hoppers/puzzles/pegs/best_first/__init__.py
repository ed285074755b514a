"""Bidirectional A* search in layers."""
