"""Which fits are made, in which order, and which is kept.

First comes a fit without features. Features are tried on it: they are used if they help to predict
held-out claims, and do not overturn the answer. Claims in memory are one block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from veracity.data.notes import Note
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.errors import listing
from veracity.features import FeatureBuilder
from veracity.features.thresholds import MAX_OVERTURNED
from veracity.models.grbm import feature_trial
from veracity.models.grbm.attributes import AttributeRange
from veracity.models.grbm.block_data import (
    PreparedBlock,
    add_features,
    add_terms,
    hold_out,
    prepare_block,
)
from veracity.models.grbm.claim_counts import count_claims
from veracity.models.grbm.class_prior import check_classes
from veracity.models.grbm.feature_trial import Trial
from veracity.models.grbm.fitting import Fit, fit
from veracity.models.grbm.held_out import HeldOut, source_hashes
from veracity.models.grbm.model_spec import ClassPrior, ModelSpec
from veracity.models.grbm.objective import Objective
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.priors import tells_enough
from veracity.models.grbm.reliability import Linear, ReliabilityFunction
from veracity.models.grbm.terms.base import ATTRIBUTE, Term, check_column, feature_columns
from veracity.models.grbm.terms.confidence import (
    CONFIDENCE_COLUMNS,
    Confidence,
    learn_confidence,
)
from veracity.models.grbm.terms.domains import learn_domains
from veracity.models.grbm.terms.smooth import learn_smooth

#: Features are tried on so many items that they have about this many claims.
CLAIMS_IN_TRIAL = 60_000
#: A second fit, of at most so many claims, starts where sources are trusted (m): if it ends in
#: other answers, the claims do not settle them.
MAX_CLAIMS_TO_RESTART, TRUSTING_START = 50_000, 3.0

#: What is tried: the group, its features, what builds them, and the terms of it.
Candidate = tuple[str, tuple[str, ...], FeatureBuilder | None, tuple[Term, ...]]


@dataclass(frozen=True, eq=False)
class Choices:
    """How to learn; see the parameters of `GRBM`.

    ``floor`` is the least e^u, and ``reliability`` makes g of so many features.
    """

    features: str | Sequence[str]
    bins: int | None
    reliability: Callable[[int], ReliabilityFunction]
    floor: float
    speaking: bool | Literal["auto"]
    family: str | None
    confidence: str
    domain: str | None
    smooth: Sequence[Sequence[str]]
    class_prior: ClassPrior | None
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
    n_claims
        Number of claims.
    kept
        The fit that was kept.
    builder
        Builds the features in use; None without.
    terms
        The terms in use.
    considered, trials
        The features that were considered, None if none were, and the groups that were tried.
    notes
        What a user should know.
    overturned
        The share of contested items whose answer the features in use change; None without.
    restarted
        The share of contested items whose answer is another one if the fit starts elsewhere; None
        where that was not tried.
    """

    n_claims: int
    kept: CandidateFit
    builder: FeatureBuilder | None = None
    terms: tuple[Term, ...] = ()
    considered: FeatureBuilder | None = None
    trials: list[Trial] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    overturned: float | None = None
    restarted: float | None = None


