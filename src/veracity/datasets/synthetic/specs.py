"""Specifications of sources and attributes, validated on construction."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy.typing as npt

from veracity.data.arrays import Array, Floats
from veracity.data.read.settings import Domain, Kind
from veracity.datasets.synthetic.checks import (
    require,
    require_at_least,
    require_choice,
    require_share,
)
from veracity.errors import listing

#: Takes columns by name, one entry per visit, and returns one probability per visit.
RateFunction = Callable[[Mapping[str, Array]], npt.ArrayLike]


@dataclass(frozen=True)
class Beta:
    """A Beta(a, b) distribution, from which each source draws a rate."""

    a: float
    b: float

    def __post_init__(self) -> None:
        require(self.a > 0 and self.b > 0, "a and b of Beta", "positive", (self.a, self.b))


Rate = Beta | float | Sequence[float] | Floats | RateFunction


@dataclass(frozen=True, eq=False)
class SourceSpec:
    """The behaviour of sources.

    Parameters
    ----------
    reliability
        The probability of being right, which for items with several true values is that of naming
        a true one (tpr): a number for all, one per source, a `Beta` to draw them from, or a
        function of features. The function takes a dict of arrays with one entry per visit (a
        source at an item): the feature columns, and the indices ``source``, ``entity`` and
        ``attribute``.
    fpr
        The probability of naming a value that is false, for boolean items (where the value in
        question is ``true``) and items with several true values; in the same forms. Left out, it
        is (1 - reliability) / (n_values - 1), as it always is for items with one true value.
    items_per_source
        The mean number of items that a source speaks about, those with a single claim apart. Left
        out, it is such that an item is spoken about some eight times.
    tail
        Zipf exponent of that number: 0 makes sources equally prolific, 1 gives a long tail.
    one_claim_share
        Share of sources that speak about one item only.
    adversaries
        Share of sources below chance: they trade their tpr for their fpr.
    spammers
        Share of sources that answer blindly: any value is as likely as any other.
    copiers
        Share of sources that copy another one. A copier visits the items of its original, as far
        as both go.
    copy_probability
        The probability with which a copier repeats what its original says there, right or wrong,
        instead of answering by itself.
    n_originals
        How many of the most prolific honest sources are copied.
    denials
        Share of claims that deny a value instead of asserting one.
    """

    reliability: Rate = Beta(8, 3)
    fpr: Rate | None = None
    items_per_source: float | None = None
    tail: float = 0.0
    one_claim_share: float = 0.0
    adversaries: float = 0.0
    spammers: float = 0.0
    copiers: float = 0.0
    copy_probability: float = 0.8
    n_originals: int = 1
    denials: float = 0.0

    def __post_init__(self) -> None:
        for name in ("one_claim_share", "adversaries", "spammers", "copiers", "copy_probability"):
            require_share(name, getattr(self, name))
        require_share("denials", self.denials, below_one=True)
        require_at_least("tail", self.tail, 0)
        require_at_least("n_originals", self.n_originals, 1)
        if self.items_per_source is not None:
            require_at_least("items_per_source", self.items_per_source, 1)
        others = self.adversaries + self.spammers + self.copiers
        require(others <= 1, "adversaries + spammers + copiers", "at most 1", others)


@dataclass(frozen=True)
class AttributeSpec:
    """The values of an attribute, and the errors about them.

    Parameters
    ----------
    name
        As it stands in the attribute column.
    kind
        ``single`` (one true value), ``multiple`` (several may be true; a source makes one claim
        for each value that it names) or ``boolean``.
    domain
        ``closed`` (the same values for every entity) or ``open`` (values particular to the item).
        A boolean attribute is closed.
    n_values
        The candidates of an item; two for a boolean attribute, whatever is given.
    prior
        For closed domains: how often each value is the true one. Equally often if left out.
    true_share
        For ``multiple``: the probability with which each candidate is true. At least one is.
    clustering
        For ``single``: Zipf exponent of the wrong values of an item. At 0 all are equally common,
        at 2 most of those who err agree.
    labels
        For closed domains: the values by name, ``true`` before ``false``. Made up if left out.
    """

    name: str = "a0"
    kind: Kind = "single"
    domain: Domain = "open"
    n_values: int = 5
    prior: tuple[float, ...] | None = None
    true_share: float = 0.4
    clustering: float = 0.0
    labels: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        require_choice("kind", self.kind, get_args(Kind))
        require_choice("domain", self.domain, get_args(Domain))
        require_at_least("n_values", self.n_values, 2)
        require_at_least("clustering", self.clustering, 0)
        require(0 < self.true_share < 1, "true_share", "between 0 and 1", self.true_share)
        self._require_closed("prior", self.prior)
        self._require_closed("labels", self.labels)
        if self.prior is not None:
            fits = math.isclose(sum(self.prior), 1) and min(self.prior) >= 0
            require(fits, "prior", "probabilities that sum to 1", self.prior)
            require(self.kind != "multiple", "prior", "left out for kind 'multiple'", self.prior)
        if self.labels is not None:
            require(len(set(self.labels)) == self.size, "labels", "all different", self.labels)

    @property
    def size(self) -> int:
        """Count the candidates of an item."""
        return 2 if self.kind == "boolean" else self.n_values

    @property
    def is_closed(self) -> bool:
        """Tell whether all entities share the same values."""
        return self.kind == "boolean" or self.domain == "closed"

    @property
    def values(self) -> tuple[str, ...]:
        """Name the values of a closed domain."""
        if self.labels is not None:
            return self.labels
        if self.kind == "boolean":
            return ("true", "false")
        return tuple(f"v{number}" for number in range(self.size))

    @property
    def is_categorical(self) -> bool:
        """Tell whether naming one value is the same as not naming the others."""
        return self.kind == "single"

    @property
    def share_true(self) -> float:
        """Return how often a candidate is true: for ``boolean``, how often ``true`` is."""
        if self.kind == "multiple":
            return self.true_share / (1 - (1 - self.true_share) ** self.size)
        return self.prior[0] if self.kind == "boolean" and self.prior else 1 / self.size

    def _require_closed(self, name: str, given: Sequence[object] | None) -> None:
        if given is not None:
            require(self.is_closed, name, "left out unless the domain is closed", given)
            require(len(given) == self.size, name, f"{self.size} entries, one per value", given)


def attribute_specs(attributes: int | Sequence[AttributeSpec]) -> tuple[AttributeSpec, ...]:
    """Return the attributes to draw, from their number or from their descriptions."""
    if isinstance(attributes, int):
        require_at_least("attributes", attributes, 1)
        return tuple(AttributeSpec(f"a{i}") for i in range(attributes))
    names = [spec.name for spec in attributes]
    require(len(names) > 0, "attributes", "at least one AttributeSpec, or a number", attributes)
    require(len(set(names)) == len(names), "attributes", "of different names", listing(names))
    return tuple(attributes)
