"""FormModel: what judges the attributes of one form within a model.

Most attributes are contests of values. The truth of others is a number, a place on an ordered
scale, a value that changes with time, or a place in a hierarchy. Each such form is a `FormModel`;
`veracity.models.grbm.estimator.GRBM` gives it the claims about its attributes, and puts what it
finds beside what it finds about all others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy.typing as npt
import pyarrow as pa

from veracity.data.blocks import ClaimBlock
from veracity.data.claims import Claims
from veracity.data.notes import Note
from veracity.data.output.tables import Table
from veracity.engines.base import ClaimsInBlocks
from veracity.models.base import Judgement
from veracity.models.explanation import Explainer


class FormModel(ABC):
    """Judges the attributes of one form.

    The claims that it gets are about its attributes alone. It learns by `Blocks.total`, so that
    claims in memory, on disk and on a cluster are one to it, and it judges a block by what it
    learned and the claims of that block, whether these were seen before or not.

    Attributes
    ----------
    form
        The name of the form, as `AttributeProfile.form` has it.
    estimates
        Whether the truth is a number, so that judgements have estimates.
    columns
        Names and types of the further columns of the truths that every judgement has.
    notes
        What a user should know about the fit.
    """

    form: ClassVar[str]
    estimates: ClassVar[bool] = False
    columns: ClassVar[Mapping[str, pa.DataType]] = {}
    notes: list[Note]

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state
        self.notes = []

    @abstractmethod
    def fit(self, claims: ClaimsInBlocks) -> None:
        """Learn from blocks of claims; what is known of the items of a block is in `known`."""

    @abstractmethod
    def judge(self, block: ClaimBlock) -> Judgement:
        """Judge a block of claims, seen or new, by what was learned."""

    @abstractmethod
    def reliability(self, claims: ClaimsInBlocks) -> pa.Table:
        """Return a row for each source that was learned from: source, reliability, further columns.

        Reliability is the probability that a claim of the source is right, as `sources_` has it.
        The further columns, such as the bias of a source, are added to `sources_`.
        """

    def tables(self, claims: ClaimsInBlocks) -> Mapping[str, Table]:
        """Return further results, such as timelines, by name; written beside the others."""
        return {}

    @abstractmethod
    def explainer(self, claims: Claims) -> Explainer:
        """Return what explains one item of claims after the other."""

    @abstractmethod
    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what was learned, as plain data and as arrays."""

    @abstractmethod
    def restore(self, state: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` returned."""
