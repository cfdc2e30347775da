"""Memory: what a model keeps of the claims that it does not look at again.

A memory is made of sums over claims. An update takes the items that new claims are about, takes
what they added to the sums before out of them, and puts in what they add now. What that was before
is not worked out again but was recorded, claim by claim or statement by statement, so that nothing
is left behind in the sums.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.blocks import ClaimBlock
from veracity.data.notes import Note
from veracity.data.output.results import Estimates, SourceRates, Verdict, decide
from veracity.models.source_rates import rate_sums, rates_of_sums
from veracity.models.tables import as_known

if TYPE_CHECKING:
    from veracity.models.base import Judgement, TruthModel

Arrays = dict[str, npt.NDArray[Any]]
#: Numbers of each claim of a block, by name.
Recorded = dict[str, Floats]
Model = TypeVar("Model", bound="TruthModel")


@dataclass(frozen=True, eq=False)
class Portion:
    """Whole items, with their latest judgement.

    Attributes
    ----------
    block
        Their claims, and the places of their sources.
    plausibility
        Of each statement.
    recorded
        What the memory asked to be recorded of each claim.
    """

    block: ClaimBlock
    plausibility: Floats
    recorded: Recorded


@dataclass(frozen=True, eq=False)
class Verdicts:
    """The verdicts of a model on a block."""

    block: ClaimBlock
    plausibility: Floats
    verdict: Verdict
    hardness: Floats | None = None
    estimates: Estimates | None = None
    columns: Mapping[str, pa.Array] = field(default_factory=dict)

    @classmethod
    def of(cls, model: TruthModel, block: ClaimBlock, found: Judgement) -> Verdicts:
        """Decide by what a model found, and by what is known."""
        score = None if found.score is None else as_known(found.score, block.known, -np.inf, np.inf)
        plausibility = as_known(found.plausibility, block.known)
        verdict = decide(block.matrix, plausibility, model.random_state, score, found.estimates)
        return cls(block, plausibility, verdict, found.hardness, found.estimates, found.columns)

    @property
    def agrees(self) -> Floats:
        """1 for each claim that agrees with what is believed, else 0; (n_claims,)."""
        matrix = self.block.matrix
        believed = np.zeros(matrix.n_statements, np.bool_)
        believed[self.verdict.statement] = self.verdict.holds
        agrees = believed[matrix.statement_index] == (matrix.claim_value == 1)
        return np.asarray(agrees, np.float64)


class Memory(ABC, Generic[Model]):
    """Summary of past claims that a model keeps; see the module.

    Attributes
    ----------
    n_claims, agreeing
        How many claims each source makes, and how many of them agree with what is believed.
    """

    #: What is recorded of each claim, beside whether it agrees with what is believed.
    recorded: ClassVar[tuple[str, ...]] = ()

    n_claims: Indices
    agreeing: Floats

    # What a model has to say

    @abstractmethod
    def _begin(self, model: Model, now: Verdicts) -> Recorded:
        """Sum up all claims after a whole fit; return what is to be recorded."""

    @abstractmethod
    def _learn(self, model: Model, before: Portion | None, after: ClaimBlock) -> None:
        """Let the model learn from items that changed; `n_claims` is that of after."""

    @abstractmethod
    def _replace(self, model: Model, before: Portion | None, now: Verdicts) -> Recorded:
        """Put what items add now in place of what they added; return what is to be recorded."""

    @abstractmethod
    def rates(self) -> SourceRates:
        """Return how reliable every source is."""

    def notes(self, model: Model) -> list[Note]:
        """Say what an update leaves as it was, if anything."""
        return []

    def _grow(self, model: Model, sources: pa.StringArray) -> None:
        """Make room for sources that were added at the end."""

    # What a stream calls

    def begin(self, model: Model, block: ClaimBlock, found: Judgement) -> tuple[Verdicts, Recorded]:
        """Sum up all claims after a whole fit."""
        now = Verdicts.of(model, block, found)
        matrix = block.matrix
        self.n_claims = np.bincount(matrix.source_index, minlength=matrix.n_sources)
        self.agreeing = matrix.sum_by_source(now.agrees)
        return now, {"agrees": now.agrees} | self._begin(model, now)

    def update(
        self,
        model: Model,
        sources: pa.StringArray,
        before: Portion | None,
        after: ClaimBlock,
        learn_labels: Callable[[], None] = lambda: None,
    ) -> tuple[Verdicts, Recorded]:
        """Let a model learn from items that changed, and judge them again.

        Parameters
        ----------
        model
            What learns.
        sources
            All sources; new ones are at the end.
        before, after
            The same items without and with the new claims; None if all are new.
        learn_labels
            Called when the model has learned from the claims, to learn from labels anew.
        """
        more = len(sources) - len(self.n_claims)
        self.n_claims = np.append(self.n_claims, np.zeros(more, np.int64))
        self.agreeing = np.append(self.agreeing, np.zeros(more))
        self._grow(model, sources)
        n_before = self._by_source(before, "count")
        self.n_claims = self.n_claims + _count(after, len(sources)) - n_before.astype(np.int64)
        self._learn(model, before, after)
        learn_labels()
        now = Verdicts.of(model, after, model._judge(after.claims))
        recorded = {"agrees": now.agrees} | self._replace(model, before, now)
        agreeing = sum_by(after.place[after.matrix.source_index], now.agrees, len(sources))
        self.agreeing = self.agreeing - self._by_source(before, "agrees") + agreeing
        return now, recorded

    def _by_source(self, portion: Portion | None, name: str) -> Floats:
        """Add up what was recorded for all sources; the number of claims for ``count``."""
        n_sources = len(self.n_claims)
        if portion is None:
            return np.zeros(n_sources)
        source = portion.block.place[portion.block.matrix.source_index]
        numbers = np.ones(len(source)) if name == "count" else portion.recorded[name]
        return sum_by(source, numbers, n_sources)

    # Keeping it

    def state(self) -> Arrays:
        """Return everything as arrays."""
        return {"n_claims": self.n_claims, "agreeing": self.agreeing}

    def restore(self, arrays: Arrays) -> None:
        """Take over what `state` returned."""
        self.n_claims, self.agreeing = arrays["n_claims"], arrays["agreeing"]


def _count(block: ClaimBlock, n_sources: int) -> Indices:
    return np.bincount(block.place[block.matrix.source_index], minlength=n_sources)


class PlainMemory(Memory["TruthModel"]):
    """Counts of right and wrong claims per source, for a model without parameters."""

    NAMES = ("true_yes", "false_yes", "spoken_true", "spoken_false", "right", "n_claims")

    sums: dict[str, Floats]

    def _begin(self, model: TruthModel, now: Verdicts) -> Recorded:
        self.sums = rate_sums(now.block.matrix, now.plausibility)
        return {}

    def _grow(self, model: TruthModel, sources: pa.StringArray) -> None:
        more = np.zeros(len(sources) - len(self.sums["right"]))
        self.sums = {name: np.append(numbers, more) for name, numbers in self.sums.items()}

    def _learn(self, model: TruthModel, before: Portion | None, after: ClaimBlock) -> None:
        """There is nothing to learn."""

    def _replace(self, model: TruthModel, before: Portion | None, now: Verdicts) -> Recorded:
        if before is not None:
            gone = rate_sums(before.block.matrix, before.plausibility)
            for name in self.NAMES:
                self.sums[name][before.block.place] -= gone[name]
        come = rate_sums(now.block.matrix, now.plausibility)
        for name in self.NAMES:
            self.sums[name][now.block.place] += come[name]
        return {}

    def rates(self) -> SourceRates:
        """Return how reliable every source is by the plausibilities."""
        return rates_of_sums(self.sums)

    def state(self) -> Arrays:
        """Return everything as arrays."""
        return super().state() | {f"sums.{name}": self.sums[name] for name in self.NAMES}

    def restore(self, arrays: Arrays) -> None:
        """Take over what `state` returned."""
        super().restore(arrays)
        self.sums = {name: arrays[f"sums.{name}"] for name in self.NAMES}
