"""Terms of eta whose slopes are common to all sources, with a deviation of each source's own."""
