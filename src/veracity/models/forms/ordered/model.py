"""OrderedModel: judges attributes whose values are levels from low to high."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats, Indices
from veracity.data.blocks import ClaimBlock
from veracity.data.buffers import to_arrow
from veracity.data.claims import Claims
from veracity.data.encode.scales import number_of
from veracity.data.labels.arrays import arrays_to_labels, labels_to_arrays, places_among
from veracity.data.notes import Note
from veracity.data.output.tables import Table
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.engines.sums import Scattered, Sums
from veracity.models.base import Judgement
from veracity.models.forms.base import FormModel
from veracity.models.forms.ordered.answers import Sources
from veracity.models.forms.ordered.explanation import OrderedExplainer
from veracity.models.forms.ordered.reading import Ratings, level_of, levels_of, read_ratings
from veracity.models.forms.ordered.said import Said
from veracity.models.forms.ordered.scale import Counts, Manner, Scale, largest_change, manner

#: Iterations at most, and the change of a probability or of a typical source that they stop at.
MOST_ITERATIONS = 300
ENOUGH = 5e-4
#: The levels shown as likely hold the truth with this probability.
COVERAGE = 0.9


class OrderedModel(FormModel):
    """Learn how each source places levels, and which level is true.

    The truth of an item is one of K levels, with a learned prior. A source sees it with a bias, a
    stretch and a spread of its own, and says the nearest level; a share of its answers is random,
    by its habit (see `Sources`). Bias, stretch and spread have normal priors whose variances are
    learned, so that a source with few claims is taken to be like the others. Beliefs are exact;
    numbers of sources are improved in each iteration by what they said and what is believed, which
    are K x K sums by source (expectation maximisation, with one step of Fisher scoring).

    The bias and stretch that all sources share cannot be learned from claims. They are taken to be
    none: on the whole, sources use the scale as it is meant.
    """

    form: ClassVar[str] = "ordered"
    columns: ClassVar[Mapping[str, pa.DataType]] = {
        "level": pa.string(),
        "expected": pa.float64(),
        "lowest": pa.string(),
        "highest": pa.string(),
    }

    def __init__(self, random_state: int = 0) -> None:
        super().__init__(random_state)
        self.scales: tuple[Scale, ...] = ()
        self.n_claims: Floats = np.zeros((0, 0))
        self._labels: pa.StringArray = pa.array([], pa.string())

    def fit(self, claims: ClaimsInBlocks) -> None:
        """Learn the prior of the levels, and how each source answers."""
        self.notes = []
        self._labels = claims.sources
        scales = [
            Scale.start(profile.name, profile.order, claims.n_sources)
            for profile in claims.attributes
            if profile.form == self.form
        ]
        orders = [(scale.name, scale.order) for scale in scales]
        ratings = claims.blocks.prepare(_read, orders, claims.sources)
        change, n_done = np.inf, 0
        while change > ENOUGH and n_done < MOST_ITERATIONS:
            counted = _count_all(ratings, scales, claims.n_sources)
            learned = [scale.learned(counts) for scale, counts in zip(scales, counted, strict=True)]
            change = max(map(largest_change, learned, scales), default=0.0)
            scales, n_done = learned, n_done + 1
            self.n_claims = np.stack([counts.said.sum(axis=(1, 2)) for counts in counted])
        self.scales = tuple(scales)
        if change > ENOUGH:
            text = f"Ordered values were not settled after {MOST_ITERATIONS} iterations."
            self.notes.append(Note("convergence", text))

    def judge(self, block: ClaimBlock) -> Judgement:
        """Return the plausibility of each level claimed, and where the truth is expected to be."""
        matrix = block.matrix
        plausibility = np.zeros(matrix.n_statements)
        expected = np.full(matrix.n_items, np.nan)
        most, low, high = (np.full(matrix.n_items, None, object) for _ in range(3))
        for scale in self.scales:
            ratings = read_ratings(block, scale.name, scale.order, self._labels)
            belief, _ = ratings.beliefs(scale)
            whole = np.zeros((matrix.n_items, scale.n_levels))
            whole[ratings.item] = belief
            level = levels_of(matrix, scale.name, scale.order)
            own = np.flatnonzero(level >= 0)
            plausibility[own] = whole[matrix.item_of_statement[own], level[own]]
            expected[ratings.item] = belief @ numbers_of_levels(scale.order)
            names = np.array(scale.order, object)
            most[ratings.item] = names[belief.argmax(axis=1)]
            first, last = likely_levels(belief)
            low[ratings.item], high[ratings.item] = names[first], names[last]
        columns = {
            "level": pa.array(most, pa.string()),
            "expected": pa.array(expected, pa.float64(), mask=np.isnan(expected)),
            "lowest": pa.array(low, pa.string()),
            "highest": pa.array(high, pa.string()),
        }
        return Judgement(np.clip(plausibility, 0.0, 1.0), columns=columns)

    def beliefs(self, attribute: str, said: Sequence[Said]) -> dict[str, float]:
        """Return how plausible each level of an item is, claimed or not, by claims about it."""
        scale = next(scale for scale in self.scales if scale.name == attribute)
        place = places_among(pa.array([one.source for one in said], pa.string()), self._labels)
        joint = np.log(scale.prior)
        for answers, one in zip(scale.sources.at(place).answers(), said, strict=True):
            share = answers[:, level_of(one.value, scale.order)]
            joint += one.weight * np.log(share if one.asserts else 1 - share)
        shares = np.exp(joint - joint.max())
        return dict(zip(scale.order, (shares / shares.sum()).tolist(), strict=True))

    def reliability(self, claims: ClaimsInBlocks) -> pa.Table:
        """Return how often each source says the right level, and its bias and spread in levels."""
        found = [manner(scale) for scale in self.scales]
        weight = self.n_claims / np.maximum(self.n_claims.sum(axis=0), 1e-300)
        named = {
            "reliability": "reliability",
            "level_bias": "bias",
            "level_spread": "spread",
            "random_share": "random",
        }
        columns = {
            column: to_arrow((weight * np.stack([getattr(one, name) for one in found])).sum(axis=0))
            for column, name in named.items()
        }
        return pa.table({"source": self._labels, **columns})

    def tables(self, claims: ClaimsInBlocks) -> Mapping[str, Table]:
        """Return the levels of each scale, and how each source answers on it."""
        if not self.scales:
            return {}
        return {
            "levels": Table("levels", pa.concat_tables(map(_levels_table, self.scales))),
            "level_sources": Table(
                "level sources",
                pa.concat_tables(
                    _sources_table(scale.name, manner(scale), n_claims, self._labels)
                    for scale, n_claims in zip(self.scales, self.n_claims, strict=True)
                ),
            ),
        }

    def explainer(self, claims: Claims) -> OrderedExplainer:
        """Return what explains one item after the other."""
        block = ClaimBlock(claims, np.arange(claims.matrix.n_sources))
        ratings = [
            read_ratings(block, scale.name, scale.order, self._labels) for scale in self.scales
        ]
        plausibility = self.judge(block).plausibility
        return OrderedExplainer(claims, plausibility, self.scales, ratings)

    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what was learned, as plain data and as arrays."""
        text, offsets = labels_to_arrays(self._labels)
        arrays: dict[str, npt.NDArray[Any]] = {
            "sources": text,
            "source_starts": offsets,
            "n_claims": self.n_claims,
        }
        for place, scale in enumerate(self.scales):
            of_scale = {"prior": scale.prior, "variance": scale.variance, **vars(scale.sources)}
            arrays |= {f"{place}.{name}": numbers for name, numbers in of_scale.items()}
        return {"scales": [[scale.name, list(scale.order)] for scale in self.scales]}, arrays

    def restore(self, state: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` returned."""
        self._labels = arrays_to_labels(arrays["sources"], arrays["source_starts"])
        self.n_claims = arrays["n_claims"]
        scales = []
        for place, (name, order) in enumerate(state["scales"]):
            placing, random, habit = (
                arrays[f"{place}.{part}"] for part in ("placing", "random", "habit")
            )
            sources = Sources(placing, random, habit)
            prior, variance = arrays[f"{place}.prior"], arrays[f"{place}.variance"]
            scales.append(Scale(name, tuple(order), prior, sources, variance))
        self.scales = tuple(scales)


def numbers_of_levels(order: Sequence[str]) -> Floats:
    """Return the number of each level: its own if all are numbers, else 1, 2, 3 and so on."""
    numbers = [number_of(level) for level in order]
    if any(number is None for number in numbers):
        return np.arange(1.0, len(order) + 1.0)
    return np.array([float(number) for number in numbers if number is not None])


def likely_levels(belief: Floats) -> tuple[Indices, Indices]:
    """Return the first and last of the levels around the median that hold most of the belief."""
    left = (1 - COVERAGE) / 2
    up_to = np.cumsum(belief, axis=1)
    from_on = np.cumsum(belief[:, ::-1], axis=1)[:, ::-1]
    first = np.argmax(up_to > left, axis=1)
    last = belief.shape[1] - 1 - np.argmax((from_on > left)[:, ::-1], axis=1)
    return first, last


def _read(
    block: ClaimBlock, orders: Sequence[tuple[str, tuple[str, ...]]], sources: pa.StringArray
) -> tuple[Ratings, ...]:
    return tuple(read_ratings(block, name, order, sources) for name, order in orders)


def _count_all(
    ratings: Blocks[tuple[Ratings, ...]], scales: Sequence[Scale], n_sources: int
) -> list[Counts]:
    """Count all blocks."""
    sums = ratings.total(_count, tuple(scales), n_sources)
    return [
        Counts(sums[f"{place}.said"].everywhere(), sums[f"{place}.levels"], sums[f"{place}.log"])
        for place in range(len(scales))
    ]


def _count(block: tuple[Ratings, ...], scales: tuple[Scale, ...], n_sources: int) -> Sums:
    sums: Sums = {}
    for place, (ratings, scale) in enumerate(zip(block, scales, strict=True)):
        sources = np.unique(ratings.source)
        counts = ratings.counts(scale, sources)
        sums[f"{place}.said"] = Scattered(sources, counts.said, n_sources)
        sums[f"{place}.levels"] = counts.of_level
        sums[f"{place}.log"] = counts.log_likelihood
    return sums


def _levels_table(scale: Scale) -> pa.Table:
    return pa.table(
        {
            "attribute": pa.array([scale.name] * scale.n_levels, pa.string()),
            "level": pa.array(scale.order, pa.string()),
            "place": pa.array(range(1, scale.n_levels + 1), pa.int64()),
            "probability": to_arrow(scale.prior),
        }
    )


def _sources_table(name: str, found: Manner, n_claims: Floats, labels: pa.StringArray) -> pa.Table:
    table = pa.table(
        {
            "source": labels,
            "attribute": pa.array([name] * len(labels), pa.string()),
            "weight": to_arrow(n_claims),
            "reliability": to_arrow(found.reliability),
            "bias": to_arrow(found.bias),
            "spread": to_arrow(found.spread),
            "stretch": to_arrow(found.stretch),
            "random_share": to_arrow(found.random),
        }
    )
    return table.filter(to_arrow(n_claims > 0))
