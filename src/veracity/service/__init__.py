"""The explorer and the scoring service: one app on one run."""
