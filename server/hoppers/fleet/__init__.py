"""Searches on several machines: servers write them to Redis, Celery workers run them (see docs/fleet.md).

Every event of a search is stored in Redis next to its request. A worker that takes a search over continues
after the last stored row.
"""
