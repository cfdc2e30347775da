"""Truth that is a number: sources with a bias and a precision, items with a scale of their own."""
