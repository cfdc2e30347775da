"""Figures of the paper beside ours: Broelemann and Kasneci, Table 1 (b)."""

from __future__ import annotations

#: Accuracy by data set and model: Broelemann and Kasneci, Combining Restricted Boltzmann Machines
#: with Neural Networks for Latent Truth Discovery, 2018.
PAPER: dict[str, dict[str, float]] = {
    "population": {"grbm": 0.8500, "rbm": 0.8035, "mle": 0.8533, "ltm": 0.7078},
    "quiz": {"grbm": 0.9085, "rbm": 0.8442, "mle": 0.2910, "ltm": 0.8890},
}

#: What differs between the paper's data and those that can be had.
DIFFERENCES = {
    "population": (
        "population: joined from two partial copies of the raw file, so that there are 50,516 "
        "claims instead of 50,561 and 3,255 one-claim sources instead of 3,224; 4 features instead "
        "of 9; how the paper counted near values and ties is not known."
    ),
    "quiz": (
        "quiz: the same 214,658 answers by 37,332 users to 1,891 questions, but without the users' "
        "confidence and answering time, which could not be had; 8 features instead of 36."
    ),
}
