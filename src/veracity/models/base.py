"""TruthModel: the contract of all models, in the manner of scikit-learn's estimators."""

from __future__ import annotations

import inspect
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy.typing as npt
import pyarrow as pa

from veracity.arguments import check_keywords, knows_arguments, must_be
from veracity.data.arrays import Floats
from veracity.data.blocks import ClaimBlock
from veracity.data.claims import Claims
from veracity.data.notes import Note, ranked
from veracity.data.output.decisions import DEFAULT_ERROR_RATE
from veracity.data.output.results import Estimates, SourceRates
from veracity.data.output.tables import Table
from veracity.data.read.frames import is_on_spark
from veracity.data.rules.table import Rules
from veracity.data.truth.ground_truth import GroundTruth
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.engines.known_truth import split_known_truth
from veracity.engines.local import in_one_block
from veracity.errors import (
    ConvergenceWarning,
    InvalidParameter,
    NotFitted,
    listing,
    suggestion,
)
from veracity.models import tables
from veracity.models.convergence import note_unfinished
from veracity.models.decisions import least_accepted
from veracity.models.dependence import Dependence, find_dependence
from veracity.models.given import Given, GivenAt
from veracity.models.labelled_claims import count_labelled
from veracity.models.labelled_sources import sources_by_attribute, with_labelled
from veracity.models.memory import Memory, PlainMemory
from veracity.models.patterns.naming import with_patterns
from veracity.models.patterns.stage import look_at_answers
from veracity.models.rules.bound_rules import BoundRules
from veracity.models.rules.stage import apply_rules
from veracity.models.rules.told_states import told_by
from veracity.models.source_rates import plain_rates
from veracity.models.tables import FitResults, Judged, judge_blocks

if TYPE_CHECKING:
    from veracity.models.labelled_claims import LabelledClaims
    from veracity.report.plots import Plots
    from veracity.streaming.stream import Stream


#: Results that the model of a run has.
RESULTS = ("truths_", "statements_", "sources_", "sources_by_attribute_", "crossfit_", "notes_")
#: Results that are made when somebody asks, of claims in memory: how good sources are, and how
#: they answer.
OF_SOURCES = ("sources_", "confusions_")


@dataclass(frozen=True, eq=False)
class Judgement:
    """The judgement of a model on claims: plausibilities, scores and estimates.

    Attributes
    ----------
    plausibility
        Of each statement; (n_statements,).
    score
        Ranks the statements of an item, where plausibilities are too coarse for it.
    estimates
        Of the items whose truth is a number, for models that work them out.
    hardness
        Of each item, for models that know it: how much less than usual the log-odds of a claim's
        being right are; NaN where it is not known; (n_items,).
    columns
        Further columns of the truths, by name, one value for each item, null where there is none.
    """

    plausibility: Floats
    score: Floats | None = None
    estimates: Estimates | None = None
    hardness: Floats | None = None
    columns: Mapping[str, pa.Array] = field(default_factory=dict)


class Unseen(NamedTuple):
    """Judged claims whose sources nobody has looked at yet, and how these do on labels."""

    claims: ClaimsInBlocks
    judged: Blocks[Judged]
    labelled: LabelledClaims | None


