"""EM: what the claims of a block say about rates of change and the habits of sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.blocks import ClaimBlock
from veracity.engines.base import Blocks
from veracity.engines.progress import report
from veracity.engines.sums import Scattered, Sums
from veracity.models.forms.changing.chain import expect
from veracity.models.forms.changing.histories import Histories, Question, histories_of
from veracity.models.forms.changing.parents import find_parents, with_parents
from veracity.models.forms.changing.reports import USUAL, Habits, expected_counts, likelihoods

MAX_ITER = 500
#: The fit ends when nothing changes by more than this from one pass to the next.
TOLERANCE = 2e-4
#: Where fits start: what sources are like, and how often the truth is drawn anew in the time that
#: claims about an item span. The truth may last while sources err, or change while they are late.
STARTS = ((USUAL, 0.5), (np.array([0.4, 0.5, 0.1]), 3.0))
#: After so many passes from each start, the fit goes on with the more likely one.
TRIAL = 25
#: The least rate, which keeps the logarithm of a constant truth finite.
LEAST_RATE = 1e-6


@dataclass(frozen=True, eq=False)
class Learned:
    """What is learned.

    Attributes
    ----------
    habits
        Those of sources.
    rate
        How often the truth of each attribute is drawn anew in a unit of its time; (n_attributes,).
    parent
        Whom each source follows, -1 for nobody; (n_sources,).
    """

    habits: Habits
    rate: Floats
    parent: Indices


def learn(
    blocks: Blocks[ClaimBlock], scale: Floats, question: Question, n_sources: int
) -> tuple[Learned, list[dict[str, float]]]:
    """Learn from blocks of claims; return what was learned, and a record of each pass."""
    held = blocks.prepare(_prepare, scale, question)
    parent = find_parents(held, n_sources)
    if (parent >= 0).any():
        held = held.prepare(_with_parents, parent)
    trials = []
    for shares, rate in STARTS:
        start = Learned(
            Habits.alike(n_sources, shares), np.full(len(scale), rate), parent.astype(np.int64)
        )
        trials.append(_iterate(held, start, n_sources, [], TRIAL))
    learned, history = max(trials, key=lambda trial: trial[1][-1]["log_likelihood"])
    return _iterate(held, learned, n_sources, history, MAX_ITER)


def _iterate(
    held: Blocks[Any],
    learned: Learned,
    n_sources: int,
    history: list[dict[str, float]],
    n_passes: int,
) -> tuple[Learned, list[dict[str, float]]]:
    """Go on with a fit until nothing changes, or for so many passes in all."""
    while len(history) < n_passes and (not history or history[-1]["change"] > TOLERANCE):
        sums = held.total(_pass, learned, n_sources)
        habits = Habits.of_counts(
            *(sums[name].everywhere() for name in ("counts", "holds", "copies"))
        )
        rate = np.where(
            sums["exposure"] > 0,
            np.maximum(sums["draws"] / np.maximum(sums["exposure"], 1e-12), LEAST_RATE),
            learned.rate,
        )
        change = max(
            float(np.abs(habits.shares - learned.habits.shares).max()),
            float(np.abs(np.exp(-rate) - np.exp(-learned.rate)).max()),
        )
        learned = Learned(habits, rate, learned.parent)
        history.append(
            {
                "iteration": float(len(history) + 1),
                "log_likelihood": float(sums["log_likelihood"]),
                "change": change,
            }
        )
        report(history[-1])
    return learned, history


def _prepare(block: ClaimBlock, scale: Floats, question: Question) -> tuple[Histories, Any]:
    return histories_of(block, scale, question), block.place


def _with_parents(held: tuple[Histories, Indices], parent: Indices) -> tuple[Histories, Indices]:
    histories, place = held
    return with_parents(histories, place, parent), place


def _pass(held: tuple[Histories, Any], learned: Learned, n_sources: int) -> Sums:
    """Do the expectation step of a block; return its sums."""
    histories, place = held
    matrix, chains = histories.matrix, histories.chains
    found = likelihoods(histories, learned.habits.at(place))
    true, draws = np.empty(len(chains.slot)), np.zeros(matrix.n_items)
    rate = learned.rate[matrix.attribute_index]
    log_likelihood = expect(chains, rate, found.hit, found.miss, true, draws)
    counts, holds, copies = expected_counts(histories, found, true)
    n_attributes = len(learned.rate)
    exposure = np.add.reduceat(chains.gap, chains.start[:-1])
    return {
        "counts": Scattered(place, counts, n_sources),
        "holds": Scattered(place, holds, n_sources),
        "copies": Scattered(place, copies, n_sources),
        "draws": sum_by(matrix.attribute_index, draws, n_attributes),
        "exposure": sum_by(matrix.attribute_index, exposure, n_attributes),
        "log_likelihood": float(log_likelihood.sum() + found.log_scale.sum()),
    }
