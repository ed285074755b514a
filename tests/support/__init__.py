"""Helpers of the tests: fakes, clients, servers and puzzles."""
