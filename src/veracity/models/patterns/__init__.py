"""How sources answer closed questions: their confusion matrices, and who answers like a spammer."""
