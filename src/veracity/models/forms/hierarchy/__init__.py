"""Attributes whose values lie within one another: the truth is the most specific of them."""
