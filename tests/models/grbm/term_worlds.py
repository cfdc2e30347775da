"""Drawn claims for tests of terms: sources that know how sure they are, specialists, and the like.

All items have three values, and claims that are wrong are so at random.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.worlds import CLOSED, World

from veracity import Attribute, Claims
from veracity.data.arrays import Floats


def drawn(
    right: Floats, columns: dict[str, Any], attribute: Attribute = CLOSED, seed: int = 0
) -> World:
    """Draw claims of every source about every item, given the probability of being right.

    Parameters
    ----------
    right
        Of each claim; (n_items, n_sources).
    columns
        Feature columns of the same shape, by name.
    attribute
        How the claims are to be read.
    seed
        Of what is drawn.
    """
    rng = np.random.default_rng(seed + 1_000)
    truth = rng.integers(0, 3, (len(right), 1))
    wrong = (truth + rng.integers(1, 3, right.shape)) % 3
    said = np.where(rng.random(right.shape) < right, truth, wrong)
    item, source = map(np.ravel, np.indices(right.shape))
    table = {
        "source": [f"s{number:02d}" for number in source],
        "entity": [f"e{number:04d}" for number in item],
        "value": [f"v{number}" for number in said.ravel()],
        **{name: np.asarray(cells).ravel().tolist() for name, cells in columns.items()},
    }
    claims = Claims.from_frame(table, attributes={"*": attribute})
    return World(claims, table, {f"e{n:04d}": f"v{value}" for n, value in enumerate(truth[:, 0])})


def sigmoid(x: Any) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-np.asarray(x, np.float64))))


def sure_sources(n_items: int = 400, seed: int = 0, own: bool = True) -> World:
    """Sources that state how sure they are; for some it means much, for others nothing.

    Each has a level of its own about which it states its confidence.
    """
    rng = np.random.default_rng(seed)
    slope = np.where(np.arange(6) % 2, 3.0, 0.0) if own else np.full(6, 1.5)
    level = rng.normal(0.5, 1.0, 6)
    sure = rng.normal(size=(n_items, 6))
    stated = np.round(sigmoid(level + sure), 3)
    return drawn(sigmoid(0.2 + slope * sure), {"claim_confidence": stated}, seed=seed)
