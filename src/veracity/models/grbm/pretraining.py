"""Pre-training: a supervised fit of g to the theta of desired rates, the optimistic side.

Truth and its mirror image fit equally well: swap what h = 1 means, and every source that was right
is wrong. Likelihood cannot choose between the two; the start can. Before it sees what is claimed,
g learns to give every claim the theta of the rates that are thought likely: by default those of
sources that tend to be right.
"""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats
from veracity.models.grbm.theta import Theta
from veracity.models.grbm.theta_functions import Linear, PerSource, ReliabilityFunction, WithSources

MAX_ITER = 200
#: Keeps the least squares of a linear g solvable where features are collinear.
RIDGE = 1e-6


def pretrain(
    function: ReliabilityFunction, features: Floats, target: Theta, weight: Floats
) -> float:
    """Fit g to a target theta by weighted least squares; return the root mean square error.

    Parameters
    ----------
    function
        g, whose psi is changed.
    features
        Feature rows; (n_rows, n_features).
    target
        The theta wanted of each row.
    weight
        How much each row counts: the number of its claims.
    """
    if isinstance(function, WithSources):  # deviations start at nothing
        return pretrain(function.function, features[:, :-1], target, weight)
    wanted = np.stack(target, axis=1)
    share = weight / weight.sum()
    if isinstance(function, PerSource):
        _fit_table(function, features, wanted, share)
    elif isinstance(function, Linear):
        _fit_linear(function, features, wanted, share)
    else:
        _fit_iteratively(function, features, wanted, share)
    error = (function.theta(features) - wanted) ** 2
    return float(np.sqrt(share @ error.mean(axis=1)))


def _fit_table(function: PerSource, features: Floats, wanted: Floats, share: Floats) -> None:
    index = features[:, 0].astype(np.int64)
    table = np.tile(function.unseen, (len(function.psi) // 3, 1))
    total = np.bincount(index, share, minlength=len(table))
    for column in range(3):
        sums = np.bincount(index, share * wanted[:, column], minlength=len(table))
        known = total > 0
        table[known, column] = sums[known] / total[known]
    function.psi = table.ravel()


def _fit_linear(function: Linear, features: Floats, wanted: Floats, share: Floats) -> None:
    if len(wanted) and np.ptp(wanted, axis=0).max() < 1e-9:  # the same for all: an intercept
        psi = np.zeros((features.shape[1] + 1, wanted.shape[1]))
        psi[-1] = wanted[0]
        function.psi = psi.ravel()
        return
    design = np.hstack([features, np.ones((len(features), 1))])
    weighted = design * share[:, None]
    penalty = RIDGE * np.eye(design.shape[1])
    penalty[-1, -1] = 0.0
    solved = np.linalg.solve(design.T @ weighted + penalty, weighted.T @ wanted)
    function.psi = np.asarray(solved, np.float64).ravel()


def _fit_iteratively(
    function: ReliabilityFunction, features: Floats, wanted: Floats, share: Floats
) -> None:
    from scipy.optimize import minimize

    def loss(psi: Floats) -> tuple[float, Floats]:
        function.psi = psi
        error = function.theta(features) - wanted
        value = 0.5 * float(share @ (error**2).sum(axis=1))
        return value, function.backward(error * share[:, None])

    found = minimize(loss, function.psi, jac=True, method="L-BFGS-B", options={"maxiter": MAX_ITER})
    function.psi = found.x
