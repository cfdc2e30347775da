"""Labels of sources, entities and values, without a Python object for each."""
