"""Searches elsewhere: servers put them into Redis, Celery workers run them (see docs/fleet.md).

What a search has told stands in Redis beside the question, so whoever takes it over goes on
below its last row.
"""
