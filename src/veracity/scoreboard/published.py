"""Figures of the paper beside ours: Broelemann and Kasneci, Table 1 (b)."""

from __future__ import annotations

#: Accuracy by data set and model: Broelemann and Kasneci, Combining Restricted Boltzmann Machines
#: with Neural Networks for Latent Truth Discovery, 2018.
PAPER: dict[str, dict[str, float]] = {
    "biography_1": {"grbm": 0.8892, "rbm": 0.8136, "mle": 0.8214, "ltm": 0.8297},
    "biography_2": {"grbm": 0.8978, "rbm": 0.8779, "mle": 0.8877, "ltm": 0.8875},
    "population": {"grbm": 0.8500, "rbm": 0.8035, "mle": 0.8533, "ltm": 0.7078},
    "quiz": {"grbm": 0.9085, "rbm": 0.8442, "mle": 0.2910, "ltm": 0.8890},
}

#: What differs between the paper's data and those that can be had.
DIFFERENCES = {
    "biography_1": (
        "biography_1: edits of the attribute itself, as in the files that you give; the paper has "
        "228,035 claims and 46,500 sources; at most 8 features instead of 16."
    ),
    "biography_2": (
        "biography_2: edits of the attribute or elsewhere in the infobox, as in the files that you "
        "give; the paper has 936,296 claims and 199,254 sources; at most 9 features instead of 17."
    ),
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
