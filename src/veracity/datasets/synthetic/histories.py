"""An example of values that change: addresses of shops, told by registers that lag behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa

from veracity.data.output.write import write_table

FIRST_DAY = date(2021, 1, 1)
#: How long shops are watched, in days, and how often one moves in that time.
DAYS, MOVES = 1_000, 0.7
#: By how many days each register lags behind; the last stopped looking on day `FROZEN`.
LAGS = {"city": 3, "news": 20, "maps": 60, "reviews": 150, "directory": 10}
STOPPED, FROZEN = "directory", 250
#: How often a register errs, and how often it speaks about a shop.
ERRORS, CLAIMS = 0.05, 4
STREETS = ("Church Road", "High Street", "Lake View", "Market Square", "Mill Lane", "Station Road")


@dataclass(frozen=True)
class Shops:
    """Drawn shops that move.

    Attributes
    ----------
    claims
        source, shop, attribute, value and date.
    truth
        The address of each shop on the last day: entity, attribute and value.
    moves
        The shop, the day and the new address of each move.
    """

    claims: pa.Table
    truth: pa.Table
    moves: pa.Table

    def save(self, folder: str | Path) -> None:
        """Write ``shops.csv`` and ``addresses.csv`` into a folder that exists."""
        write_table(self.claims, Path(folder) / "shops.csv", "csv")
        write_table(self.truth, Path(folder) / "addresses.csv", "csv")


def example_shops(n_shops: int = 60, seed: int = 0) -> Shops:
    """Draw shops that move now and then, and what five registers say about where they are."""
    rng = np.random.default_rng(seed)
    claims: list[tuple[str, str, str, str, date]] = []
    truth: list[tuple[str, str, str]] = []
    moves: list[tuple[str, date, str]] = []
    for number in range(n_shops):
        shop = f"shop {number + 1}"
        days = np.sort(rng.integers(1, DAYS, rng.poisson(MOVES)))
        addresses = [_address(rng) for _ in range(len(days) + 1)]
        truth.append((shop, "address", addresses[-1]))
        moves += [
            (shop, FIRST_DAY + timedelta(int(day)), address)
            for day, address in zip(days, addresses[1:], strict=True)
        ]
        for register, lag in LAGS.items():
            for day in np.sort(rng.integers(0, DAYS, CLAIMS)):
                seen = min(day, FROZEN) if register == STOPPED else day - rng.exponential(lag)
                address = addresses[int(np.searchsorted(days, seen, side="right"))]
                if rng.random() < ERRORS:
                    address = _address(rng)
                when = FIRST_DAY + timedelta(int(day))
                claims.append((register, shop, "address", address, when))
    return Shops(
        _table(claims, ("source", "entity", "attribute", "value", "date")),
        _table(truth, ("entity", "attribute", "value")),
        _table(moves, ("entity", "date", "value")),
    )


def _address(rng: np.random.Generator) -> str:
    return f"{rng.integers(1, 60)} {rng.choice(STREETS)}"


def _table(rows: Sequence[tuple[object, ...]], names: tuple[str, ...]) -> pa.Table:
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(names)})
