"""All methods on all data sets: runs, figures, tables and pictures."""
