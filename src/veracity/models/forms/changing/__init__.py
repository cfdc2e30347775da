"""Values that change: a hidden chain of values for each item, and sources that may lag behind."""
