"""Attributes whose truth is more than one of the values that are claimed, each form by itself."""
