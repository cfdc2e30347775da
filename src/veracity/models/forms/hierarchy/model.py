"""HierarchyModel: the truth is a place in a tree, and a claim may name a wider one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats
from veracity.data.blocks import ClaimBlock
from veracity.data.buffers import to_arrow
from veracity.data.claims import Claims
from veracity.data.labels.arrays import arrays_to_labels, labels_to_arrays, places_among
from veracity.data.output.tables import Table
from veracity.data.output.ties import BELIEVED, TIE_TOLERANCE
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.engines.local import in_one_block
from veracity.engines.sums import Scattered, Sums
from veracity.models.base import Judgement
from veracity.models.convergence import note_unfinished
from veracity.models.explanation import Explainer
from veracity.models.forms.base import FormModel
from veracity.models.forms.hierarchy.explainer import HierarchyExplainer
from veracity.models.forms.hierarchy.kernels import within_claimed
from veracity.models.forms.hierarchy.levels import levels_of, unknown_values
from veracity.models.forms.hierarchy.trees import Beliefs, Trees
from veracity.models.tables import TableInBlocks

#: No rate is nearer to 0 or 1, however heavy the claims.
NEVER = 1e-12
#: How often a source turns right before anything is known, and how many turns that is worth.
USUAL, USUAL_TURNS = 0.8, 5.0
#: How many turns of the average source each source is taken to have made before its own.
PRIOR_TURNS = 4.0
MAX_ITER, TOL = 500, 1e-7


@dataclass(frozen=True, eq=False)
class Rates:
    """How often each source turns right at a fork, and the average of them."""

    of_source: Floats
    average: float

    def at(self, place: npt.NDArray[np.int64]) -> Floats:
        """Return the rates of sources by their place, the average for unknown ones (-1)."""
        return np.where(place >= 0, self.of_source[place], self.average)


class HierarchyModel(FormModel):
    """Judges values that lie within one another.

    The claimed values of an item make a tree. Its forks are where claimed values part, at the top
    or within one of them. At each fork, the truth takes one of the n branches, or one that nobody
    names, all n + 1 equally probable beforehand. A source s on its way to the place that it names
    turns right at each fork with probability r_s, and takes each of the n wrong turns with
    probability (1 - r_s) / n; beyond a wrong turn, every branch is as probable as another. Where
    it stops, in a city or at its country, is its habit, and says nothing about the truth. So, with
    the product over the forks on the way of the claim c of s, and t the truth:

        P(c | t) = product of  r_s  at forks where c and t take the same branch,
                   (1 - r_s) / n  at the one where c takes another, and 1 / (n + 1) beyond it

    A claim of a country thus speaks against cities elsewhere and says nothing about those within,
    and a claim of a city supports its country. In a hierarchy without any such pairs there is one
    fork, and this is the one-coin model of `OneCoin` for open attributes.

    The posterior over the tree is exact. The plausibility of a value is the probability that the
    truth lies within it. Rates are found by expectation maximisation, with beta priors of
    `PRIOR_TURNS` around the average of all sources. One rate serves the forks of all depths: deep
    forks are often unanimous, and by themselves could not tell right turns from wrong ones.

    The value to believe is the deepest claimed one whose plausibility exceeds `least`; if there is
    none, the most plausible.

    Parameters
    ----------
    random_state
        Not used; ties are broken by who calls.
    least
        The plausibility that a value needs to be believed instead of a wider one. Values that
        exclude one another cannot both exceed 1/2, so from there on all of them lie on one way from
        the top, and the deepest is unique.
    """

    form: ClassVar[str] = "hierarchy"

    def __init__(self, random_state: int = 0, least: float = BELIEVED) -> None:
        super().__init__(random_state)
        self.least = least
        self.history: list[dict[str, float]] = []

    # Learning

    def fit(self, claims: ClaimsInBlocks) -> None:
        """Learn how often sources turn right at forks."""
        self.notes, self.history = unknown_values(claims), []
        self._sources = claims.sources
        n_sources = claims.n_sources
        trees: Blocks[tuple[Any, Trees]] = claims.blocks.prepare(_planted)
        rates = Rates(np.full(n_sources, USUAL), USUAL)
        converged = False
        while len(self.history) < MAX_ITER and not converged:
            found = trees.total(_count, rates, n_sources)
            before, rates = rates, _learned(found)
            change = float(np.abs(rates.of_source - before.of_source).max(initial=0.0))
            converged = change <= TOL
            self.history.append({"log_likelihood": found["log_likelihood"], "change": change})
        if not converged:
            self.notes.append(note_unfinished(len(self.history), f"the last change was {change:g}"))
        self.rates_ = rates
        self._of_source = trees.total(_count, rates, n_sources)["of_source"].everywhere()

    # Judging

    def judge(self, block: ClaimBlock) -> Judgement:
        """Judge a block of claims, seen or new."""
        trees, found = self.beliefs(block)
        at = trees.node_of_statement
        plausibility = np.minimum(found.inside[at], 1.0)
        score = _score(trees, plausibility, self.least)
        return Judgement(plausibility, score)

    def beliefs(self, block: ClaimBlock) -> tuple[Trees, Beliefs]:
        """Return the trees of a block, and the probabilities of their nodes."""
        trees = Trees.of(block)
        place = places_among(block.matrix.sources, self._sources)
        return trees, trees.beliefs(self.rates_.at(place))

    def reliability(self, claims: ClaimsInBlocks) -> pa.Table:
        """Return how often claims of each source are compatible with the truth, and how specific.

        ``coarse`` is the share of its right claims that others make more specific, and ``depth``
        the average depth of the values that it names, 1 for a root of the hierarchy.
        """
        right, coarse, depth, weight = self._of_source.T
        spoken = np.maximum(weight, 1e-300)
        usual = (right.sum() + USUAL * USUAL_TURNS) / (weight.sum() + USUAL_TURNS)
        return pa.table(
            {
                "source": self._sources,
                "reliability": to_arrow((right + PRIOR_TURNS * usual) / (weight + PRIOR_TURNS)),
                "coarse": to_arrow(coarse / np.maximum(right, 1e-300)),
                "depth": to_arrow(depth / spoken),
            }
        )

    def tables(self, claims: ClaimsInBlocks) -> Mapping[str, Table]:
        """Return the plausibility of each level of each item: ``levels``."""
        blocks, shared = claims.blocks, (self,)
        if blocks.only is not None:
            return {"levels": Table("levels", levels_of(blocks.only, self))}
        return {"levels": TableInBlocks("levels", blocks, levels_of, *shared)}

    def explainer(self, claims: Claims) -> Explainer:
        """Return what explains one item of claims after the other."""
        block = in_one_block(claims).blocks.only
        assert block is not None
        place = places_among(claims.matrix.sources, self._sources)
        return HierarchyExplainer(claims, Trees.of(block), self.rates_.at(place))

    # Keeping it

    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what was learned, as plain data and as arrays."""
        text, offsets = labels_to_arrays(self._sources)
        arrays = {
            "rates": self.rates_.of_source,
            "of_source": self._of_source,
            "source_text": text,
            "source_offsets": offsets,
        }
        return {"least": self.least, "average": self.rates_.average}, arrays

    def restore(self, state: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` returned."""
        self.least = state["least"]
        self.rates_ = Rates(arrays["rates"], state["average"])
        self._of_source = arrays["of_source"]
        self._sources = arrays_to_labels(arrays["source_text"], arrays["source_offsets"])


def _planted(block: ClaimBlock) -> tuple[Any, Trees]:
    return block.place, Trees.of(block)


def _count(planted: tuple[Any, Trees], rates: Rates, n_sources: int) -> Sums:
    place, trees = planted
    found = trees.turns(rates.of_source[place])
    return {
        "right": Scattered(place, found.right, n_sources),
        "turns": Scattered(place, found.turns, n_sources),
        "of_source": Scattered(place, found.of_source, n_sources),
        "log_likelihood": found.log_likelihood,
    }


def _learned(found: Sums) -> Rates:
    """Return the rates that the counts make most probable; `PRIOR_TURNS` pull to the average."""
    right, turns = found["right"].everywhere(), found["turns"].everywhere()
    average = float((right.sum() + USUAL * USUAL_TURNS) / (turns.sum() + USUAL_TURNS))
    rates = (right + PRIOR_TURNS * average) / (turns + PRIOR_TURNS)
    return Rates(np.clip(rates, NEVER, 1.0 - NEVER), min(max(average, NEVER), 1.0 - NEVER))


def _score(trees: Trees, plausibility: Floats, least: float) -> Floats:
    """Rank the statements of each item: the deepest that is plausible enough comes first.

    Others are ranked by plausibility, those that lie within another claimed one last.
    """
    at = trees.node_of_statement
    enough = plausibility > least + TIE_TOLERANCE
    score = np.where(enough, 1.0 + trees.depth[at], plausibility)
    within = within_claimed(trees.parent, trees.statement)[at]
    return np.where(~enough & within, plausibility - 1.0, score)
