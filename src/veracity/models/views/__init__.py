"""Claims as the arrays that a family of methods works on."""
