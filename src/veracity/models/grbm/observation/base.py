"""ObservationModel: how sources speak about the items of one attribute, given the truth.

Every observation model is a sum over items, made by a compiled loop over a range of them, so that
threads, blocks on disk and partitions of a cluster run the same code and their results add.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.matrix import ClaimMatrix
from veracity.models.explanation import Bill
from veracity.models.grbm.attributes import AttributeParameters, AttributeRange
from veracity.models.grbm.parameters import ParameterVector

if TYPE_CHECKING:
    from veracity.models.grbm.block_data import BlockData
    from veracity.models.grbm.observation.evidence import Evidence

#: A prior precision so large that a parameter stays where it is, without being tried.
FIXED = 1e6
#: Counts by name; those of sources are one for each of an attribute's sources.
Counts = dict[str, Any]
#: A claim that counts: its place, its statement, and its part in the likelihood.
Heard = tuple[int, int, int]
#: Lists the evidence for the statements of an item, given the claims about it that count.
ItemBills = Callable[[int, Sequence[Heard]], list[Bill]]


@dataclass
class Posterior:
    """What a pass over items finds, at given parameters.

    Attributes
    ----------
    plausibility
        The probability of each statement; (n_statements,).
    unclaimed
        The probability that no claimed value of an item is true; NaN where statements are judged
        by themselves; (n_items,).
    likelihood
        The log-likelihood of the claims about each item with one true value; (n_items,).
    hardness
        The expected shift of the log-odds of being right, negative for a hard item; (n_items,).
    """

    plausibility: Floats
    unclaimed: Floats
    likelihood: Floats
    hardness: Floats

    @classmethod
    def empty(cls, matrix: ClaimMatrix) -> Posterior:
        """Make room."""
        return cls(np.zeros(matrix.n_statements), *np.zeros((3, matrix.n_items)))


@dataclass
class Scores:
    """Log-scores by which the values of an item are ranked; monotone in the claims.

    Attributes
    ----------
    statement
        Of each statement; of one that is judged by itself, the log-odds of its being true.
    unclaimed
        Of the values of each item that nobody claims, taken together; -inf where there are none.
        Of a boolean item, of its being false.
    """

    statement: Floats
    unclaimed: Floats

    @classmethod
    def empty(cls, matrix: ClaimMatrix) -> Scores:
        """Make room."""
        return cls(np.zeros(matrix.n_statements), np.full(matrix.n_items, -np.inf))


@dataclass(frozen=True, eq=False)
class ClaimRates:
    """How reliable each claim is, by what is known before the others are heard; all (n_claims,).

    Rates are those of an item of unknown hardness.

    Attributes
    ----------
    right
        The probability that its source is right.
    tpr, fpr
        The probability that its source says this value if it is true, and if it is not.
    slope
        How much the strength of the claim moves with eta, du/deta.
    """

    right: Floats
    tpr: Floats
    fpr: Floats
    slope: Floats

    @classmethod
    def empty(cls, matrix: ClaimMatrix) -> ClaimRates:
        """Make room."""
        return cls(*(np.zeros(matrix.n_claims) for _ in fields(cls)))


@dataclass(frozen=True, eq=False)
class AttributePrior:
    """Normal priors of an attribute's parameters, in the order of their names.

    Attributes
    ----------
    centre, precision
        The mean of each prior, from which the fit starts, and its precision.
    curvature
        A rough curvature of the penalised likelihood, for updates of a stream.
    """

    centre: Floats
    precision: Floats
    curvature: Floats


class ObservationModel(Protocol):
    """The items of one attribute in a block, and how sources speak about them.

    Attributes
    ----------
    parameters
        Its range of items, and the parameters it has, with the sources of the block.
    """

    parameters: AttributeParameters
    #: Whether eta depends on how much a source claims: one reliability stands for all values.
    uses_claim_count: bool
    #: Whether each statement is judged by itself, so that tpr and fpr are two numbers.
    is_per_statement: bool

    def __init__(
        self,
        data: BlockData,
        own: AttributeRange,
        attribute: AttributeParameters,
        place: Indices,
    ) -> None:
        """Look up the claims about a range of items.

        Parameters
        ----------
        data, own
            The claims of the block, and the items among them.
        attribute
            The attribute with the classes and sources of the whole model.
        place
            The place of each source of the block among all, -1 for a new one.
        """

    @property
    def rows(self) -> Indices:
        """The rows of eta that its claims have."""

    def log_likelihood(self, own: ParameterVector, eta: Floats) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood, and its gradient in own parameters and in eta of its rows."""

    def judge(self, own: ParameterVector, eta: Floats, posterior: Posterior) -> None:
        """Set what the parameters make of the claims."""

    def score(self, own: ParameterVector, eta: Floats, scores: Scores) -> None:
        """Set the scores of statements; a claim never lowers that of its own statement."""

    def rate(self, own: ParameterVector, eta: Floats, rates: ClaimRates) -> None:
        """Set the rates of claims."""

    def heldout_log_prob(self, own: ParameterVector, eta: Floats, hidden: Indices) -> Floats:
        """Return the log-probability of claims that the likelihood does not see, given the rest."""

    def information(self, own: ParameterVector, eta: Floats) -> Floats:
        """Return about how much claims tell of eta of each of its rows; adds over items."""

    def n_wrong_values(self, own: ParameterVector, claims: slice) -> Floats | float:
        """Return how many values of its item are wrong, D - 1, of each claim."""

    def item_bills(self, own: ParameterVector, eta: Floats, evidence: Evidence) -> ItemBills:
        """Return what lists the evidence for each statement of an item, in numbers."""

    def row_counts(self) -> Floats:
        """Return how many statements each row claims and speaks about; (n_rows, 2)."""

    def counts(self) -> Counts:
        """Count what the priors rest on; counts of disjoint sets of items add."""

    @staticmethod
    def no_counts(attribute: AttributeParameters) -> Counts:
        """Return the counts of a block without the attribute."""

    @staticmethod
    def prior(attribute: AttributeParameters, counts: Mapping[str, Any]) -> AttributePrior:
        """Return the priors that rest on the counts of all blocks."""
