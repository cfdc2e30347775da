"""Observation models: how a source speaks, given the truth."""
