"""The charts of a report: each module makes those of one subject."""
