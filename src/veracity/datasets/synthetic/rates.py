"""Rates of sources at each visit: tpr and fpr."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Array, Floats, Indices, Mask
from veracity.datasets.synthetic.checks import require
from veracity.datasets.synthetic.features import per_visit
from veracity.datasets.synthetic.roles import ADVERSARY, SPAMMER, Roles
from veracity.datasets.synthetic.specs import AttributeSpec, Beta, Rate, SourceSpec
from veracity.datasets.synthetic.visits import Visits

#: Keeps logarithms of rates finite.
TINY = 1e-12


@dataclass(frozen=True)
class Rates:
    """The rates with which each visit's answer is drawn.

    Attributes
    ----------
    tpr
        Probability of naming the true value (or each true value).
    fpr
        Probability of naming a given false value.
    blind
        Whether the source answers without looking.
    """

    tpr: Floats  # (n_visits,)
    fpr: Floats  # (n_visits,)
    blind: Mask  # (n_visits,)

    def at(self, chosen: Indices) -> Rates:
        """Return the rates of some visits."""
        return Rates(self.tpr[chosen], self.fpr[chosen], self.blind[chosen])

    def logs(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Return log tpr, log(1 - tpr), log fpr and log(1 - fpr), none of them infinite."""
        tpr, fpr = np.clip(self.tpr, TINY, 1 - TINY), np.clip(self.fpr, TINY, 1 - TINY)
        return np.log(tpr), np.log1p(-tpr), np.log(fpr), np.log1p(-fpr)

    def reliability(self, attributes: Sequence[AttributeSpec], attribute: Indices) -> Floats:
        """Return the probability that a visit's answer is right.

        For items with several true values: that a candidate is judged rightly.
        """
        share = np.array([spec.share_true for spec in attributes])[attribute]
        categorical = np.array([spec.is_categorical for spec in attributes])[attribute]
        judged = share * self.tpr + (1 - share) * (1 - self.fpr)
        return np.where(categorical, self.tpr, judged)


def draw_rates(
    rng: np.random.Generator,
    spec: SourceSpec,
    attributes: Sequence[AttributeSpec],
    visits: Visits,
    roles: Roles,
    columns: Mapping[str, Array],
    difficulty: Floats,
) -> Rates:
    """Draw the rates of every visit: the source's own, by its role, at this entity.

    Parameters
    ----------
    rng
        Where randomness comes from.
    spec, attributes
        What is to be drawn.
    visits, roles
        Who speaks about what, and in which part.
    columns
        Features, as `draw_features` gives them.
    difficulty
        What an entity takes from the log-odds of being right.
    """
    n_sources = len(roles.role)
    sizes = np.array([attribute.size for attribute in attributes])[visits.attribute]
    seen = per_visit(columns, visits)
    hard = difficulty[visits.entity]
    tpr = _shifted(_rate(rng, "reliability", spec.reliability, n_sources, seen), -hard)
    if spec.fpr is None:
        fpr = (1 - tpr) / (sizes - 1)
    else:
        fpr = _shifted(_rate(rng, "fpr", spec.fpr, n_sources, seen), hard)
    role = roles.role[visits.source]
    tpr, fpr = np.where(role == ADVERSARY, (fpr, tpr), (tpr, fpr))
    chance = np.array([_chance(attribute) for attribute in attributes])[visits.attribute]
    tpr, fpr = np.where(role == SPAMMER, chance, (tpr, fpr))
    categorical = np.array([attribute.is_categorical for attribute in attributes])
    fpr = np.where(categorical[visits.attribute], (1 - tpr) / (sizes - 1), fpr)
    return Rates(visits.repeat(tpr), visits.repeat(fpr), role == SPAMMER)


def _chance(attribute: AttributeSpec) -> float:
    """Return the rate of a blind answer, which does not depend on the truth."""
    return attribute.true_share if attribute.kind == "multiple" else 1 / attribute.size


def _rate(
    rng: np.random.Generator,
    name: str,
    given: Rate,
    n_sources: int,
    seen: Mapping[str, Array],
) -> Floats:
    if callable(given):
        rate = np.asarray(given(seen), np.float64)
        n_visits = len(seen["source"])
        expected = f"a function that returns one number per visit ({n_visits})"
        require(rate.shape == (n_visits,), name, expected, rate.shape)
    else:
        rate = _rate_by_source(rng, name, given, n_sources)[seen["source"]]
    in_range = bool(np.all((rate >= 0) & (rate <= 1)))
    require(in_range, name, "between 0 and 1 everywhere", (float(rate.min()), float(rate.max())))
    return rate


def _rate_by_source(
    rng: np.random.Generator,
    name: str,
    given: Beta | float | Sequence[float] | Floats,
    n_sources: int,
) -> Floats:
    if isinstance(given, Beta):
        return rng.beta(given.a, given.b, n_sources)
    rate = np.asarray(given, np.float64)
    expected = f"one number, or one for each of the {n_sources} sources"
    require(rate.shape in ((), (n_sources,)), name, expected, rate.shape)
    return np.broadcast_to(rate, (n_sources,))


def _shifted(rate: Floats, shift: Floats) -> Floats:
    """Move probabilities on the scale of log-odds."""
    if not shift.any():
        return rate
    rate = np.clip(rate, TINY, 1 - TINY)
    odds = rate / (1 - rate) * np.exp(shift)
    return odds / (1 + odds)