class TruthModel(FitResults, ABC):
    """Base of all models: claims in, plausibilities and reliabilities out.

    The constructor only stores its arguments; `fit` learns, and sets the attributes whose names
    end in an underscore.

    Attributes
    ----------
    truths_
        The value to believe for each item: entity, attribute, value, plausibility, margin to the
        next value, n_sources, n_values, tie, and the decision to accept, to review or to leave it
        open.
    statements_
        Every statement: entity, attribute, value, plausibility, supporters, deniers.
    sources_
        Every source: source, n_claims, reliability, tpr, fpr, agreement with what is believed.
        With known truth, also how many of its claims about that are right and wrong. At the end,
        `pattern` names those that answer like spammers, `pattern_of` whom a copier repeats.
    sources_by_attribute_
        How often each source is right about known truth, attribute by attribute; None without.
    confusions_
        What each source claims for each believed value of closed attributes, judged without its
        own word: source, attribute, believed, claimed, share, weight. None if there is no such
        attribute, if there are more than a million rows, and after `partial_fit`.
    crossfit_
        The verdicts of a fit with labels, each judged without the labels of its item's part, so
        that audits can measure them; None of a fit without labels.
    tables_
        Further results of attributes of some forms, by name, such as the timelines of values that
        change.
    plausibility_
        Plausibility of each statement, in the order of ``claims_.matrix``.
    history_
        One record per iteration of the fit; empty for models that do not iterate.
    notes_
        What a user should know about the input and the run.
    """

    random_state: int
    #: The share of errors among accepted verdicts that `decision` in the truths aims at.
    error_rate: float = DEFAULT_ERROR_RATE

    history_: list[dict[str, float]]
    notes_: list[Note]
    _fitted: bool = False

    def __new__(cls, *arguments: Any, **keywords: Any) -> Self:
        """Refuse parameters that the model does not have."""
        if keywords:  # copies are made without, and often
            check_keywords(cls.__name__, keywords, cls._parameter_names())
        return super().__new__(cls)

    # What a model has to say

    #: Whether the fit can use the known truth of some items, as plausibilities are probabilities.
    uses_known_truth: ClassVar[bool] = False
    #: Whether every statement is judged by itself, even if one value of an item is true.
    judges_statements: ClassVar[bool] = False
    #: Whether the fit draws at random, so that other names of sources change the answer a little.
    is_sampled: bool = False
    #: Whether the model works on attributes whose values are declared to be numbers only.
    needs_numbers: ClassVar[bool] = False

    @abstractmethod
    def _fit(self, claims: ClaimsInBlocks) -> Judgement | None:
        """Learn from blocks of claims, each with the known truth of its items.

        Set fitted attributes of the model's own. Claims in memory are one block, `blocks.only`: of
        these, return what came out, or None if that is what `_judge` says of them.
        """

    @abstractmethod
    def _judge(self, claims: Claims) -> Judgement:
        """Judge a block of claims, seen or new, by what was learned."""

    def _judge_block(self, block: ClaimBlock) -> Judgement:
        """Judge a block of the claims that were learned from, and what is known of them."""
        return self._judge(block.claims)

    @property
    def has_labels(self) -> bool:
        """Whether the model has learned from known truth in a way that can be measured by it."""
        return False

    def _judge_crossfitted(self, block: ClaimBlock) -> Judgement | None:
        """Judge items of a fit with labels, each without the labels of its part; None without.

        Such a judgement does not rest on an item's own label, so that labels can measure it.
        """
        return None

    def _judge_unaware(self, block: ClaimBlock) -> Floats:
        """Return the plausibility of each statement of a block as if nothing were known of it.

        Who is right on labels is compared with this, so a model that has parameters without the
        labels should judge by those.
        """
        return self._judge(block.claims).plausibility

    def copied(self) -> Self:
        """Return a copy to judge claims by: that leaves traces, and others may judge as well."""
        return copy(self)

    def _to_judge(self) -> TruthModel:
        """Return the model, or a copy of what changes while it judges, for a thread of its own."""
        return self

    def _source_rates(self, claims: ClaimsInBlocks, judged: Blocks[Judged]) -> SourceRates:
        """Return how reliable each source is, by default judged by the plausibilities."""
        return plain_rates(claims, judged)

    def _tables_by_form(self, claims: ClaimsInBlocks) -> dict[str, Table]:
        """Return further results of attributes of some forms; see `tables_`."""
        return {}

    def _with_forms(self, sources: Table, claims: ClaimsInBlocks) -> Table:
        """Return the table of sources, with what is learned of them by attributes of some forms."""
        return sources

    @property
    def has_forms(self) -> bool:
        """Whether some attributes are of forms with results of their own."""
        return False

    @property
    def further_columns(self) -> dict[str, pa.DataType]:
        """Names and types of the columns that the truths have because of these forms."""
        return {}

    def _dependent_sources(self, claims: ClaimsInBlocks) -> Dependence:
        """Return the pairs of sources that depend on each other."""
        return find_dependence(claims)

    def _warnings(self, claims: ClaimsInBlocks, judged: Blocks[Judged], least: float) -> list[Note]:
        """Return what a user should know before trusting the answer.

        Verdicts are accepted from the plausibility `least` on.
        """
        return []

    def check_blocks(self) -> None:
        """Refuse claims in several blocks, if the model or a parameter of it needs all at once."""

    # What a model has to say that learns from a stream of claims, too

    #: Whether it does.
    streams: ClassVar[bool] = False

    def check_stream(self) -> None:
        """Refuse a stream of claims, if the model or a parameter of it needs all at once."""
        if not self.streams:
            raise InvalidParameter(
                f"{type(self).__name__} cannot learn from new claims without the old ones. Fit it "
                "to all claims, or choose one of GRBM, BinaryGRBM, RBM and MajorityVote."
            )

    #: Whether it learns from labels apart from claims, so that labels can come in a stream, too.
    streams_labels: ClassVar[bool] = False

    def check_stream_of_labels(self, known_truth: GroundTruth | None) -> None:
        """Refuse known truth in a stream of claims, if the model cannot learn from it there."""
        if known_truth is not None and not self.streams_labels:
            raise InvalidParameter(
                f"{type(self).__name__} uses known truth in whole fits only, not in a stream. Fit "
                "it to all claims, or choose GRBM."
            )

    def _learn_labels(self, claims: ClaimsInBlocks) -> Any:
        """Learn from the known truth of claims; what was learned without it stays."""

    def _notes_on_labels(self) -> list[Note]:
        """Say what the labels are worth."""
        return []

    def _new_memory(self) -> Memory[Any]:
        """Return an empty memory of claims."""
        return PlainMemory()

    # What a user calls

    @knows_arguments()
    def fit(
        self, claims: Any, y: None = None, *, known_truth: Any = None, rules: Any = None
    ) -> Self:
        """Fit to claims.

        Parameters
        ----------
        claims
            `Claims`, a frame, or the path of a file. The claims of a Spark DataFrame stay on the
            cluster, and the work is done there.
        y
            Ignored.
        known_truth
            The truth of some items (`GroundTruth`, a frame or the path of a file with entity,
            attribute and value), which is shown as given, and learned from. Rows with a trust
            below 1 are answers of assessors, who can err: they count as evidence after the fit.
        rules
            Which statements about an entity imply or exclude one another (a frame or the path of a
            file with if_attribute, if_value, then_attribute, then_value, kind and weight). They act
            on the plausibilities after the fit.
        """
        self._stream = self._saved = None
        if _are_in_blocks(claims):
            self.check_blocks()
        self._check_uses(known_truth)
        self._check_takes(rules, claims)
        rules = None if rules is None else Rules.of(rules)  # before the claims are read
        return self._fit_all(_opened(claims), known_truth, rules)

    def _check_seed(self) -> None:
        """Refuse a seed that is none: results can always be made again."""
        seed = getattr(self, "random_state", 0)
        if not isinstance(seed, Integral) or seed < 0:
            raise must_be("random_state", "a whole number, zero or more", seed)

    def _fit_all(
        self, claims: Claims | ClaimsInBlocks, known_truth: Any = None, rules: Rules | None = None
    ) -> Self:
        """Learn from claims, and set the results."""
        self._check_seed()
        self.claims_, self.tables_ = claims, {}
        self.history_, self.notes_ = [], list(claims.notes)
        given = _as_blocks(claims)
        known_truth = None if known_truth is None else GroundTruth.of(known_truth)
        self._given, self._known_truth = Given.of(known_truth, rules), known_truth
        self._check_estimates()
        with_truth = split_known_truth(given, known_truth)
        self.notes_ += with_truth.notes
        bound = None
        if rules is not None:
            alone = self.judges_statements
            bound = BoundRules.of(rules, given.attributes, given.forms, alone)
        judged = judge_blocks(self, with_truth.claims, self._fit(with_truth.claims))
        if bound is not None:
            names = [profile.name for profile in given.attributes]
            certain = None if known_truth is None else known_truth.certain(names)
            told = told_by(certain, bound, given.forms)
            judged, notes = apply_rules(judged, bound, told, self.random_state)
            self.notes_ += notes
        vars(self).pop("plausibility_", None)
        if judged.only is not None:
            self.plausibility_ = judged.only.plausibility
        least = least_accepted(judged, self.error_rate)
        self.truths_ = tables.truths(judged, self.error_rate, least, with_truth.silent)
        self.statements_ = tables.statements(judged)
        self.crossfit_ = tables.crossfit(self, with_truth.claims)
        self.tables_ = self._tables_by_form(with_truth.claims)
        labelled = None if known_truth is None else count_labelled(self, with_truth.claims)
        self._fitted = True
        self.notes_ += self._warnings(given, judged, least)
        self._leave_sources(given, judged, labelled)
        self.notes_ = ranked(self.notes_)
        return self

    def _leave_sources(
        self,
        claims: ClaimsInBlocks,
        judged: Blocks[Judged],
        labelled: LabelledClaims | None,
    ) -> None:
        """Let sources be looked at when somebody asks; now, if what that needs will be gone."""
        if labelled is not None and not len(labelled):
            labelled = None
        self.sources_by_attribute_ = None
        if labelled is not None:
            names = [profile.name for profile in claims.attributes]
            self.sources_by_attribute_ = sources_by_attribute(labelled, claims.sources, names)
        self._unseen = Unseen(claims, judged, labelled)
        for name in OF_SOURCES:
            vars(self).pop(name, None)
        if judged.only is None or self.has_forms:
            self._look_at_sources()

    def _look_at_sources(self) -> None:
        """Rate sources, name those that answer like spammers, and set all confusion matrices."""
        claims, judged, labelled = self._unseen
        counts = tables.count_by_source(judged, claims.n_sources)
        pairs = self._dependent_sources(claims)
        found = look_at_answers(claims, judged, counts["n_claims"], pairs)
        rates = self._source_rates(claims, judged)
        sources = self._with_forms(tables.sources(claims.sources, counts, rates), claims)
        sources = sources if labelled is None else with_labelled(sources, labelled)
        self.sources_ = with_patterns(sources, found.patterns)
        self.confusions_, self._unseen = found.confusions, None

    def partial_fit(
        self, claims: Any = None, y: None = None, *, refit: bool = True, known_truth: Any = None
    ) -> Self:
        """Learn from further claims, about old items and new ones; the first call is a `fit`.

        Results then cover all claims so far. Only the items that the new claims are about are
        judged again, and cost depends on them, not on what came before. As long as there are no
        more than 10,000 claims, and when there are twice as many as at the last whole fit, all is
        fitted anew.

        Parameters
        ----------
        claims
            `Claims`, a frame, or the path of a file. They are read as those before, and attributes
            are what they were taken to be.
        y
            Ignored.
        refit
            Whether all may be fitted anew.
        known_truth
            The truth of some further items, in addition to what is known. The model learns from it
            without a fit to all claims, and judges all of them again.
        """
        self.check_stream()
        if _are_in_blocks(claims):
            raise InvalidParameter(
                "partial_fit takes claims in memory. Read the batch without a memory limit, or "
                "use fit."
            )
        if not self._fitted:
            return self.fit(claims, known_truth=known_truth)
        stream = self._stream or self._new_stream()
        with stream.change():
            found = stream.learn(claims, known_truth, refit)
        self._stream = stream
        for name in ("claims_", "plausibility_"):  # made anew when somebody asks
            vars(self).pop(name, None)
        self._unseen = None
        self.truths_, self.statements_ = stream.truths(), stream.statements()
        self.sources_, self.sources_by_attribute_ = stream.source_tables()
        self.crossfit_, self.confusions_ = stream.crossfit(), None
        self.notes_ = found.notes
        return self

    def _new_stream(self) -> Stream:
        from veracity.streaming.stream import Stream

        return Stream.after_fit(self)

    def predict(self, claims: Any) -> Table:
        """Return the truths of new claims, judged by what was learned; the model stays as it is."""
        self._check_fitted("predict")
        return _accepted_truths(judge_blocks(self, _as_blocks(claims)), self.error_rate)

    def predict_plausibility(self, claims: Any) -> Table:
        """Return every statement of new claims with its plausibility."""
        self._check_fitted("predict_plausibility")
        return tables.statements(judge_blocks(self, _as_blocks(claims)))

    def predict_tables(self, claims: Any, *, known_truth: Any = None) -> tuple[Table, Table]:
        """Return the truths and the statements of new claims, judged once.

        `known_truth` of some of their items is shown as given.
        """
        self._check_fitted("predict_tables")
        judged = judge_blocks(self, split_known_truth(_as_blocks(claims), known_truth).claims)
        return _accepted_truths(judged, self.error_rate), tables.statements(judged)

    def fit_predict(
        self, claims: Any, y: None = None, *, known_truth: Any = None, rules: Any = None
    ) -> Table:
        """Fit to claims and return their truths."""
        return self.fit(claims, known_truth=known_truth, rules=rules).truths_

    def _check_uses(self, known_truth: Any) -> None:
        """Refuse known truth that the model would not use."""
        if known_truth is not None and not self.uses_known_truth:
            raise InvalidParameter(
                f"{type(self).__name__} does not use known truth. Leave known_truth out, or choose "
                "a probabilistic model, such as GRBM, DawidSkene or Accu."
            )

    def _check_takes(self, rules: Any, claims: Any) -> None:
        """Refuse rules that the model or the place of the claims would not allow."""
        if rules is None:
            return
        check_place_of_rules(is_on_spark(claims) or getattr(claims, "on_spark", False))
        if not self.uses_known_truth or self.needs_numbers:
            raise InvalidParameter(
                f"{type(self).__name__} does not give the probabilities of values, which rules "
                "need. Leave the rules out, or choose a probabilistic model, such as GRBM, "
                "DawidSkene or Accu."
            )

    def _check_estimates(self) -> None:
        """Refuse known truth with a trust below 1, if the model works out numbers."""
        if self.needs_numbers and self._given is not None:
            raise InvalidParameter(
                f"{type(self).__name__} works out numbers, so known truth cannot have a trust "
                "below 1. Leave the trust out, or choose another model."
            )

    def _judge_as_fitted(self, claims: Claims) -> Judgement:
        """Judge claims of the fit by what was learned, and by what the fit was given besides."""
        found = self._judge(claims)
        if self._given is None:
            return found
        at = GivenAt(self._given, claims, found.plausibility, self.judges_statements)
        return replace(found, plausibility=at.plausibility, score=None)

    def _note_unfinished(self, n_iter: int, reason: str) -> None:
        """Warn that the fit ended before it had converged, and keep that as a note."""
        self.notes_.append(note_unfinished(n_iter, reason))

    @property
    def plot(self) -> Plots:
        """Charts of what was found, such as ``model.plot.sources()``; see `Plots`."""
        from veracity.report.plots import Plots

        return Plots(self)

    # Keeping it

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Save the fitted model to a folder: JSON and safetensors, read again by `veracity.load`.

        What was learned is saved, the claims and results are not.
        """
        from veracity.models.persistence import save

        self._check_fitted("save")
        return save(self, folder, overwrite=overwrite)

    def _state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what was learned, as plain data and as arrays."""
        return {}, {}

    def _restore(
        self, state: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], module: Any
    ) -> None:
        """Take over what `_state` returned."""
        self._fitted = True

    # What scikit-learn expects

    @classmethod
    def _parameter_names(cls) -> list[str]:
        signature = inspect.signature(cls.__init__)
        return sorted(name for name in signature.parameters if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's arguments."""
        return {name: getattr(self, self._held_as(name)) for name in self._parameter_names()}

    @classmethod
    def _held_as(cls, parameter: str) -> str:
        """Return the attribute that holds a parameter; one named like a method is held apart."""
        return f"_{parameter}" if callable(getattr(cls, parameter, None)) else parameter

    def set_params(self, **params: Any) -> Self:
        """Set constructor arguments anew."""
        names = self._parameter_names()
        for name, value in params.items():
            if name not in names:
                raise InvalidParameter(
                    f"{type(self).__name__} has no parameter {name!r}.{suggestion(name, names)} "
                    f"It has {listing(names)}."
                )
            setattr(self, self._held_as(name), value)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return self._fitted

    def __sklearn_tags__(self) -> Any:
        # Only scikit-learn calls this, so that it is there to be imported.
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False))

    def _check_fitted(self, asked: str) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFitted(
                f"{type(self).__name__}.{asked} needs a fitted model. Call fit(claims) first."
            )

    def __getattr__(self, name: str) -> Any:
        if name in ("claims_", "plausibility_") and vars(self).get("_stream") is not None:
            made = self._stream.claims() if name == "claims_" else self._stream.plausibility()
            setattr(self, name, made)
            return made
        if name in OF_SOURCES and vars(self).get("_unseen") is not None:
            self._look_at_sources()
            return vars(self)[name]
        if name in RESULTS and vars(self).get("_saved") is not None:
            setattr(self, name, found := self._saved(name.removesuffix("_")))
            return found
        if name.endswith("_") and not name.startswith("_") and self._declares(name):
            raise NotFitted(f"{type(self).__name__}.{name} exists only after fit(claims).")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @classmethod
    def _declares(cls, name: str) -> bool:
        """Whether the class or one of its bases speaks of an attribute or a property."""
        kinds = cls.mro()
        return any(name in inspect.get_annotations(kind) or name in vars(kind) for kind in kinds)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({shown})"


