"""Given truth: to judge results by, or to fix in a fit."""
