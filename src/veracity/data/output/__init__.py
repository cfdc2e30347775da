"""Results: verdicts, decisions, the tables of truths, statements and sources, and their files."""
