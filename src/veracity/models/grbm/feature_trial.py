"""The trial of features: do they predict held-out claims better, and leave the answer standing?

Features are tried in groups, so that one bad column does not spoil good ones, nor a good one carry
bad ones: those of the source, of the claim, and of its place in time. A column of the item is the
same for all claims about it. It cannot tell its sources apart, and would pass the trial by telling
on which items sources agree, which the hardness of items covers; so it is used only if it is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.blocks import ClaimBlock
from veracity.data.notes import Note
from veracity.engines.base import Blocks
from veracity.engines.sums import Sums
from veracity.errors import listing
from veracity.features import FeatureBuilder
from veracity.features.statistics import TIME_STATISTICS
from veracity.features.thresholds import (
    MAX_OVERTURNED,
    MAX_VALUE_SHARE_GRBM,
    MIN_GAIN,
    MIN_GAIN_Z_SCORE,
    MIN_OFF_LEAST,
)
from veracity.models.grbm.block_data import PreparedBlock
from veracity.models.grbm.block_objective import bind_prepared
from veracity.models.grbm.held_out import Gain, HeldOut, gain_sums
from veracity.models.grbm.model_spec import ModelSpec
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.plausibility import plausibilities
from veracity.models.grbm.speaking_norms import with_speaking_norms
from veracity.models.grbm.terms.base import Term, is_of_item
from veracity.models.grbm.terms.confidence import Confidence
from veracity.models.grbm.terms.smooth import Smooth, describe

#: Statistics of claims that may serve as features beside the user's columns.
STATISTICS = ("order in item", "age in item")
#: The groups in which features are tried, and the beginnings of the names of their columns.
GROUPS = {"the source": "source_", "the item": "entity_", "the claim": "claim_"}
#: The group of statistics of the item, and of those of time.
ITEM, TIME = "the item", "time"
#: The group of columns in which sources state how sure they are; see `Confidence`.
STATED = "stated confidence"


@dataclass(frozen=True)
class Trial:
    """A group of features, how much it helps, and how much it overturns.

    Attributes
    ----------
    group, names
        What the features are about, and which they are.
    gain
        How much better held-out claims are predicted with them.
    overturned
        The share of contested items whose answer is another with them; None if it was not looked
        at.
    """

    group: str
    names: tuple[str, ...]
    gain: Gain
    overturned: float | None = None

    @property
    def helps(self) -> bool:
        """Whether the features clearly improve the prediction of held-out claims."""
        return self.gain.mean > MIN_GAIN and self.gain.z_score > MIN_GAIN_Z_SCORE

    @property
    def is_used(self) -> bool:
        """Whether the features help, and do not overturn the answer."""
        return self.helps and (self.overturned is None or self.overturned <= MAX_OVERTURNED)

    @property
    def note(self) -> Note:
        """Say what came of the trial."""
        gain, names = self.gain, listing(self.names, 40)
        made = (
            f"prediction of {gain.n_claims:,} held-out claims by {gain.mean:.4f} nats each "
            f"({gain.z_score:.1f} standard errors)"
        )
        what, improve, change = f"Features of {self.group}", "they improve", "they change"
        if self.group == STATED:
            what, improve, change = "Stated confidence", "it improves", "it changes"
        if self.is_used:
            text = f"{what} used ({names}): {improve} the {made}."
        elif self.helps and self.overturned is not None:
            named = "To use them all the same, name them."
            if self.group == STATED:
                named = "To use it all the same, name it as a feature."
            text = (
                f"{what} not used ({names}): {improve} the {made}, but "
                f"{change.split()[1]} the answer on {self.overturned:.0%} of the contested items. "
                f"{named}"
            )
        else:
            text = (
                f"{what} not used ({names}): {change} the {made}; more than "
                f"{MIN_GAIN:g} nats and {MIN_GAIN_Z_SCORE:g} standard errors are needed."
            )
        return Note("features", text)


def learn_features(
    blocks: Blocks[ClaimBlock], features: str | Sequence[str], bins: int | None
) -> FeatureBuilder:
    """Look at the features of claims; those to use are named, or all that say something."""
    empty = FeatureBuilder(
        "auto" if isinstance(features, str) else list(features),
        bins,
        scale="rank",
        max_value_share=MAX_VALUE_SHARE_GRBM,
        min_off_least=MIN_OFF_LEAST,
        statistics=STATISTICS,
    )
    return empty.learn(blocks.total(_count_features, empty))


def _count_features(block: ClaimBlock, builder: FeatureBuilder) -> Sums:
    return dict(builder.count(block.claims))


def feature_groups(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Put features into the groups in which they are tried."""
    groups: dict[str, list[str]] = {}
    for name in names:
        group = next((one for one, start in GROUPS.items() if name.startswith(start)), ITEM)
        group = TIME if name in TIME_STATISTICS else group
        groups.setdefault(group, []).append(name)
    return {group: tuple(own) for group, own in groups.items()}


def note_on_items(names: Sequence[str]) -> Note:
    """Say why features of the item are not tried."""
    text = (
        f"Features of the item not used ({listing(names, 40)}): they are the same for all claims "
        "about an item, so they cannot tell its sources apart. To use them, name them."
    )
    return Note("features", text)


