"""Ordered values: ratings, severities and other levels, where near misses count as near."""
