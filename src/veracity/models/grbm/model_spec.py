"""ModelSpec: what is fitted, as every block of claims needs it to make its objective."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from veracity.data.arrays import Floats, Mask
from veracity.models.grbm.attributes import COIN_FORMS, AttributeParameters, AttributeRange
from veracity.models.grbm.parameters import ParameterNames
from veracity.models.grbm.reliability import ReliabilityFunction
from veracity.models.grbm.terms.base import Slopes, Term, slopes_of

#: What a claim's eta consists of: m + gamma z + w_source + g(x; psi).
ETA = ("m", "gamma", "source", "psi")
#: What terms add to it: (beta + beta_source) . c, see `veracity.models.grbm.terms`.
SLOPES = ("slope", "own_slope")
#: The same of the paper's machine: theta = g(x; psi) + w_source.
THETA = ("psi", "source")
#: Visible bias a, weight w, hidden bias b.
N_THETA = 3


#: How often each class is true: as often as it is claimed, equally often, or as given.
ClassPrior = Literal["claims", "uniform"] | Mapping[str, float]


@dataclass(frozen=True, eq=False)
class ModelSpec:
    """The attributes, the reliability function, and which claims count.

    Attributes
    ----------
    attributes
        The form of each attribute, and the sources and classes of its parameters.
    source_is_free
        Marks the sources whose deviation w is learned; None for all.
    log_claim_count
        z of each source: the log of how much it claims, less its mean over claims.
    reliability
        g.
    floor
        The least e^u: 1, or 0 where sources may be worse than chance.
    uses_features
        Whether g sees the features of claims.
    holds_out
        Whether the claims that are held out are hidden.
    only_known
        Whether only claims about items of known truth count.
    predictor
        The names of the parameters that eta consists of.
    unseen
        What stands for a source that is new: 0 if None.
    start, penalty, anchor
        Of the paper's machine: the pre-trained parameters, and how strongly all parameters, and
        theta of every claim, are drawn to them. None where each parameter has a prior of its own.
    is_fitted
        Whether the norms of speaking are among the parameters; see `veracity.models.grbm.speaking`.
    family
        The column of families that err together; None for none.
    slopes
        The priors of the slopes of terms; None without terms.
    class_prior
        What is known of how often each class is true: "claims", "uniform", or the probability of
        each class, by its name; None if nothing is.
    one_hot
        Of the paper's machine: whether the denial of a yes/no statement is a statement too.
    threads
        How many work on a block; None for what is usual there.
    """

    attributes: tuple[AttributeParameters, ...]
    log_claim_count: Floats
    reliability: ReliabilityFunction
    floor: float = 1.0
    source_is_free: Mask | None = None
    uses_features: bool = False
    holds_out: bool = False
    only_known: bool = False
    predictor: tuple[str, ...] = ETA
    unseen: Floats | None = None
    start: Floats | None = None
    penalty: float | None = None
    anchor: float = 0.0
    is_fitted: bool = False
    family: str | None = None
    slopes: Slopes | None = None
    class_prior: ClassPrior | None = None
    one_hot: bool = False
    threads: int | None = None

    @cached_property
    def ranges(self) -> list[AttributeRange]:
        """The attributes and their forms."""
        return [attribute.range for attribute in self.attributes]

    @cached_property
    def uses_claim_count(self) -> bool:
        """Whether one reliability stands for all values of some attribute."""
        return any(own.form in COIN_FORMS for own in self.ranges)

    @cached_property
    def fits_speaking(self) -> bool:
        """Whether the norms of speaking follow from the other parameters."""
        speaks = any(len(attribute.one_sided) for attribute in self.attributes)
        return speaks and not self.is_fitted

    @property
    def n_sources(self) -> int:
        """Number of all sources."""
        return len(self.log_claim_count)

    @property
    def is_theta(self) -> bool:
        """Whether eta is theta, three numbers for each claim."""
        return "m" not in self.predictor

    def with_terms(self, terms: Sequence[Term]) -> ModelSpec:
        """Return the same with other terms."""
        predictor = tuple(name for name in self.predictor if name not in SLOPES)
        predictor += SLOPES if terms else ()
        return replace(self, slopes=slopes_of(terms), predictor=predictor)

    def eta_names(self, n_sources: int) -> ParameterNames:
        """Return the names of the parameters of eta, for so many sources."""
        many = ("output",) if self.is_theta else ()
        axes = {"m": (), "gamma": (), "source": ("source", *many), "psi": ("psi",)}
        axes |= {"slope": ("term",), "own_slope": ("source", "term")}
        sizes = {"source": n_sources, "psi": len(self.reliability.start), "output": N_THETA}
        if self.slopes is not None:
            sizes["term"] = len(self.slopes)
        return ParameterNames({name: axes[name] for name in self.predictor}, sizes)

    @cached_property
    def names(self) -> ParameterNames:
        """The names of all parameters; those of attributes are in groups by their number."""
        groups = {str(number): own.names for number, own in enumerate(self.attributes)}
        return ParameterNames.joined({"": self.eta_names(self.n_sources), **groups})

    @property
    def linear_names(self) -> list[str]:
        """The names of the parameters by which eta is linear in what all claims share."""
        shared = [name for name in self.predictor if name not in ("source", "psi", *SLOPES)]
        return [*shared, "psi"] if self.reliability.is_linear else shared


def log_claim_counts(n_claims: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Floats:
    """Return z: the log of how much each source claims, less its mean over claims; (n_sources,)."""
    size = np.log1p(n_claims)
    return np.asarray(size - (n_claims @ size) / n_claims.sum())
