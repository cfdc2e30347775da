"""What a run found, as charts and as a page that a colleague can open."""
