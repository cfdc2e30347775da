"""Subject: a finished run as the report and the explorer see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from veracity.data.claims import Claims
from veracity.data.output.tables import Table
from veracity.data.truth.ground_truth import GroundTruth
from veracity.models.base import TruthModel

if TYPE_CHECKING:
    from veracity.report.findings import Audited


@dataclass(frozen=True)
class Subject:
    """The subject of a report: input and results of a run, new or opened again.

    Attributes
    ----------
    description
        As in ``run.json``: inputs, settings, counts, notes, seconds, evaluation.
    claims, model
        The claims in use and the fitted model.
    truths, statements, sources
        The result tables.
    truth
        What the verdicts were measured against, if anything.
    sources_by_attribute
        How often sources are right about known truth, if there is any.
    confusions
        What each source claims for each believed value of closed attributes, if there are any.
    clashes
        Sources in another format than the others, if there are any.
    audited
        What audits of the verdicts show, if there are any.
    timelines
        When each value of an item was true, if the truth of any attribute changes.
    """

    description: dict[str, Any]
    claims: Claims
    model: TruthModel
    truths: Table
    statements: Table
    sources: Table
    truth: GroundTruth | None = None
    sources_by_attribute: Table | None = None
    confusions: Table | None = None
    clashes: Table | None = None
    audited: Audited | None = None
    timelines: Table | None = None

    @property
    def model_name(self) -> str:
        """The name of the model's class."""
        return type(self.model).__name__
