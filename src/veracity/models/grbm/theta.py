"""Theta: the three numbers by which the machine sees a claim, and the rates they stand for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from veracity.data.arrays import Floats
from veracity.errors import InvalidParameter


class Theta(NamedTuple):
    """Parameters of claims (or of distinct feature rows), one entry each; always in this order.

    Attributes
    ----------
    visible_bias
        a: how readily the source claims a statement that is false.
    weight
        w: how much more readily it claims one that is true.
    hidden_bias
        b: the evidence that lies in its speaking at all.
    """

    visible_bias: Floats
    weight: Floats
    hidden_bias: Floats


class Rates(NamedTuple):
    """How reliable a claim is: P(claims it | true) and P(claims it | false)."""

    tpr: Floats
    fpr: Floats


def softplus(x: Floats) -> Floats:
    """log(1 + exp(x)), without overflow."""
    return np.asarray(np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x))))


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + exp(-x)), without overflow."""
    e = np.exp(-np.abs(x))
    return np.where(np.asarray(x) >= 0, 1.0, e) / (1.0 + e)


def logit(p: Floats) -> Floats:
    """Return the log-odds of a probability."""
    return np.log(p) - np.log1p(-np.asarray(p))


def rates_of(theta: Theta) -> Rates:
    """tpr = sigmoid(a + w), fpr = sigmoid(a): eq. (5)."""
    return Rates(sigmoid(theta.visible_bias + theta.weight), sigmoid(theta.visible_bias))


def tied_hidden_bias(visible_bias: Floats, weight: Floats) -> Floats:
    """Return the b that makes plausibility a naive-Bayes posterior: log((1 - tpr) / (1 - fpr))."""
    return softplus(visible_bias) - softplus(visible_bias + weight)


def theta_from(outputs: Floats, *, nonnegative: bool = False, tied: bool = False) -> Theta:
    """Return the theta of the three outputs of g; (n_rows, 3).

    a is the first output. w is the second or, if it may not be negative, its softplus. b is the
    third or, if it is tied, follows from a and w.
    """
    a, w, b = np.ascontiguousarray(outputs.T)
    w = softplus(w) if nonnegative else w
    return Theta(a, w, tied_hidden_bias(a, w) if tied else b)


def outputs_of(theta: Theta, *, nonnegative: bool = False) -> Floats:
    """Return the outputs of g that give theta; (n_rows, 3)."""
    a, w, b = theta
    if nonnegative:
        if np.any(w <= 0):
            raise InvalidParameter(
                "Weights that may not be negative need a tpr above the fpr. Give other rates, or "
                "weights='free'."
            )
        w = w + np.log(-np.expm1(-w))  # the inverse of softplus
    return np.stack([a, w, b], axis=1)


def through_theta(
    outputs: Floats, theta: Theta, delta: Floats, *, nonnegative: bool = False, tied: bool = False
) -> Floats:
    """Carry a gradient in theta over to the outputs of g; (n_rows, 3)."""
    if tied:
        rates = rates_of(theta)
        delta = np.stack(
            [
                delta[:, 0] + delta[:, 2] * (rates.fpr - rates.tpr),
                delta[:, 1] - delta[:, 2] * rates.tpr,
                np.zeros(len(delta)),
            ],
            axis=1,
        )
    if nonnegative:
        delta = delta * np.stack(
            [np.ones(len(delta)), sigmoid(outputs[:, 1]), np.ones(len(delta))], axis=1
        )
    return delta


def theta_of(rates: Rates) -> Theta:
    """Return the theta of desired rates: a = logit(fpr), w = logit(tpr) - a, b tied to both."""
    for name, rate in zip(Rates._fields, rates, strict=True):
        if not np.all((np.asarray(rate) > 0) & (np.asarray(rate) < 1)):
            raise InvalidParameter(f"{name} must be between 0 and 1, both excluded. Got {rate!r}.")
    visible_bias = logit(rates.fpr)
    weight = logit(rates.tpr) - visible_bias
    return Theta(visible_bias, weight, tied_hidden_bias(visible_bias, weight))