def notes_on_left_out(builder: FeatureBuilder) -> list[Note]:
    """Say why features are left out, unless they were not asked for."""
    if builder.columns != "auto":
        return []
    return [
        Note("features", f"Feature {choice.name!r} is left out: {choice.reason}.")
        for choice in builder.choices_
        if not choice.used
    ]


def gain_by_features(
    blocks: Blocks[PreparedBlock],
    without: ModelSpec,
    x: Floats,
    with_features: ModelSpec,
    x_with: Floats,
) -> Gain:
    """Compare the log-probabilities of the same held-out claims without and with features."""
    return Gain.of_sums(blocks.total(_compare, without, x, with_features, x_with))


def _compare(
    prepared: PreparedBlock,
    without: ModelSpec,
    x: Floats,
    with_features: ModelSpec,
    x_with: Floats,
) -> Sums:
    assert prepared.hidden is not None
    difference = heldout_log_prob(prepared, with_features, x_with) - heldout_log_prob(
        prepared, without, x
    )
    item = prepared.block.matrix.item_of_claim[prepared.hidden]
    return gain_sums(difference, item.astype(np.int64))


def heldout_log_prob(prepared: PreparedBlock, spec: ModelSpec, x: Floats) -> Floats:
    """Return the log-probability of the claims of a block that are held out."""
    assert prepared.hidden is not None
    block = bind_prepared(prepared, spec)
    own = block.own(with_speaking_norms(spec, x))
    return block.heldout_log_prob(own, prepared.hidden)


def predict_held_out(prepared: PreparedBlock, spec: ModelSpec, x: Floats) -> HeldOut:
    """Return the held-out claims of a block, and their log-probabilities."""
    assert prepared.hidden is not None
    return HeldOut(prepared.hidden, heldout_log_prob(prepared, spec, x))


def share_overturned(
    blocks: Blocks[PreparedBlock],
    without: ModelSpec,
    x: Floats,
    with_features: ModelSpec,
    x_with: Floats,
) -> float:
    """Return the share of contested items whose answer is another with features."""
    sums = blocks.total(_count_overturned, without, x, with_features, x_with)
    return float(sums["n_overturned"] / max(sums["n_contested"], 1))


def _count_overturned(
    prepared: PreparedBlock,
    without: ModelSpec,
    x: Floats,
    with_features: ModelSpec,
    x_with: Floats,
) -> Sums:
    matrix = prepared.block.matrix
    one, other = _answers(prepared, without, x), _answers(prepared, with_features, x_with)
    differs = matrix.sum_by_item((one != other).astype(np.float64)) > 0
    yes = matrix.sum_by_statement(matrix.claim_value.astype(np.float64))
    n_claims = np.bincount(matrix.statement_index, minlength=matrix.n_statements)
    disputed = matrix.sum_by_item(((yes > 0) & (yes < n_claims)).astype(np.float64)) > 0
    contested = disputed | (np.diff(matrix.statement_start) > 1)
    return {
        "n_contested": int(contested.sum()),
        "n_overturned": int((contested & differs).sum()),
    }


def _answers(prepared: PreparedBlock, spec: ModelSpec, x: Floats) -> np.ndarray[Any, Any]:
    """Mark the statements that are believed."""
    matrix, block = prepared.block.matrix, bind_prepared(prepared, spec)
    scores = block.scores(block.own(with_speaking_norms(spec, x)))
    p = plausibilities(matrix, scores, block.data.weight, block.domain_size)
    best = np.maximum.reduceat(p, matrix.statement_start[:-1])[matrix.item_of_statement]
    single = matrix.kind_is("single")[matrix.item_of_statement]
    return np.where(single, p >= best, p >= 0.5)


def describe_direction(builder: FeatureBuilder, psi: Floats) -> list[str]:
    """Say in words what a linear g has learned of each feature in use."""
    weight = dict(zip(builder.column_names, psi.tolist(), strict=True))
    said = []
    for number in builder.numbers_:
        slope = weight.get(number.name, 0.0)
        more = "more" if slope > 0 else "less"
        said.append(f"claims with a high {number.name} are {more} reliable ({slope:+.2f})")
    for category in builder.categories_:
        own = {name: w for name, w in weight.items() if name.startswith(f"{category.name} = ")}
        if own:
            best, worst = max(own, key=lambda n: own[n]), min(own, key=lambda n: own[n])
            said.append(f"{best} is the most reliable ({own[best]:+.2f}), {worst} the least")
    return said


def describe_slopes(terms: Sequence[Term], parameters: ParameterVector) -> list[str]:
    """Say in words what was learned of stated confidence, and of places and times."""
    said, first = [], 0
    for term in terms:
        if isinstance(term, Confidence):
            common, own = parameters["slope"][first], parameters["own_slope"][:, first]
            more = "more" if common > 0 else "less"
            text = f"claims with a high {term.column} for their source are {more} reliable"
            slopes = common + own
            said.append(
                f"{text} ({common:+.2f}; sources {slopes.min():+.2f} to {slopes.max():+.2f})"
            )
        elif isinstance(term, Smooth) and is_of_item(term):
            said.append(f"by {' and '.join(term.columns)}, each source in its own way")
        elif isinstance(term, Smooth):
            said.append(describe(term, parameters["slope"][first : first + len(term.names)]))
        first += len(term.names)
    return said
