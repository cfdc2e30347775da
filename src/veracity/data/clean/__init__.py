"""Bring values to one form: spellings, numbers, tolerances, feature columns."""
