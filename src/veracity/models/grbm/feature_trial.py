"""Features on trial: which there are, and whether held-out claims are foreseen better with them."""

from __future__ import annotations

from collections.abc import Sequence

from veracity.data.arrays import Floats
from veracity.data.blocks import ClaimBlock
from veracity.data.notes import Note
from veracity.engines.base import Blocks
from veracity.engines.sums import Sums
from veracity.errors import listing
from veracity.features import FeatureBuilder
from veracity.models.grbm.block_objective import piece_of
from veracity.models.grbm.held_out import Gain
from veracity.models.grbm.model_spec import Plan
from veracity.models.grbm.prepared_block import Ground

#: Statistics of claims that may serve as features beside the user's columns.
STATISTICS = ("sources of item", "order in item", "age in item")
#: A column is derived from the value if that explains more of it within items than this.
MAX_VALUE_SHARE = 0.1
#: Features are used if held-out claims are foreseen better by more than so many standard errors.
ERRORS_WANTED = 3.0


def learn_features(
    blocks: Blocks[ClaimBlock], features: str | Sequence[str], bins: int | None
) -> FeatureBuilder:
    """Look at the features of claims; those to use are named, or all that say something."""
    empty = FeatureBuilder(
        "auto" if isinstance(features, str) else list(features),
        bins,
        scale="rank",
        max_value_share=MAX_VALUE_SHARE,
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
    grounds: Blocks[Ground], without: Plan, x: Floats, with_them: Plan, x_with: Floats
) -> Gain:
    """Compare the log-probabilities of the same held-out claims without and with features."""
    sums = grounds.total(_compare, without, x, with_them, x_with)
    return Gain.of_sums(sums["n"], sums["sum"], sums["squares"])


def _compare(ground: Ground, without: Plan, x: Floats, with_them: Plan, x_with: Floats) -> Sums:
    difference = foresee(ground, with_them, x_with) - foresee(ground, without, x)
    return {
        "n": len(difference),
        "sum": float(difference.sum()),
        "squares": float((difference**2).sum()),
    }


def foresee(ground: Ground, plan: Plan, x: Floats) -> Floats:
    """Return the log-probability of the claims of a block that are held out."""
    assert ground.hidden is not None
    piece = piece_of(ground, plan)
    return piece.objective.foresee(piece.own(x), ground.hidden)


def helps(gain: Gain) -> bool:
    """Whether held-out claims are foreseen better beyond doubt."""
    return gain.in_errors > ERRORS_WANTED


def note_on_gain(gain: Gain, used: Sequence[str]) -> Note:
    """Say how much better held-out claims are foreseen, and what follows from it."""
    text = (
        f"Features ({listing(used, 40)}) {'used' if helps(gain) else 'not used'}: with them, "
        f"{gain.n_claims:,} held-out claims are foreseen better by {gain.mean:.4f} in "
        f"log-probability, {gain.in_errors:.1f} standard errors; more than "
        f"{ERRORS_WANTED:g} are asked for."
    )
    return Note("features", text)
