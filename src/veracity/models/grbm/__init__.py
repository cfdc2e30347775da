"""The generalised restricted Boltzmann machine: one hidden unit, the truth."""
