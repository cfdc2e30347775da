"""A few labels: what the known truth of some items says about sources, and so about all items."""
