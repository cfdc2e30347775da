"""Methods for labels of a crowd."""
