"""Fields: what kinds of text people write in different ways, one file for each.

Each file has a pure function ``canonical_<field>(text, ...)`` that returns the form in which two
values are compared, or None if the text cannot be read as that field.
"""
