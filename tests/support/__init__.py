"""Helpers of the tests that are no tests: fakes, clients, servers and puzzles."""
