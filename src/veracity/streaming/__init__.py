"""Claims that come in batches: history, updates, and partial fits."""
