"""Exact marginals of a few variables under rules, by going through all their states.

A world gives each variable a state. Without rules, variables are independent, so that the
probability of a world is the product of those of its states. Each rule that a world breaks divides
it by exp(weight); a hard rule makes it impossible. What is left is made to sum to one:

    P(world)  ~  prod_v p_v(state of v in the world)  x  prod_{rules broken} exp(-weight)
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats

#: Probabilities of worlds that are held at a time.
AT_A_TIME = 1 << 22

States = tuple[int, ...]


class Breach(NamedTuple):
    """Worlds that break a rule: two variables, and the states in which they do so together."""

    first: int
    in_states: States
    second: int
    with_states: States
    penalty: float


class Worlds:
    """All worlds of variables that rules link.

    Parameters
    ----------
    sizes
        The number of states of each variable.
    breaches
        What breaks a rule.
    """

    def __init__(self, sizes: Sequence[int], breaches: Sequence[Breach]) -> None:
        worlds = np.arange(prod(sizes))
        state = np.stack(np.unravel_index(worlds, tuple(sizes))).astype(np.int32)
        lost = np.zeros(len(worlds))
        for breach in breaches:
            broken = _marked(sizes[breach.first], breach.in_states)[state[breach.first]]
            broken &= _marked(sizes[breach.second], breach.with_states)[state[breach.second]]
            lost[broken] += breach.penalty
        possible = np.isfinite(lost)
        self.sizes = tuple(sizes)
        self._state, self._lost = state[:, possible], lost[possible]

    def marginals(self, probabilities: Sequence[Floats]) -> tuple[list[Floats], list[int]]:
        """Return the probability of each state of each variable, given the rules.

        Parameters
        ----------
        probabilities
            Of the states of each variable without the rules, one row for each entity; each
            (n_entities, n_states).

        Returns
        -------
        marginals
            Of each variable; (n_entities, n_states). NaN for entities without a possible world.
        impossible
            The places of those entities.
        """
        n_entities = len(probabilities[0])
        found = [np.full((n_entities, size), np.nan) for size in self.sizes]
        if not self._state.shape[1]:
            return found, list(range(n_entities))
        step = max(1, AT_A_TIME // self._state.shape[1])
        with np.errstate(divide="ignore"):
            logs = [np.log(rows) for rows in probabilities]
        impossible: list[int] = []
        for begin in range(0, n_entities, step):
            some = slice(begin, begin + step)
            joint = -self._lost + sum(
                rows[some][:, own] for rows, own in zip(logs, self._state, strict=True)
            )
            best = joint.max(axis=1)
            impossible += (begin + np.flatnonzero(np.isneginf(best))).tolist()
            with np.errstate(invalid="ignore"):
                weight = np.exp(joint - best[:, None])
                weight /= weight.sum(axis=1, keepdims=True)
            for rows, own in zip(found, self._state, strict=True):
                for state in range(rows.shape[1]):
                    rows[some, state] = weight[:, own == state].sum(axis=1)
        return found, impossible


def _marked(size: int, states: States) -> npt.NDArray[np.bool_]:
    marked = np.zeros(size, np.bool_)
    marked[list(states)] = True
    return marked
