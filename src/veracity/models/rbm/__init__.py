"""The restricted Boltzmann machine with one hidden unit, the truth: plain functions and arrays."""
