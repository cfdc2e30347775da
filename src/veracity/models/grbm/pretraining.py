"""Pre-training: a supervised fit of g to the theta of desired rates, the optimistic side.

Truth and its mirror image fit equally well: swap what h = 1 means, and every source that was right
is wrong. Likelihood cannot choose between the two; the start can. Before it sees what is claimed,
g learns to give every claim the theta of the rates that are thought likely: by default those of
sources that tend to be right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.engines.base import Blocks
from veracity.engines.sums import Scattered, Sums
from veracity.errors import InvalidParameter
from veracity.models.grbm.block_data import PreparedBlock
from veracity.models.grbm.expected_rates import RatesWanted, wanted_rates
from veracity.models.grbm.observation.free_binary import units_of
from veracity.models.grbm.reliability import ReliabilityFunction
from veracity.models.grbm.sequences import Past
from veracity.models.grbm.theta import Rates, outputs_of, theta_of

MAX_ITER = 200
#: Keeps the least squares of a linear g solvable where features are collinear.
RIDGE = 1e-6
#: Targets that differ by less are the same for all claims.
SAME = 1e-9


@dataclass(frozen=True, eq=False)
class TargetTheta:
    """The theta wanted of each row of a block.

    Attributes
    ----------
    features
        Of each row; (n_rows, n_features).
    source
        The place of each row's source among all; (n_rows,).
    wanted
        What g should give for a, w and b of each row; (n_rows, 3).
    weight
        How much each row counts: the number of statements that it speaks about; (n_rows,).
    past
        What came before each row; None where g does not read it.
    """

    features: Floats
    source: Indices
    wanted: Floats
    weight: Floats
    past: Past | None = None


def target_theta(
    prepared: PreparedBlock, rates: RatesWanted, uses_features: bool, nonnegative: bool = False
) -> TargetTheta:
    """Return what g should give for the desired rates, averaged over the claims of each row."""
    data = prepared.data(uses_features=uses_features)
    units, wanted = units_of(data), wanted_rates(rates, prepared.block.claims)
    own = units.own_row
    count = np.bincount(own, minlength=units.n_rows)
    by_row = Rates(
        *(
            np.where(
                count > 0,
                np.bincount(own, rate, minlength=units.n_rows) / np.maximum(count, 1),
                float(np.mean(rate)),
            )
            for rate in wanted
        )
    )
    place, source = prepared.block.place, data.source_of_row
    return TargetTheta(
        data.rows.features,
        np.where(source >= 0, place[source], -1),
        outputs_of(theta_of(by_row), nonnegative=nonnegative),
        units.counts[:, 1],
        data.rows.past,
    )


def pretrain_sources(blocks: Blocks[TargetTheta], n_sources: int) -> tuple[Floats, Floats]:
    """Return the theta wanted of each source, and the one of a source never seen.

    The parameters are (n_sources, 3), and (3,).
    """
    total = blocks.total(_weigh)
    unseen = total["wanted"] / total["n"]
    sums = blocks.total(_by_source, total["weight"], n_sources)
    share, wanted = sums["share"].everywhere(), sums["wanted"].everywhere()
    table = np.tile(unseen, (n_sources, 1))
    known = share > 0
    table[known] = wanted[known] / share[known][:, None]
    return table, unseen


def pretrain_function(blocks: Blocks[TargetTheta], function: ReliabilityFunction) -> Floats:
    """Return the psi by which g comes closest to the theta wanted, by weighted least squares."""
    total = blocks.total(_weigh)
    lowest, highest = -total["lowest"].numbers, total["highest"].numbers
    same = (highest - lowest).max() < SAME
    if same and function.sequence is not None:
        return pretrain_constant(blocks, function)
    if not function.is_linear:
        return _fit_iteratively(blocks, function, total["weight"])
    if same:  # an intercept
        psi = function.start.reshape(-1, len(highest)).copy()
        psi[-1] = total["first"].numbers
        return psi.ravel()
    sums = blocks.total(_normal_equations, total["weight"])
    penalty = RIDGE * np.eye(len(sums["square"]))
    penalty[-1, -1] = 0.0
    return np.asarray(np.linalg.solve(sums["square"] + penalty, sums["wanted"]), np.float64).ravel()


def pretrain_constant(blocks: Blocks[TargetTheta], function: ReliabilityFunction) -> Floats:
    """Return the psi by which a network gives all claims the theta wanted, exactly.

    Its last layer is 0 at the start, see `silent_at_start`, so that the bias of this layer, which
    comes last, is what it gives. This takes the same rates for all claims.
    """
    total = blocks.total(_weigh)
    lowest, highest = -total["lowest"].numbers, total["highest"].numbers
    if (highest - lowest).max() >= SAME:
        raise InvalidParameter(
            "pretraining='constant' needs the same rates for all claims. Give one tpr and one fpr, "
            "or set pretraining='fitted'."
        )
    psi = function.start
    psi[-len(highest) :] = total["first"].numbers
    return psi


def _weigh(target: TargetTheta) -> Sums:
    wanted = target.wanted
    return {
        "weight": float(target.weight.sum()),
        "n": len(wanted),
        "wanted": np.array([column.sum() for column in wanted.T]),
        "highest": Extreme(wanted.max(axis=0)),
        "lowest": Extreme(-wanted.min(axis=0)),
        "first": Extreme(wanted[0]),
    }


@dataclass(frozen=True, eq=False)
class Extreme:
    """The largest of some numbers, for each of several columns."""

    numbers: Floats

    def __add__(self, other: Extreme) -> Extreme:
        return Extreme(np.maximum(self.numbers, other.numbers))


def _by_source(target: TargetTheta, weight: float, n_sources: int) -> Sums:
    share, source = target.weight / weight, target.source
    wanted = [sum_by(source, share * column, n_sources) for column in target.wanted.T]
    return {
        "share": Scattered(None, sum_by(source, share, n_sources), n_sources),
        "wanted": Scattered(None, np.stack(wanted, axis=1), n_sources),
    }


def _normal_equations(target: TargetTheta, weight: float) -> Sums:
    design = np.hstack([target.features, np.ones((len(target.features), 1))])
    weighted = design * (target.weight / weight)[:, None]
    return {"square": design.T @ weighted, "wanted": weighted.T @ target.wanted}


def _fit_iteratively(
    blocks: Blocks[TargetTheta], function: ReliabilityFunction, weight: float
) -> Floats:
    from scipy.optimize import minimize

    def loss(psi: Floats) -> tuple[float, Floats]:
        sums = blocks.total(_squared_error, function, psi, weight)
        return sums["loss"], sums["gradient"]

    options = {"maxiter": MAX_ITER}
    found = minimize(loss, function.start, jac=True, method="L-BFGS-B", options=options)
    return np.asarray(found.x, np.float64)


def _squared_error(
    target: TargetTheta, function: ReliabilityFunction, psi: Floats, weight: float
) -> Sums:
    share = target.weight / weight
    value, pullback = function.vjp(psi, target.features, target.past)
    error = value - target.wanted
    loss = 0.5 * float(share @ (error**2).sum(axis=1))
    return {"loss": loss, "gradient": pullback(error * share[:, None])}
