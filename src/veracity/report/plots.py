"""Plots: the charts of a fitted model, one call each, for notebooks and scripts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from veracity.data.claims import Claims
from veracity.data.truth.ground_truth import GroundTruth
from veracity.engines.truth_check import check_truth
from veracity.errors import InputError, InvalidParameter, NotFitted, listing, suggestion
from veracity.evaluation.metrics import assess
from veracity.models.base import TruthModel
from veracity.models.explanation import StatementEvidence
from veracity.report.chart import Chart
from veracity.report.charts import agreement, by_attribute, sources, training, truth, verdicts
from veracity.report.charts.evidence import waterfall
from veracity.report.charts.function import rates_over
from veracity.report.charts.grids import Grid
from veracity.report.charts.partial import Learned
from veracity.report.charts.surface import surface
from veracity.report.subject import Subject

SHOWN = (
    "sources()",
    "item(entity, attribute)",
    "reliability(feature, other)",
    "calibration(truth)",
    "training()",
    "agreement()",
    "by_attribute()",
    "plausibility()",
)


class Plots:
    """The charts of a fitted model: each call returns a `Chart`.

    A notebook shows a chart; its ``save`` writes it as ``.png``, ``.svg`` or ``.json``.

    Parameters
    ----------
    model
        A fitted model.

    Examples
    --------
    >>> from veracity import GRBM, datasets
    >>> model = GRBM().fit(datasets.example.path())
    >>> model.plot
    Charts of GRBM: sources(), item(entity, attribute), reliability(feature, other), ...
    >>> model.plot.training()
    Chart('training', 'The fit converged after ... iterations')
    """

    def __init__(self, model: TruthModel) -> None:
        self._model = model

    def sources(self) -> Chart:
        """Show the reliability of the largest sources, with 90 % intervals where they are known."""
        return self._made("sources", sources.reliability, "no source has a reliability")

    def item(self, entity: str, attribute: str | None = None, value: str | None = None) -> Chart:
        """Show the evidence for a value of an item: the log-odds, claim by claim.

        Parameters
        ----------
        entity, attribute
            The item; the attribute may be left out where the entity has only one.
        value
            The value; by default the most plausible one.
        """
        subject = self._subject("item")
        explain: Any = getattr(self._model, "explain_fitted", None)
        if explain is None:
            raise InvalidParameter(
                f"{self._name} cannot explain its verdicts claim by claim. GRBM, BinaryGRBM and "
                "RBM can."
            )
        found = explain(entity, attribute, subject.claims)
        return waterfall(_evidence(found.statements, value), found.entity, found.attribute)

    def reliability(self, feature: str, other: str | None = None) -> Chart:
        """Show the learned reliability function over one feature, or over two.

        Over one, tpr and fpr with the claims below; over two, the chance to be right as a heat
        map. Other features are as they are, on average over claims (partial dependence).

        Parameters
        ----------
        feature, other
            Features in use: columns of the claims, or statistics such as ``"sources of item"``.
        """
        subject = self._subject("reliability")
        learned = Learned.of(self._model, subject.claims)
        if learned is None:
            raise InvalidParameter(self._no_features())
        grid = _named(learned, feature)
        if other is None:
            return rates_over("reliability", grid, learned.curves(grid), learned.counts(grid))
        if other == feature:
            raise InvalidParameter(f"Name two different features. Got {feature!r} twice.")
        return surface("reliability", learned, grid, _named(learned, other))

    def calibration(self, truth_table: Any) -> Chart:
        """Show whether plausibilities mean what they say.

        Parameters
        ----------
        truth_table
            Known truth: `GroundTruth`, a frame or the path of a file.
        """
        subject = self._subject("calibration")
        known = GroundTruth.of(truth_table)
        check_truth(known, subject.claims)
        return truth.calibration(assess(subject.truths, known, subject.claims)[1])

    def training(self) -> Chart:
        """Show how the fit went, iteration by iteration."""
        return self._made("training", training.training, "its fit does not iterate")

    def agreement(self) -> Chart:
        """Show how the largest sources agree with each other."""
        return self._made("agreement", agreement.agreement, "no two sources share an item")

    def by_attribute(self) -> Chart:
        """Show how far sources agree with the others, attribute by attribute."""
        why_not = "it needs two attributes, and sources that share items"
        return self._made("by_attribute", by_attribute.by_attribute, why_not)

    def plausibility(self) -> Chart:
        """Show how plausible the believed values are, and what is decided about them."""
        return verdicts.plausibility(self._subject("plausibility"))

    @property
    def _name(self) -> str:
        return type(self._model).__name__

    def _subject(self, asked: str) -> Subject:
        model = self._model
        if not model.__sklearn_is_fitted__():
            raise NotFitted(f"{self._name}.plot.{asked} needs a fitted model. Call fit first.")
        if getattr(model, "truths_", None) is None:
            raise NotFitted(
                f"This {self._name} was loaded, and its claims and results are not saved with it. "
                "Fit it to claims to plot what it finds."
            )
        tables = (model.truths_, model.statements_, model.sources_)
        clashes = model.claims_.clashes() if isinstance(model.claims_, Claims) else None
        more = (model.sources_by_attribute_, model.confusions_, clashes)
        return Subject({}, model.claims_, model, *tables, None, *more)

    def _made(self, asked: str, make: Callable[[Subject], Chart | None], why_not: str) -> Chart:
        chart = make(self._subject(asked))
        if chart is None:
            raise InvalidParameter(f"{self._name}.plot.{asked} has nothing to show: {why_not}.")
        return chart

    def _no_features(self) -> str:
        notes = [note.text for note in self._model.notes_ if note.subject == "features"]
        why = f" {notes[-1]}" if notes else ""
        return (
            f"This {self._name} uses no features, so there is no function of them to show.{why} "
            "GRBM(features='always') uses them in any case."
        )

    def __repr__(self) -> str:
        return f"Charts of {self._name}: {listing(SHOWN)}"


def _named(learned: Learned, name: str) -> Grid:
    if name not in learned.grids:
        raise InvalidParameter(
            f"There is no feature {name!r} in use.{suggestion(name, learned.grids)} "
            f"In use are: {listing(learned.grids, 30)}."
        )
    return learned.grids[name]


def _evidence(statements: tuple[StatementEvidence, ...], value: str | None) -> StatementEvidence:
    if value is None:
        return max(statements, key=lambda one: one.plausibility)
    values = [one.value for one in statements]
    if value not in values:
        raise InputError(
            f"Nobody claims {value!r}.{suggestion(value, values)} Claimed are: {listing(values)}."
        )
    return statements[values.index(value)]
