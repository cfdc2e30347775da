"""Engines: run functions over blocks of items in memory, on disk or on a cluster."""