class ModelSelection:
    """Fits one model after the other to claims, and keeps the best."""

    def __init__(self, claims: ClaimsInBlocks, choices: Choices) -> None:
        self.claims, self.choices = claims, choices

    def run(self) -> Learned:
        """Learn."""
        choices = self.choices
        counts = count_claims(self.claims, speaking=choices.speaking)
        notes = check_classes(counts.attributes, choices.class_prior)
        n_claims = int(counts.n_claims.sum())
        spec = ModelSpec(
            counts.attributes,
            counts.log_claim_count,
            Linear(0),
            floor=choices.floor,
            source_is_free=tells_enough(counts.n_telling),
            family=choices.family,
            class_prior=choices.class_prior,
            threads=choices.threads,
        )
        del counts  # two numbers for each source
        blocks = self.claims.blocks.prepare(prepare_block, choices.family)
        terms, more = self._declared_terms()
        if terms:
            spec, blocks = spec.with_terms(terms), blocks.prepare(add_terms, terms)
        first = self.fit_to(blocks, spec)
        learned = Learned(n_claims, first, terms=terms, notes=[*notes, *more])
        learned.notes += self._notes_on_weights(spec)
        speaking = [one.range.name for one in spec.attributes if len(one.one_sided)]
        if speaking:
            learned.notes.append(_note_on_speaking(speaking))
        else:
            self._add_features(learned)
        if n_claims <= MAX_CLAIMS_TO_RESTART:
            learned.restarted = self._start_elsewhere(learned.kept)
        return learned

    def _notes_on_weights(self, spec: ModelSpec) -> Iterator[Note]:
        """Say which attributes weights and families do not reach."""
        names = [own.name for own in spec.ranges if own.form == "per-statement"]
        given = ["families"] if self.choices.family is not None else []
        given += ["weights"] if "weight" in self.claims.columns.roles else []
        if names and given:
            text = (
                f"{' and '.join(given).capitalize()} have no effect on {listing(names)}: "
                "statements of attributes with several true values are judged one by one, and "
                "every claim counts once."
            )
            yield Note("weights", text)

    def _start_elsewhere(self, kept: CandidateFit) -> float:
        """Fit again from trusting sources; return how many contested items change their answer."""
        begin = ParameterVector(kept.spec.names, kept.objective.centre.copy())
        begin["m"] = TRUSTING_START
        again = fit(kept.objective, self.choices.max_iter, self.choices.tol, begin.values)
        both = (kept.spec, kept.found.x, kept.spec, again.x)
        return feature_trial.share_overturned(kept.blocks, *both)

    def _add_features(self, learned: Learned) -> None:
        """Try features and stated confidence, and fit again with those that help."""
        choices = self.choices
        stated = self._stated_confidence(learned)
        builder = self._learn_features(learned, stated)
        if choices.features == "always":
            terms: tuple[Term, ...] = tuple(stated)
        else:
            learned.trials = self._try_features(learned, builder, stated)
            names = {name for trial in learned.trials if trial.is_used for name in trial.names}
            terms = tuple(term for term in stated if term.column in names)
            if builder is not None and choices.features == "auto":
                builder = builder.only(names)
        if builder is not None and not builder.used:
            builder = None
        if builder is not None and choices.features != "auto":
            text = f"Features used: {listing(builder.used, 40)}."
            learned.notes.append(Note("features", text))
        if builder is None and not terms:
            self._describe(learned)
            return
        terms = (*learned.terms, *terms)
        kept, spec = learned.kept, self._with_features(learned.kept.spec, builder, terms)
        blocks = kept.blocks.prepare(add_features, builder, True, None, terms)
        found = self.fit_to(blocks, spec)
        both = (kept.spec, kept.found.x, spec, found.found.x)
        overturned = feature_trial.share_overturned(blocks, *both)
        if choices.features in ("auto", "never") and overturned > MAX_OVERTURNED:
            text = (
                f"Features not used: together, they change the answer on {overturned:.0%} of "
                "the contested items. To use them all the same, name them."
            )
            learned.notes.append(Note("features", text))
            self._describe(learned)
            return
        learned.builder, learned.kept, learned.overturned = builder, found, overturned
        learned.terms = terms
        self._describe(learned)

    def _describe(self, learned: Learned) -> None:
        """Note in words how features and terms bear on reliability."""
        spec, said = learned.kept.spec, []
        parameters = ParameterVector(spec.names, learned.kept.found.x)
        if spec.reliability.is_linear and learned.builder is not None:
            said = feature_trial.describe_direction(learned.builder, parameters["psi"])
        said += feature_trial.describe_slopes(learned.terms, parameters)
        if said:
            learned.notes.append(Note("features", f"Reliability by feature: {'; '.join(said)}."))

    def _declared_terms(self) -> tuple[tuple[Term, ...], list[Note]]:
        """Learn the terms that the user asked for: domains, places and times."""
        choices, blocks = self.choices, self.claims.blocks
        if choices.domain is None and not choices.smooth:
            return (), []
        names = feature_columns(blocks)
        terms: list[Term] = []
        notes: list[Note] = []
        if choices.domain is not None:
            check_column(choices.domain, [*names, ATTRIBUTE], "domains")
            domains, said = learn_domains(blocks, choices.domain)
            terms += [] if domains is None else [domains]
            notes += said
        for columns in choices.smooth:
            found, said = learn_smooth(blocks, columns, names)
            terms += found
            notes += said
        return tuple(terms), notes

    def _stated_confidence(self, learned: Learned) -> list[Confidence]:
        """Learn how sources use the columns in which they state how sure they are."""
        choices, blocks = self.choices, self.claims.blocks
        if choices.confidence == "never":
            return []
        names = feature_columns(blocks)
        if choices.confidence != "auto":
            check_column(choices.confidence, names, "stated confidence")
            wanted = [choices.confidence]
        else:
            is_asked_for = choices.features in ("auto", "always")
            wanted = [name for name in CONFIDENCE_COLUMNS if is_asked_for and name in names]
        found = []
        for column in wanted:
            term = learn_confidence(blocks, column, self.claims.n_sources)
            if isinstance(term, Confidence):
                found.append(term)
            elif choices.confidence != "auto":
                text = f"Column {column!r} is not used as stated confidence: {term}."
                learned.notes.append(Note("features", text))
        return found

    def _learn_features(
        self, learned: Learned, stated: Sequence[Confidence]
    ) -> FeatureBuilder | None:
        """Look at the features of claims, but for columns that terms read."""
        choices = self.choices
        if choices.features == "never":
            return None
        builder = feature_trial.learn_features(self.claims.blocks, choices.features, choices.bins)
        declared = {column for term in learned.terms for column in term.columns}
        builder = builder.without(declared, "as declared")
        builder = builder.without({term.column for term in stated}, "stated confidence")
        learned.considered = builder
        learned.notes += feature_trial.notes_on_left_out(builder)
        return builder

    def _with_features(
        self, spec: ModelSpec, builder: FeatureBuilder | None, terms: Sequence[Term]
    ) -> ModelSpec:
        reliability: ReliabilityFunction = Linear(0)
        if builder is not None:
            reliability = self.choices.reliability(len(builder.column_names))
        return replace(spec.with_terms(terms), reliability=reliability, uses_features=True)

    def _try_features(
        self, learned: Learned, builder: FeatureBuilder | None, stated: Sequence[Confidence]
    ) -> list[Trial]:
        """Fit with each group of features to claims of which some are hidden, and judge it."""
        kept = learned.kept
        groups: dict[str, tuple[str, ...]] = {}
        if builder is not None and self.choices.features == "auto":
            groups = feature_trial.feature_groups(builder.used)
        of_item = groups.pop(feature_trial.ITEM, None)
        if of_item is not None:
            learned.notes.append(feature_trial.note_on_items(of_item))
        candidates: list[Candidate] = [
            (group, names, builder.only(names), ())
            for group, names in groups.items()
            if builder is not None
        ]
        candidates += [(feature_trial.STATED, term.columns, None, (term,)) for term in stated]
        if not candidates:
            return []
        hashes = source_hashes(self.claims.blocks, self.claims.n_sources, self.choices.seed)
        share = min(CLAIMS_IN_TRIAL / learned.n_claims, 1.0)
        hidden = kept.blocks.prepare(hold_out, hashes, share)
        bare = replace(kept.spec, holds_out=True)
        without = self.fit_to(hidden, bare)
        trials = []
        for group, names, own, more in candidates:
            terms = (*learned.terms, *more)
            blocks = hidden.prepare(add_features, own, True, None, terms)
            spec = self._with_features(bare, own, terms)
            tried = self.fit_to(blocks, spec)
            both = (bare, without.found.x, spec, tried.found.x)
            trial = Trial(group, names, feature_trial.gain_by_features(blocks, *both))
            if trial.helps:
                overturned = feature_trial.share_overturned(blocks, *both)
                trial = replace(trial, overturned=overturned)
            trials.append(trial)
            learned.notes.append(trial.note)
        return trials

    def fit_to(self, blocks: Blocks[PreparedBlock], spec: ModelSpec) -> CandidateFit:
        """Fit to blocks; see `fit`."""
        objective = Objective(blocks, spec)
        found = fit(objective, self.choices.max_iter, self.choices.tol)
        return CandidateFit(blocks, spec, objective, found)

    def heldout_log_prob(
        self,
        ranges: Sequence[AttributeRange],
        builder: FeatureBuilder | None,
        terms: Sequence[Term] = (),
    ) -> Iterator[HeldOut]:
        """Fit to all claims but those that are held out; return the log-probabilities of these.

        The form of each attribute, the features and the terms are given.
        """
        counts, choices = count_claims(self.claims, ranges), self.choices
        reliability: ReliabilityFunction = Linear(0)
        blocks = self.claims.blocks.prepare(prepare_block, choices.family)
        hashes = source_hashes(self.claims.blocks, self.claims.n_sources, choices.seed)
        blocks = blocks.prepare(hold_out, hashes)
        if builder is not None:
            reliability = choices.reliability(len(builder.column_names))
        if builder is not None or terms:
            blocks = blocks.prepare(add_features, builder, True, None, terms)
        spec = ModelSpec(
            counts.attributes,
            counts.log_claim_count,
            reliability,
            floor=choices.floor,
            source_is_free=tells_enough(counts.n_telling),
            family=choices.family,
            class_prior=choices.class_prior,
            uses_features=builder is not None or bool(terms),
            holds_out=True,
            threads=choices.threads,
        ).with_terms(terms)
        x = self.fit_to(blocks, spec).found.x
        return blocks.results(feature_trial.predict_held_out, spec, x)


def _note_on_speaking(names: Sequence[str]) -> Note:
    text = (
        f"Most claims about {listing(names)} come from sources that say one value or nothing. "
        "Whether they speak is taken as evidence, and features are not used. To judge them by what "
        "they say alone: --no-speaking (in Python: speaking=False)."
    )
    return Note("speaking", text)
