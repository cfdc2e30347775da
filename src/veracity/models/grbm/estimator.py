"""GRBM: the default model, for attributes of every form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Floats
from veracity.data.block_parts import OwnPart, about_attributes
from veracity.data.blocks import ClaimBlock
from veracity.data.claims import Claims
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.notes import Note
from veracity.data.output.results import SourceRates
from veracity.data.output.tables import Table
from veracity.data.rules.table import Rules
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.errors import InvalidParameter, listing
from veracity.models.base import Judgement
from veracity.models.baselines.majority_vote import MajorityVote
from veracity.models.decisions import note_decisions
from veracity.models.dependence import Dependence, dependence_table
from veracity.models.explanation import Explainer
from veracity.models.forms.base import FormModel
from veracity.models.forms.changing.suggestion import suggest_changing
from veracity.models.forms.division import (
    VALUE,
    Division,
    Layout,
    PartOfClaims,
    as_fitted,
    put_together,
)
from veracity.models.forms.explainer import ExplainerOfForms
from veracity.models.forms.registry import FORMS, make_form
from veracity.models.forms.source_rates import count_by_form, rates_of_forms, spread_rates
from veracity.models.grbm.contests import ContestModel
from veracity.models.grbm.held_out import HeldOut
from veracity.models.grbm.paper_setting import paper
from veracity.models.memory import Memory, PlainMemory
from veracity.models.tables import Judged, judge_blocks

#: What the arrays of a form are called in a saved model, before the name of the form.
_SAVED = "form."


class GRBM(ContestModel):
    """The default model: the generalised restricted Boltzmann machine, made robust.

    The hidden unit is the truth, the visible units are what sources say, and their parameters come
    from a function of what is known about each claim (Broelemann and Kasneci, 2018). The strength
    of a claim, u >= 0, follows from

        eta = m + w_source + g(features)

    so a source with many claims has a reliability of its own, and one with few or none what its
    features say. What u means depends on the kind of attribute:

    - one true value of a closed domain, or yes and no: P(says k | k) = e^u / (e^u + D - 1), any
      other value equally likely; given enough items or claims, habits and a confusion matrix of
      each source, drawn to those of all;
    - one true value of an open domain: the same without a domain size; wrong values attract
      further wrong claims;
    - several true values: the paper's machine, statement by statement.

    Each item with one true value has a hardness, which is integrated out.

    Everything is drawn to a cautious start by Gaussian priors that stay, and nobody is worse than
    chance unless you allow it: unsupervised likelihood would otherwise find mirror images, or
    explain something else than truth. The likelihood is exact. `GRBM.paper` gives the machine of
    the paper itself.

    Plausibilities are tempered, since claims about an item err together.

    Attributes whose truth is no contest of values, such as numbers, are judged by models of their
    own form (`veracity.models.forms`): the claims about the attributes of each form are taken out
    of all claims, what is left is judged as if there were nothing else, and the results are put
    side by side again.

    Parameters
    ----------
    reliability
        g: ``"linear"``, ``"mlp"`` (a feed-forward network), or a ``torch.nn.Module`` of your own
        from features to one number.
    features
        ``"auto"`` uses a group of features if it improves the prediction of held-out claims by
        more than five standard errors, and does not overturn the answer; ``"always"``,
        ``"never"``; or a list of names, used as they are.
    bins
        Numbers with more distinct values than this are binned; None for no bins.
    hidden_sizes, activation
        Of ``"mlp"``: tanh, relu, gelu or sigmoid.
    allow_adversaries
        Let sources be worse than chance.
    speaking
        Whether sources that say one value or nothing, as labelling rules do, are judged by whether
        they speak. ``"auto"`` does so where they make most of the claims, unless features are asked
        for.
    family
        The name of a feature column that says which sources belong together, such as language
        models of one maker. Members of a family that speak about the same item count for less
        than strangers.
    confidence
        The name of a feature column in which sources state how sure they are of a claim. It is
        judged on the scale of each source, which has a slope of its own, and is used if it passes
        the trial of features. ``"auto"`` takes ``claim_confidence``, ``claim_probability`` and
        ``claim_margin`` for such columns; ``"never"`` takes none.
    domain
        The name of a feature column of domains, such as topics: each source then has a reliability
        in each domain, drawn to its own. ``"attribute"`` is the attribute of claims.
    smooth
        A feature column, a pair of coordinates, or a list of such pairs: reliability is a smooth
        function of it, common to all sources, from which each may deviate. ``"time"`` is the time
        of claims.
    class_prior
        What you know of how often each class of a closed attribute is true: ``"claims"`` (as often
        as it is claimed), ``"uniform"``, or a mapping from classes to probabilities. None learns
        it, cautiously.
    max_iter, tol
        Largest number of iterations, and relative improvement below which the fit stops. The first
        ones follow the gradient from a cautious start, which chooses among several optima.
    error_rate
        The share of errors among accepted verdicts that `decision` in the truths aims at.
    threads
        How many to use; None for all cores.
    random_state
        Seed of the network's start, of what is held out, and of ties.

    Attributes
    ----------
    forms_
        How each attribute is judged.
    feature_trials_
        The groups of features that were tried: how much better held-out claims are predicted with
        each, and how many answers it changes.
    feature_choices_
        What was considered as a feature, and why it was left out if it was.
    reliability_by_domain_
        How reliable each source is in each domain that it speaks about; None without domains.
    dependence_
        Pairs of sources that agree more than their agreement with others explains.
    n_iter_, converged_
        Iterations done, and whether the fit came to its end.
    form_models_
        The fitted models of attributes that are no contests of values, by form.

    Examples
    --------
    >>> from veracity import GRBM, datasets
    >>> model = GRBM().fit(datasets.example.path())
    >>> model.truths_.column_names[:4]
    ['entity', 'attribute', 'value', 'plausibility']
    """

    paper = staticmethod(paper)

    form_models_: dict[str, FormModel]
    #: The attributes of other forms than contests of values, as the fit took them, by name.
    _form_profiles: Mapping[str, AttributeProfile] = {}
    #: Whether there are contests of values.
    _has_contests: bool = True
    #: While a fit is being reported: what each model of a form says about sources.
    _sources_by_form: Mapping[str, pa.Table] = {}

    # Fitting

    def _fit_all(
        self, claims: Claims | ClaimsInBlocks, known_truth: Any = None, rules: Rules | None = None
    ) -> Self:
        try:
            return super()._fit_all(claims, known_truth, rules)
        finally:
            self._contests, self._form_claims = None, {}  # as large as the claims
            self._sources_by_form = {}

    def _fit(self, claims: ClaimsInBlocks) -> Judgement | None:
        self._form_profiles = {one.name: one for one in claims.attributes if one.form in FORMS}
        self.form_models_, self._contests, self._form_claims = {}, None, {}
        division = Division.of(claims.attributes, self._form_profiles)
        self._has_contests = bool(division.plain)
        self.notes_ += suggest_changing(claims)
        if division.is_plain:
            return super()._fit(claims)
        of_sources = {}
        for form in division.forms:
            own = PartOfClaims.of(claims, division.names[form]).claims
            self._form_claims[form] = own
            model = self.form_models_[form] = make_form(form, self.random_state)
            model.fit(own)
            of_sources[form] = model.reliability(own)
            self.notes_ += model.notes
        self._sources_by_form = of_sources
        if self._has_contests:
            self._contests = PartOfClaims.of(claims, division.plain)
            super()._fit(self._contests.claims)
        else:
            self._begin_without_contests()
        return None

    def _begin_without_contests(self) -> None:
        """Set what the fit sets where there are no contests of values to learn from."""
        self._labels = None
        self._dependence = Dependence.none()
        self.dependence_ = dependence_table([])
        self.feature_trials_, self.feature_choices_ = [], []
        self.reliability_by_domain_ = None
        self.n_iter_, self.converged_ = 0, True

    # Judging

    def _divided(self, claims: Claims) -> tuple[Claims, Division]:
        """Divide claims, seen or new, by the forms that attributes had in the fit."""
        profiles = as_fitted(claims.attributes, self._form_profiles)
        if profiles != claims.attributes:
            claims = claims.with_profiles(profiles)
        return claims, Division.of(profiles, self._form_profiles)

    def _judge(self, claims: Claims) -> Judgement:
        claims, division = self._divided(claims)
        if division.is_plain and self._has_contests:
            return super()._judge(claims)
        block = ClaimBlock(claims, np.arange(claims.matrix.n_sources))
        return self._judge_parts(block, division, super()._judge_block)

    def _judge_block(self, block: ClaimBlock) -> Judgement:
        claims, division = self._divided(block.claims)
        if division.is_plain and self._has_contests:
            return super()._judge_block(block)
        return self._judge_parts(replace(block, claims=claims), division, super()._judge_block)

    def _judge_unaware(self, block: ClaimBlock) -> Floats:
        claims, division = self._divided(block.claims)
        unaware = super()._judge_unaware
        if division.is_plain and self._has_contests:
            return unaware(block)
        bare = replace(block, claims=claims, known=None, assessed=None)
        found = self._judge_parts(bare, division, lambda own: Judgement(unaware(own)))
        return found.plausibility

    def _judge_crossfitted(self, block: ClaimBlock) -> Judgement | None:
        claims, division = self._divided(block.claims)
        crossfitted, plainly = super()._judge_crossfitted, super()._judge_block
        if division.is_plain and self._has_contests:
            return crossfitted(block)
        bare = replace(block, claims=claims, known=None, assessed=None)
        return self._judge_parts(bare, division, lambda own: crossfitted(own) or plainly(own))

    def _judge_parts(
        self, block: ClaimBlock, division: Division, judge: Callable[[ClaimBlock], Judgement]
    ) -> Judgement:
        """Judge the parts of a block, its contests of values by a function.

        If the fit had no contests of values, new ones are decided by vote.
        """
        found = []
        for form, names in division.names.items():
            own = about_attributes(block, names)
            if own is None:
                continue
            if form != VALUE:
                judged = self.form_models_[form].judge(own)
            elif self._has_contests:
                judged = judge(own)
            else:
                judged = MajorityVote()._judge(own.claims)
            found.append((OwnPart.of(block.matrix, names), judged))
        return put_together(block.matrix, found, self._layout)

    @property
    def _layout(self) -> Layout:
        """What all judgements have."""
        models = self.form_models_.values()
        return Layout(
            self._has_contests,
            any(model.estimates for model in models),
            {name: kind for model in models for name, kind in model.columns.items()},
        )

    @property
    def further_columns(self) -> dict[str, pa.DataType]:
        """Names and types of the columns that the truths have because of these forms."""
        if not self.has_forms:
            return {}
        layout = self._layout
        numbers = ("standard_error", "low", "high") if layout.estimates else ()
        return {name: pa.float64() for name in numbers} | dict(layout.columns)

    # What is said about sources

    def _dependent_sources(self, claims: ClaimsInBlocks) -> Dependence:
        found, part = super()._dependent_sources(claims), self._contests
        if part is None:  # all are contests of values, or none is
            return found
        return replace(found, first=part.sources[found.first], second=part.sources[found.second])

    def _source_rates(self, claims: ClaimsInBlocks, judged: Blocks[Judged]) -> SourceRates:
        if not self._form_profiles:
            return super()._source_rates(claims, judged)
        of_contests, part = None, self._contests
        if part is not None:
            own = super()._source_rates(part.claims, judge_blocks(self, part.claims))
            of_contests = spread_rates(own, part, claims.n_sources)
        forms = {name: profile.form for name, profile in self._form_profiles.items()}
        counts = claims.blocks.total(count_by_form, forms, claims.n_sources)
        n_claims = {form: counted.everywhere() for form, counted in counts.items()}
        return rates_of_forms(claims.sources, of_contests, self._said_of_sources(claims), n_claims)

    @property
    def has_forms(self) -> bool:
        """Whether some attributes are no contests of values."""
        return bool(self._form_profiles)

    def _parts(self, claims: ClaimsInBlocks) -> Iterator[tuple[FormModel, ClaimsInBlocks]]:
        """Return the model of each form with the claims about its attributes.

        While a fit is being reported, these are the claims that were taken out for it.
        """
        for form, model in self.form_models_.items():
            if form not in self._form_claims:
                own = [name for name, one in self._form_profiles.items() if one.form == form]
                yield model, PartOfClaims.of(claims, own).claims
            else:
                yield model, self._form_claims[form]

    def _tables_by_form(self, claims: ClaimsInBlocks) -> dict[str, Table]:
        found: dict[str, Table] = {}
        for model, own in self._parts(claims):
            found |= model.tables(own)
        return found

    def _with_forms(self, sources: Table, claims: ClaimsInBlocks) -> Table:
        table = sources.to_arrow()
        for by in self._said_of_sources(claims).values():
            names = by["source"].combine_chunks()
            place = pc.index_in(table["source"].combine_chunks(), value_set=names)
            for name in by.column_names:
                if name not in ("source", "reliability"):
                    table = table.append_column(name, by[name].combine_chunks().take(place))
        return Table("sources", table)

    def _said_of_sources(self, claims: ClaimsInBlocks) -> Mapping[str, pa.Table]:
        """Return what the model of each form says about sources; kept while a fit is reported."""
        if self._sources_by_form:
            return self._sources_by_form
        return {model.form: model.reliability(own) for model, own in self._parts(claims)}

    def _warnings(self, claims: ClaimsInBlocks, judged: Blocks[Judged], least: float) -> list[Note]:
        if not self._form_profiles:
            return super()._warnings(claims, judged, least)
        notes = [note_decisions(judged, self.error_rate, least)]
        if self._contests is not None:
            own = self._contests.claims
            notes += self._guards(own, judge_blocks(self, own))
        return notes

    # What a user calls

    @property
    def forms_(self) -> dict[str, str]:
        """How each attribute is judged."""
        self._check_fitted("forms_")
        own = super().forms_ if self._has_contests else {}
        return own | {name: profile.form for name, profile in self._form_profiles.items()}

    def explainer(self, claims: Any) -> Explainer:
        """Return an object that explains one item of claims after the other, quickly."""
        self._check_fitted("explainer")
        claims, division = self._divided(Claims.of(claims))
        if division.is_plain:
            return super().explainer(claims)
        parts = []
        for form, names in division.names.items():
            own = claims.about_attributes(names)
            if form != VALUE:
                explainer = self.form_models_[form].explainer(own)
            else:
                explainer = super().explainer(own)
            parts.append((OwnPart.of(claims.matrix, names), explainer))
        return ExplainerOfForms(claims, parts)

    def parameters(self, claims: Any) -> Table:
        """Return eta, reliability, tpr and fpr of each claim, in input order.

        Only of claims about contests of values.
        """
        return super().parameters(self._contested(claims, "parameters"))

    def score(self, claims: Any, y: None = None) -> float:
        """Return the exact mean log-likelihood per claim about contests of values."""
        return super().score(self._contested(claims, "score"))

    def held_out(self, claims: Any) -> HeldOut:
        """Return log-probabilities of held-out claims about contests of values."""
        return super().held_out(self._contested(claims, "held_out"))

    def _contested(self, claims: Any, asked: str) -> Claims:
        """Return the claims about contests of values, which there must be."""
        self._check_fitted(asked)
        divided, division = self._divided(Claims.of(claims))
        if division.is_plain:
            return divided
        if not division.plain or not self._has_contests:
            forms = listing(sorted(self.forms_.values()))
            raise InvalidParameter(
                f"{asked} is about contests of values, but there are none here: all attributes "
                f"are judged as {forms}."
            )
        return divided.about_attributes(division.plain)

    # Streams

    def _new_memory(self) -> Memory[Any]:
        # Other forms learn in whole fits; in between, claims are judged by what was learned.
        return PlainMemory() if self._form_profiles else super()._new_memory()

    def _learn_labels(self, claims: ClaimsInBlocks) -> Any:
        names = [one.name for one in claims.attributes if one.name not in self._form_profiles]
        if len(names) == len(claims.attributes):
            return super()._learn_labels(claims)
        whole = claims.blocks.only
        if not self._has_contests or whole is None or about_attributes(whole, names) is None:
            return None
        return super()._learn_labels(PartOfClaims.of(claims, names).claims)

    # Keeping it

    def _state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        state, arrays = super()._state() if self._has_contests else ({}, {})
        forms: dict[str, Any] = {}
        for form, model in self.form_models_.items():
            forms[form], own = model.state()
            arrays = arrays | {f"{_SAVED}{form}.{name}": array for name, array in own.items()}
        profiles = [profile.as_dict() for profile in self._form_profiles.values()]
        own_state = {"forms": forms, "form_profiles": profiles, "has_contests": self._has_contests}
        return state | own_state, arrays

    def _restore(
        self, state: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], module: Any
    ) -> None:
        self._has_contests = state.get("has_contests", True)
        if self._has_contests:
            super()._restore(state, arrays, module)
        else:
            self._begin_without_contests()
            self._fitted = True
        profiles = [AttributeProfile.of_dict(one) for one in state.get("form_profiles", [])]
        self._form_profiles = {profile.name: profile for profile in profiles}
        self.form_models_ = {}
        for form, own in state.get("forms", {}).items():
            start = f"{_SAVED}{form}."
            held = {
                name.removeprefix(start): array
                for name, array in arrays.items()
                if name.startswith(start)
            }
            model = self.form_models_[form] = make_form(form, self.random_state)
            model.restore(own, held)
