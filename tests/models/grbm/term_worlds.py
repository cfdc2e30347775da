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


def specialists(n_items: int = 450, seed: int = 0, n_domains: int = 3) -> World:
    """Two sources know each domain; elsewhere they guess, as two more do everywhere."""
    domain = np.arange(n_items)[:, None] % n_domains
    knows = np.append(np.repeat(np.arange(n_domains), 2), [-1, -1])
    right = np.where(knows == domain, 0.92, 0.4)
    topic = np.broadcast_to([f"topic {number}" for number in range(n_domains)], (1, n_domains))
    topics = np.broadcast_to(topic[0][domain], right.shape)
    return drawn(right, {"entity_topic": topics}, seed=seed)


def day_and_night(n_items: int = 600, seed: int = 0) -> World:
    """Half of the sources are reliable by day and half by night, on forty days."""
    rng = np.random.default_rng(seed)
    seconds = 1_700_000_000.0 + rng.integers(0, 40 * 86_400, (n_items, 8))
    is_day = np.abs(seconds % 86_400 / 3600.0 - 12.0) < 6.0
    owl = np.arange(8) % 2 == 1
    return drawn(np.where(is_day != owl, 0.9, 0.38), {"claim_time": seconds}, seed=seed)


def by_day(n_items: int = 600, seed: int = 0) -> World:
    """All sources are reliable by day, and none by night."""
    rng = np.random.default_rng(seed)
    seconds = 1_700_000_000.0 + rng.integers(0, 40 * 86_400, (n_items, 5))
    is_day = np.abs(seconds % 86_400 / 3600.0 - 12.0) < 6.0
    return drawn(np.where(is_day, 0.9, 0.38), {"claim_time": seconds}, seed=seed)


def here_and_there(n_items: int = 600, seed: int = 0) -> World:
    """Sources are reliable near where they are, and guess far from it."""
    rng = np.random.default_rng(seed)
    lat, lon = rng.uniform(44.0, 50.0, (n_items, 1)), rng.uniform(4.0, 14.0, (n_items, 1))
    home = np.array([(45.0, 6.0), (45.0, 12.0), (49.0, 6.0), (49.0, 12.0)] * 2)
    far = np.hypot((lat - home[:, 0]) / 1.7, (lon - home[:, 1]) / 2.9)
    columns = {
        "entity_lat": np.broadcast_to(lat, far.shape),
        "entity_lon": np.broadcast_to(lon, far.shape),
    }
    return drawn(np.where(far < 1.2, 0.92, 0.4), columns, seed=seed)


def reception(n_items: int = 600, seed: int = 0) -> World:
    """Claims are reliable in the north-west, and guesses elsewhere, whoever makes them."""
    rng = np.random.default_rng(seed)
    lat, lon = rng.uniform(44.0, 50.0, (n_items, 5)), rng.uniform(4.0, 14.0, (n_items, 5))
    right = np.where((lat > 47.0) & (lon < 9.0), 0.93, 0.42)
    return drawn(right, {"claim_lat": lat, "claim_lon": lon}, seed=seed)