def check_place_of_rules(on_spark: bool) -> None:
    """Refuse rules for claims on a cluster."""
    if on_spark:
        raise InvalidParameter(
            "Rules need the items of an entity in one place, so they do not work on Spark. Leave "
            "them out, or read the claims on this machine, with a memory limit if they are many."
        )


def _are_in_blocks(claims: Any) -> bool:
    """Whether claims are in blocks, or would be if they were read."""
    return isinstance(claims, ClaimsInBlocks) or is_on_spark(claims)


def _opened(claims: Any) -> Claims | ClaimsInBlocks:
    """Return claims in blocks as they are, those of a Spark DataFrame in blocks, others whole."""
    if isinstance(claims, ClaimsInBlocks):
        return claims
    return Claims.from_spark(claims) if is_on_spark(claims) else Claims.of(claims)


def _as_blocks(claims: Any) -> ClaimsInBlocks:
    """Return claims in blocks; those in memory are one."""
    opened = _opened(claims)
    return in_one_block(opened) if isinstance(opened, Claims) else opened


def _accepted_truths(judged: Blocks[Judged], error_rate: float) -> Table:
    return tables.truths(judged, error_rate, least_accepted(judged, error_rate))


def fit_only(model: TruthModel, claims: ClaimsInBlocks) -> Judgement | None:
    """Fit a model without making tables and warnings; return the result of `_fit`."""
    model.history_, model.notes_ = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model._fit(claims)


def judge_only(model: TruthModel, claims: Claims) -> Judgement:
    """Fit a model to claims and return its judgement, without tables and warnings."""
    return fit_only(model, in_one_block(claims)) or model._judge(claims)
