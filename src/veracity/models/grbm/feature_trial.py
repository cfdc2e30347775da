"""The trial of features: do they predict held-out claims better?"""

from __future__ import annotations

from collections.abc import Sequence

from veracity.data.arrays import Floats
from veracity.data.blocks import ClaimBlock
from veracity.data.notes import Note
from veracity.engines.base import Blocks
from veracity.engines.sums import Sums
from veracity.errors import listing
from veracity.features import FeatureBuilder
from veracity.features.thresholds import MAX_VALUE_SHARE_GRBM, MIN_GAIN_Z_SCORE
from veracity.models.grbm.block_data import PreparedBlock
from veracity.models.grbm.held_out import Gain
from veracity.models.grbm.model_spec import ModelSpec
from veracity.models.grbm.objective import bind_prepared

#: Statistics of claims that may serve as features beside the user's columns.
STATISTICS = ("sources of item", "order in item", "age in item")


def learn_features(
    blocks: Blocks[ClaimBlock], features: str | Sequence[str], bins: int | None
) -> FeatureBuilder:
    """Look at the features of claims; those to use are named, or all that say something."""
    empty = FeatureBuilder(
        "auto" if isinstance(features, str) else list(features),
        bins,
        scale="rank",
        max_value_share=MAX_VALUE_SHARE_GRBM,
        statistics=STATISTICS,
    )
    return empty.learn(blocks.total(_count_features, empty))


def _count_features(block: ClaimBlock, builder: FeatureBuilder) -> Sums:
    return dict(builder.count(block.claims))


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
    sums = blocks.total(_compare, without, x, with_features, x_with)
    return Gain.of_sums(sums["n"], sums["sum"], sums["squares"])


def _compare(
    prepared: PreparedBlock,
    without: ModelSpec,
    x: Floats,
    with_features: ModelSpec,
    x_with: Floats,
) -> Sums:
    difference = heldout_log_prob(prepared, with_features, x_with) - heldout_log_prob(
        prepared, without, x
    )
    return {
        "n": len(difference),
        "sum": float(difference.sum()),
        "squares": float((difference**2).sum()),
    }


def heldout_log_prob(prepared: PreparedBlock, spec: ModelSpec, x: Floats) -> Floats:
    """Return the log-probability of the claims of a block that are held out."""
    assert prepared.hidden is not None
    block = bind_prepared(prepared, spec)
    return block.heldout_log_prob(block.own(x), prepared.hidden)


def helps(gain: Gain) -> bool:
    """Whether held-out claims are predicted better beyond doubt."""
    return gain.z_score > MIN_GAIN_Z_SCORE


def note_on_gain(gain: Gain, used: Sequence[str]) -> Note:
    """Say how much better held-out claims are predicted, and what follows from it."""
    about = f"the prediction of {gain.n_claims:,} held-out claims"
    errors = f"{gain.z_score:.1f} standard errors; {MIN_GAIN_Z_SCORE:g} needed"
    if gain.mean > 0:
        only = "" if helps(gain) else "only "
        outcome = f"they improve {about} by {only}{gain.mean:.4f} nats each ({errors})"
    else:
        outcome = f"they do not improve {about} ({gain.mean:.4f} nats each, {errors})"
    verdict = "used" if helps(gain) else "not used"
    text = f"Features ({listing(used, 40)}) {verdict}: {outcome}."
    return Note("features", text)
