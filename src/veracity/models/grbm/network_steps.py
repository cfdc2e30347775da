"""Gradient steps machine by machine through a small feed-forward network, compiled.

Algorithm 1 changes psi after each statement, so that g cannot be evaluated once for all rows. A
machine sees a few rows only; these are run forward, and the error terms of the machine backward,
in one compiled loop. `BatchFit` takes the same steps through any g, and the tests hold the loop
to it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.compiled import compiled
from veracity.models.grbm.observation.free_binary import FreeBinary
from veracity.models.grbm.observation.statement_kernels import (
    THETA_A,
    THETA_B,
    THETA_W,
    diverge_machine,
    machine_units,
    sigmoid,
    softplus,
)

TANH, RELU, SIGMOID = 0, 1, 2
#: The activations whose slope follows from their value.
ACTIVATION_CODES = {"tanh": TANH, "relu": RELU, "sigmoid": SIGMOID}


@dataclass(frozen=True, eq=False)
class NetworkSteps:
    """A feed-forward g on the rows of a block, and the machines that see them.

    Attributes
    ----------
    model, features
        The machines, and the features of each row.
    hidden_sizes, activation
        Of the network; its parameters are those of `feed_forward`, layer by layer.
    cd_steps
        Steps of contrastive divergence; None for the exact gradient.
    """

    model: FreeBinary
    features: Floats
    hidden_sizes: Sequence[int]
    activation: str
    cd_steps: int | None

    def walk(
        self, psi: Floats, b0: float, machines: Indices, seeds: Indices, rate: float
    ) -> tuple[Floats, float]:
        """Take one step for each machine in turn; return psi and b_0 after the last."""
        model, units = self.model, self.model.units
        sizes = np.array([self.features.shape[1], *self.hidden_sizes, 3], np.int64)
        psi = psi.copy()
        b0 = take_steps(
            machines, seeds, *units.machines(), units.known_machines, self.features, sizes,
            ACTIVATION_CODES[self.activation], model.has_softplus, model.is_tied,
            self.cd_steps or 0, rate, psi, b0,
        )  # fmt: skip
        return psi, b0


@compiled
def take_steps(
    machines: Any,
    seeds: Any,
    part: Any,
    speaker: Any,
    claim_start: Any,
    statement_start: Any,
    statement_index: Any,
    row: Any,
    row_of: Any,
    state: Any,
    item: Any,
    statement: Any,
    known: Any,
    features: Any,
    sizes: Any,
    activation: int,
    has_softplus: bool,
    is_tied: bool,
    cd_steps: int,
    rate: float,
    psi: Any,
    b0: float,
) -> Any:
    """Take a gradient step of size `rate` for each machine in turn; change psi and return b_0."""
    largest = 0
    for position in range(len(machines)):
        about = item[machines[position]]
        largest = max(largest, claim_start[about + 1] - claim_start[about])
    unit_row = np.empty(largest, np.int64)  # then the place of each unit's row among those seen
    unit_value = np.empty(largest, np.bool_)
    sampled = np.empty(largest, np.bool_)
    place = np.zeros(len(features), np.int64)
    seen = np.empty(largest, np.int64)
    count = np.empty((largest, 2))
    layers = np.empty((largest, sizes.sum()))
    theta = np.empty((largest, 3))
    delta = np.empty((largest, 3))
    back = np.empty((2, sizes.max()))
    gradient = np.empty(len(psi))
    for position in range(len(machines)):
        machine = machines[position]
        n = machine_units(
            machine, part, speaker, claim_start, statement_start, statement_index, row,
            row_of, state, item, statement, unit_row, unit_value,
        )  # fmt: skip
        n_seen = 0
        for unit in range(n):
            r = unit_row[unit]
            at = place[r]
            if at >= n_seen or seen[at] != r:
                at = n_seen
                place[r], seen[at] = at, r
                count[at, 0], count[at, 1] = 0.0, 0.0
                n_seen += 1
            unit_row[unit] = at
            count[at, 1] += 1.0
            if unit_value[unit]:
                count[at, 0] += 1.0
        for at in range(n_seen):
            forward(features[seen[at]], sizes, activation, psi, layers[at])
            a, w = layers[at, -3], layers[at, -2]
            w = softplus(w) if has_softplus else w
            theta[at, THETA_A], theta[at, THETA_W] = a, w
            theta[at, THETA_B] = softplus(a) - softplus(a + w) if is_tied else layers[at, -1]
        if cd_steps > 0:
            h0, h1 = diverge_machine(
                n, unit_row, unit_value, sampled, theta, b0, known[machine], cd_steps,
                seeds[position], machine,
            )  # fmt: skip
            delta_global = h0 - h1
            delta[:n_seen] = 0.0
            for unit in range(n):
                at = unit_row[unit]
                v0 = 1.0 if unit_value[unit] else 0.0
                v1 = 1.0 if sampled[unit] else 0.0
                delta[at, THETA_A] += v0 - v1
                delta[at, THETA_W] += v0 * h0 - v1 * h1
                delta[at, THETA_B] += delta_global
        else:
            delta_global = exact_terms(n_seen, count, theta, b0, known[machine], delta)
        gradient[:] = 0.0
        for at in range(n_seen):
            if is_tied:
                tpr, fpr = sigmoid(theta[at, 0] + theta[at, 1]), sigmoid(theta[at, 0])
                delta[at, THETA_A] += delta[at, THETA_B] * (fpr - tpr)
                delta[at, THETA_W] -= delta[at, THETA_B] * tpr
                delta[at, THETA_B] = 0.0
            if has_softplus:
                delta[at, THETA_W] *= sigmoid(layers[at, -2])
            backward(delta[at], sizes, activation, psi, layers[at], back, gradient)
        for k in range(len(psi)):
            psi[k] += rate * gradient[k]
        b0 += rate * delta_global
    return b0


@compiled
def exact_terms(n: int, count: Any, theta: Any, b0: float, known: int, delta: Any) -> Any:
    """Write the exact gradient of a machine in theta of its rows; return that in b_0.

    The formulas are those of `units`; a row may be that of several units.
    """
    if_false, if_true, bias, weight = 0.0, 0.0, b0, 0.0
    for at in range(n):
        if_false += count[at, 1] * softplus(theta[at, THETA_A])
        if_true += count[at, 1] * softplus(theta[at, THETA_A] + theta[at, THETA_W])
        bias += count[at, 1] * theta[at, THETA_B]
        weight += count[at, 0] * theta[at, THETA_W]
    q = sigmoid(bias + if_true - if_false)
    p = sigmoid(bias + weight) if known < 0 else float(known)
    for at in range(n):
        claimed, spoken = count[at, 0], count[at, 1]
        if_so = q * spoken * sigmoid(theta[at, THETA_A] + theta[at, THETA_W])
        delta[at, THETA_A] = claimed - if_so - (1.0 - q) * spoken * sigmoid(theta[at, THETA_A])
        delta[at, THETA_W] = p * claimed - if_so
        delta[at, THETA_B] = spoken * (p - q)
    return p - q


@compiled
def forward(x: Any, sizes: Any, activation: int, psi: Any, layers: Any) -> None:
    """Run the network forward; its layers, activated, stand one after the other."""
    for k in range(sizes[0]):
        layers[k] = x[k]
    first, start = 0, 0
    for layer in range(len(sizes) - 1):
        n_in, n_out = sizes[layer], sizes[layer + 1]
        bias = first + n_in * n_out
        for j in range(n_out):
            total = psi[bias + j]
            for k in range(n_in):
                total += psi[first + j * n_in + k] * layers[start + k]
            layers[start + n_in + j] = total
        if layer < len(sizes) - 2:
            for j in range(n_out):
                layers[start + n_in + j] = activated(layers[start + n_in + j], activation)
        first, start = bias + n_out, start + n_in


@compiled
def backward(
    delta: Any, sizes: Any, activation: int, psi: Any, layers: Any, back: Any, gradient: Any
) -> None:
    """Run error terms of the outputs backward; add them to the gradient in psi."""
    last = len(sizes) - 2
    end, stop = len(psi), len(layers)
    for j in range(3):
        back[0, j] = delta[j]
    for reverse in range(last + 1):
        layer = last - reverse
        n_in, n_out = sizes[layer], sizes[layer + 1]
        first, start = end - n_in * n_out - n_out, stop - n_out - n_in
        now, following = reverse % 2, 1 - reverse % 2
        for k in range(n_in):
            back[following, k] = 0.0
        for j in range(n_out):
            error = back[now, j]
            gradient[end - n_out + j] += error
            for k in range(n_in):
                gradient[first + j * n_in + k] += error * layers[start + k]
                back[following, k] += error * psi[first + j * n_in + k]
        if layer > 0:
            for k in range(n_in):
                back[following, k] *= slope(layers[start + k], activation)
        end, stop = first, stop - n_out


@compiled
def activated(x: float, activation: int) -> Any:
    """Return the activation of a hidden unit."""
    if activation == TANH:
        return math.tanh(x)
    if activation == RELU:
        return max(x, 0.0)
    return sigmoid(x)


@compiled
def slope(value: float, activation: int) -> Any:
    """Return the slope of an activation, by its value."""
    if activation == TANH:
        return 1.0 - value * value
    if activation == RELU:
        return 1.0 if value > 0.0 else 0.0
    return value * (1.0 - value)
