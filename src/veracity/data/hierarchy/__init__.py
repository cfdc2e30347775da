"""Values within values: reading what lies within what, and checking that it is a tree."""
