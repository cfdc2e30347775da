"""Names and the order of rows play no part in what the default believes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.worlds import BOOLEAN, CLOSED, OPEN, world

from veracity import GRBM, Attribute, Claims

Columns = dict[str, list[Any]]
KINDS = {"confusion": CLOSED, "lures": OPEN, "boolean": BOOLEAN}


def skilled(kind: str) -> Columns:
    """Draw claims with a feature that tells, so that claims are held out and features used."""
    rng = np.random.default_rng(2)
    skill = rng.normal(size=60)
    n_values = 2 if kind == "boolean" else 3
    rates = 1 / n_values + (1 - 1 / n_values) / (1 + np.exp(-3.0 * skill))
    drawn = world(rates.tolist(), 200, n_values=n_values, share=0.1, attribute=KINDS[kind], seed=2)
    place = [int(name[1:]) for name in drawn.columns["source"]]
    return {**drawn.columns, "source_skill": [float(skill[source]) for source in place]}


def plausibilities(columns: Columns, attribute: Attribute) -> tuple[GRBM, dict[Any, float]]:
    """Return the default, and what it makes of claims."""
    model = GRBM().fit(Claims.from_frame(columns, attributes={"*": attribute}))
    rows = model.statements_.to_pylist()
    return model, {(row["entity"], row["value"]): row["plausibility"] for row in rows}


def shuffled(columns: Columns) -> Columns:
    """Put the rows into another order."""
    order = np.random.default_rng(3).permutation(len(columns["source"]))
    return {name: [cells[place] for place in order] for name, cells in columns.items()}


def renamed(*names: str) -> Callable[[Columns], Columns]:
    """Give other names, in another order, to all that some columns name."""

    def rename(columns: Columns) -> Columns:
        return {
            name: [turned(cell) for cell in cells] if name in names else cells
            for name, cells in columns.items()
        }

    return rename


def turned(label: str) -> str:
    """Return another name for something, which sorts elsewhere; applied twice, the same."""
    return label[::-1]


CHANGES = {
    "rows shuffled": shuffled,
    "sources renamed": renamed("source"),
    "entities renamed": renamed("entity"),
    "values renamed": renamed("value"),
}


#: All but other words for yes and no.
CASES = [(change, kind) for change in CHANGES for kind in KINDS][:-1]


@pytest.mark.parametrize(("change", "kind"), CASES)
def test_names_and_order_play_no_part(change: str, kind: str) -> None:
    columns = skilled(kind)
    model, before = plausibilities(columns, KINDS[kind])
    again, after = plausibilities(CHANGES[change](columns), KINDS[kind])
    assert [trial.is_used for trial in again.feature_trials_] == [
        trial.is_used for trial in model.feature_trials_
    ]
    gains = [[trial.gain.mean for trial in one.feature_trials_] for one in (model, again)]
    assert gains[0]
    assert gains[1] == pytest.approx(gains[0], abs=1e-6)  # the same claims are held out
    if change == "entities renamed":
        after = {(turned(entity), value): p for (entity, value), p in after.items()}
    if change == "values renamed":
        after = {(entity, turned(value)): p for (entity, value), p in after.items()}
    assert after == pytest.approx(before, abs=1e-6)
