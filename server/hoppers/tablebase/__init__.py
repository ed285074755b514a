"""Exact answers for any puzzle: tables, their files and caches, proved answers, background builds."""
