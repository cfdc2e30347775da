"""Which fits are made, in which order, and which is kept.

First comes a fit without features. Features are tried on it: they are used if they help to predict
held-out claims, and do not overturn the answer. Claims in memory are one block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from veracity.data.arrays import Floats
from veracity.data.blocks import ClaimBlock
from veracity.data.notes import Note
from veracity.data.truth.known import UNKNOWN
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.engines.sums import Sums
from veracity.errors import listing
from veracity.features import FeatureBuilder
from veracity.models.grbm import feature_trial
from veracity.models.grbm.attributes import AttributeRange
from veracity.models.grbm.block_data import PreparedBlock, add_features, hold_out, prepare_block
from veracity.models.grbm.claim_counts import ClaimCounts, count_claims
from veracity.models.grbm.held_out import Gain
from veracity.models.grbm.model_spec import ModelSpec
from veracity.models.grbm.objective import Fit, Objective, fit
from veracity.models.grbm.reliability import Linear, ReliabilityFunction


@dataclass(frozen=True, eq=False)
class Choices:
    """How to learn; see the parameters of `GRBM`.

    ``floor`` is the least e^u, and ``reliability`` makes g of so many features.
    """

    features: str | Sequence[str]
    bins: int | None
    reliability: Callable[[int], ReliabilityFunction]
    floor: float
    max_iter: int
    tol: float
    seed: int
    threads: int | None = None


@dataclass(frozen=True, eq=False)
class CandidateFit:
    """A fit that may be kept: what was fitted to which claims, and where it ended."""

    blocks: Blocks[PreparedBlock]
    spec: ModelSpec
    objective: Objective
    found: Fit


@dataclass
class Learned:
    """The fit that was kept, and what was found on the way.

    Attributes
    ----------
    counts
        How much sources claim.
    kept
        The fit that was kept.
    builder
        Builds the features in use; None without.
    considered, gain
        The features that were considered, None if none were, and how much they helped, if that was
        tried.
    notes
        What a user should know.
    """

    counts: ClaimCounts
    kept: CandidateFit
    builder: FeatureBuilder | None = None
    considered: FeatureBuilder | None = None
    gain: Gain | None = None
    notes: list[Note] = field(default_factory=list)


class ModelSelection:
    """Fits one model after the other to claims, and keeps the best."""

    def __init__(self, claims: ClaimsInBlocks, choices: Choices) -> None:
        self.claims, self.choices = claims, choices

    def run(self) -> Learned:
        """Learn."""
        choices, counts = self.choices, count_claims(self.claims)
        spec = ModelSpec(
            counts.attributes,
            counts.log_claim_count,
            Linear(0),
            floor=choices.floor,
            threads=choices.threads,
        )
        blocks = self.claims.blocks.prepare(prepare_block)
        learned = Learned(counts, self._oriented(self.fit_to(blocks, spec)))
        self._add_features(learned)
        return learned

    def _add_features(self, learned: Learned) -> None:
        """Add features to the model, if there are any and they help."""
        choices = self.choices
        if choices.features == "never":
            return
        builder = feature_trial.learn_features(self.claims.blocks, choices.features, choices.bins)
        learned.considered = builder
        learned.notes += feature_trial.notes_on_left_out(builder)
        used = [choice.name for choice in builder.choices_ if choice.used]
        if not used:
            return
        kept = learned.kept
        reliability = choices.reliability(len(builder.column_names))
        spec = replace(kept.spec, reliability=reliability, uses_features=True)
        if choices.features == "auto":
            tried = self._try_features(learned, spec, builder)
            assert learned.gain is not None
            learned.notes.append(feature_trial.note_on_gain(learned.gain, used))
            if not feature_trial.helps(learned.gain):
                return
            blocks = tried.blocks
        else:
            blocks = kept.blocks.prepare(add_features, builder)
            learned.notes.append(Note("features", f"Features used: {listing(used, 40)}."))
        learned.builder = builder
        learned.kept = self.fit_to(blocks, spec)

    def _try_features(
        self, learned: Learned, spec: ModelSpec, builder: FeatureBuilder
    ) -> CandidateFit:
        """Fit with features to claims of which some are hidden; measure how they predict these."""
        kept = learned.kept
        hidden = kept.blocks.prepare(hold_out, self.choices.seed)
        bare = replace(kept.spec, holds_out=True)
        without = self.fit_to(hidden, bare)
        blocks = hidden.prepare(add_features, builder)
        more = replace(spec, holds_out=True)
        tried = self.fit_to(blocks, more)
        learned.gain = feature_trial.gain_by_features(
            blocks, bare, without.found.x, more, tried.found.x
        )
        return tried

    def fit_to(self, blocks: Blocks[PreparedBlock], spec: ModelSpec) -> CandidateFit:
        """Fit to blocks; see `fit`."""
        objective = Objective(blocks, spec)
        found = fit(objective, self.choices.max_iter, self.choices.tol)
        return CandidateFit(blocks, spec, objective, found)

    def _oriented(self, first: CandidateFit) -> CandidateFit:
        """Start again from what known truth alone says of the sources; keep the likelier end.

        From the usual start a fit may climb to the mirror image, and a few known items among many
        cannot pull it back.
        """
        if not self.claims.blocks.total(_count_known)["n"]:
            return first
        known = self.fit_to(first.blocks, replace(first.spec, only_known=True))
        choices = self.choices
        again = fit(first.objective, choices.max_iter, choices.tol, known.found.x)
        return replace(first, found=again) if again.objective > first.found.objective else first

    def heldout_log_prob(
        self, ranges: Sequence[AttributeRange], builder: FeatureBuilder | None
    ) -> Iterator[Floats]:
        """Fit to all claims but those that are held out; return the log-probabilities of these.

        The form of each attribute and the features are given.
        """
        counts, choices = count_claims(self.claims, ranges), self.choices
        reliability: ReliabilityFunction = Linear(0)
        blocks = self.claims.blocks.prepare(prepare_block)
        blocks = blocks.prepare(hold_out, choices.seed)
        if builder is not None:
            reliability = choices.reliability(len(builder.column_names))
            blocks = blocks.prepare(add_features, builder)
        spec = ModelSpec(
            counts.attributes,
            counts.log_claim_count,
            reliability,
            floor=choices.floor,
            uses_features=builder is not None,
            holds_out=True,
            threads=choices.threads,
        )
        x = self.fit_to(blocks, spec).found.x
        return blocks.results(feature_trial.heldout_log_prob, spec, x)


def _count_known(block: ClaimBlock) -> Sums:
    known = block.known
    return {"n": 0 if known is None else int((known.statement != UNKNOWN).sum())}
