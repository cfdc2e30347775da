"""Format clashes: sources that write an attribute in another way than all others."""
