"""Methods for truths that are numbers."""
