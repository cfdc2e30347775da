"""The paper's machine on one statement: plausibility, exact log-likelihood and exact gradient.

A statement has claims v_1 .. v_n in {0, 1}, each with theta_i = (a_i, w_i, b_i), and one hidden
unit h, which is 1 if the statement is true. With one hidden unit, the partition function has two
terms, so nothing needs to be sampled. These functions are for reading and for tests; a fit runs
the compiled passes in `observation`, which compute the same for all statements at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from veracity.data.arrays import Floats
from veracity.models.grbm.theta import Theta, rates_of, sigmoid, softplus


class Gradient(NamedTuple):
    """Derivatives of the log-likelihood in theta, one entry per claim, and in b_0."""

    theta: Theta
    global_hidden_bias: float


def total_hidden_bias(theta: Theta, global_hidden_bias: float) -> float:
    """B = b_0 + sum b_i: eq. (6)."""
    return float(global_hidden_bias + theta.hidden_bias.sum())


def plausibility(claim_value: Floats, theta: Theta, global_hidden_bias: float) -> float:
    """P(h = 1 | v) = sigmoid(B + sum w_i v_i): eq. (10)."""
    bias = total_hidden_bias(theta, global_hidden_bias)
    return float(sigmoid(bias + theta.weight @ claim_value))


def prior(theta: Theta, global_hidden_bias: float) -> float:
    """P(h = 1) = sigmoid(B + sum softplus(a_i + w_i) - sum softplus(a_i)), whatever is claimed."""
    if_false, if_true = log_partition(theta, global_hidden_bias)
    return float(sigmoid(np.asarray(if_true - if_false)))


def log_partition(theta: Theta, global_hidden_bias: float) -> tuple[float, float]:
    """Return the logs of the two terms of Z, for h = 0 and for h = 1."""
    a, w, _ = theta
    bias = total_hidden_bias(theta, global_hidden_bias)
    return float(softplus(a).sum()), float(bias + softplus(a + w).sum())


def log_likelihood(claim_value: Floats, theta: Theta, global_hidden_bias: float) -> float:
    """log P(v) = sum a_i v_i + softplus(B + sum w_i v_i) - log Z: eq. (3), exactly."""
    bias = total_hidden_bias(theta, global_hidden_bias)
    log_z = np.logaddexp(*log_partition(theta, global_hidden_bias))
    claimed = softplus(bias + theta.weight @ claim_value)
    return float(theta.visible_bias @ claim_value + claimed - log_z)


def gradient(claim_value: Floats, theta: Theta, global_hidden_bias: float) -> Gradient:
    """Return seen minus expected: the error terms of Algorithm 1, without sampling.

    With p the plausibility and q the prior,

        d/da_i = v_i   - [q tpr_i + (1 - q) fpr_i]
        d/dw_i = p v_i -  q tpr_i
        d/db_i = d/db_0 = p - q
    """
    p = plausibility(claim_value, theta, global_hidden_bias)
    q = prior(theta, global_hidden_bias)
    tpr, fpr = rates_of(theta)
    visible_bias = claim_value - (q * tpr + (1 - q) * fpr)  # (n_claims,)
    weight = p * claim_value - q * tpr  # (n_claims,)
    hidden_bias = np.full(len(claim_value), p - q)  # (n_claims,)
    return Gradient(Theta(visible_bias, weight, hidden_bias), p - q)
