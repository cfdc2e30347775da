"""The machine whose hidden unit is the true value of an item: forms, kernels, objective."""
