"""Methods for conflicting records and pages of the web."""
