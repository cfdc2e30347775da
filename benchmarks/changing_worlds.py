"""Drawn histories: items whose truth changes; sources that are fresh, late, frozen or copies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

#: From the first to the last claim: three years, in days.
SPAN = 1_000.0


@dataclass(frozen=True)
class Regime:
    """A kind of world.

    Attributes
    ----------
    name
        For the table.
    rate
        How often the truth of an item changes, on average.
    errors
        How often each source is wrong.
    lags
        By how much each source looks back: the mean of an exponential number of days, anew for each
        claim.
    frozen
        Sources that stopped to look after three tenths of the time.
    copies
        Of copiers, whom they copy; their lag is that of the copy.
    n_claims
        Claims that each source makes about an item, at random times, 1 or more; less than 1 is the
        probability of one.
    n_values
        Values that an item can have.
    """

    name: str
    rate: float
    errors: tuple[float, ...] = (0.1,) * 8
    lags: tuple[float, ...] = (1.0,) * 8
    frozen: tuple[int, ...] = ()
    copies: dict[int, int] = field(default_factory=dict)
    n_claims: float = 1.0
    n_values: int = 12


REGIMES = (
    Regime("constant", 0.0),
    Regime("constant, errors of 40 %", 0.0, errors=(0.4,) * 8),
    Regime("addresses", 0.7, lags=(5, 20, 40, 80, 120, 200, 300, 400)),
    Regime("addresses, few claims", 0.7, lags=(5, 20, 40, 80, 120, 200, 300, 400), n_claims=0.4),
    Regime("addresses, asked often", 0.7, lags=(5, 20, 40, 80, 120, 200, 300, 400), n_claims=6),
    Regime("most sources late", 1.0, lags=(5, 5, 5, 500, 500, 500, 500, 500)),
    Regime("prices", 6.0, errors=(0.05,) * 8, n_claims=6, n_values=40),
    Regime("prices, errors of 30 %", 6.0, errors=(0.3,) * 8, n_claims=6, n_values=40),
    Regime("good and bad sources", 1.0, errors=(0.02, 0.02, 0.02, 0.5, 0.5, 0.5, 0.5, 0.5)),
    Regime("one source frozen", 1.0, frozen=(0,), n_claims=3),
    Regime("three of eight frozen", 1.0, frozen=(0, 1, 2), n_claims=3),
    Regime("late copies", 1.0, copies={3: 0, 4: 0, 5: 0, 6: 1}, lags=(5, 5, 5) + (100,) * 5),
    Regime("copies of a bad source", 0.7, errors=(0.4,) + (0.1,) * 7, copies={4: 0, 5: 0, 6: 0}),
)


@dataclass(frozen=True)
class World:
    """Claims (source, entity, value, time), and the history of each entity: times and values."""

    claims: dict[str, list[Any]]
    changes: dict[str, np.ndarray]
    values: dict[str, list[int]]

    def at(self, entity: str, time: float) -> str:
        """Return the true value of an entity at a time."""
        return f"v{self.values[entity][int(np.searchsorted(self.changes[entity], time))]}"


def draw_world(regime: Regime, seed: int, n_items: int = 150) -> World:
    """Draw a world of a kind."""
    rng = np.random.default_rng(seed)
    claims: dict[str, list[Any]] = {"source": [], "entity": [], "value": [], "time": []}
    world = World(claims, {}, {})
    for item in range(n_items):
        entity = f"e{item:04}"
        world.changes[entity] = np.sort(rng.uniform(0, SPAN, rng.poisson(regime.rate)))
        world.values[entity] = _values(rng, len(world.changes[entity]) + 1, regime.n_values)
        said: dict[int, list[tuple[float, int]]] = {}
        for source in range(len(regime.errors)):
            said[source] = _claims(rng, regime, world, entity, source, said)
            for time, value in said[source]:
                claims["source"].append(f"s{source}")
                claims["entity"].append(entity)
                claims["value"].append(f"v{value}")
                claims["time"].append(time)
    return world


def _values(rng: np.random.Generator, count: int, n_values: int) -> list[int]:
    values = [int(rng.integers(n_values))]
    while len(values) < count:
        values.append(_other(rng, values[-1], n_values))
    return values


def _claims(
    rng: np.random.Generator,
    regime: Regime,
    world: World,
    entity: str,
    source: int,
    said: dict[int, list[tuple[float, int]]],
) -> list[tuple[float, int]]:
    """Return times and values of what a source says about an entity."""
    wanted = regime.n_claims
    count = int(wanted) if wanted >= 1 else int(rng.random() < wanted)
    found = []
    for time in np.sort(rng.uniform(0, SPAN, count)):
        looks = time - rng.exponential(regime.lags[source])
        if source in regime.frozen:
            looks = min(looks, 0.3 * SPAN)
        copied = [
            value for when, value in said.get(regime.copies.get(source, -1), ()) if when <= looks
        ]
        if source in regime.copies:
            if copied:
                found.append((float(time), copied[-1]))
            continue
        value = int(world.at(entity, looks)[1:])
        if rng.random() < regime.errors[source]:
            value = _other(rng, value, regime.n_values)
        found.append((float(time), value))
    return found


def _other(rng: np.random.Generator, value: int, n_values: int) -> int:
    other = int(rng.integers(n_values - 1))
    return other + (other >= value)
