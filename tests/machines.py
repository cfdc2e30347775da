"""Small machines for tests: claims of every kind, their visible units, and brute force."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from veracity import Attribute, ClaimMatrix, Claims
from veracity.data.arrays import Floats
from veracity.data.encode.denials import claim_roles
from veracity.models.grbm.observation.units import Units
from veracity.models.grbm.theta import Theta

By = Literal["source", "claim", "statement"]

ATTRIBUTES = {
    "colour": Attribute("single", "open"),
    "author": Attribute("multiple", "open"),
    "open": Attribute("boolean", "closed", positive="yes"),
}

#: source, entity, attribute, value, asserts
ROWS: list[tuple[str, str, str, str, int]] = [
    ("ann", "sky", "colour", "blue", 1),
    ("bob", "sky", "colour", "grey", 1),
    ("cat", "sky", "colour", "grey", 1),
    ("dan", "sky", "colour", "blue", 0),  # a denial alone
    ("cat", "sky", "colour", "red", 0),  # denied anyway
    ("ann", "sea", "colour", "green", 1),  # nobody to object
    ("ann", "book", "author", "eco", 1),
    ("ann", "book", "author", "poe", 1),  # several values by one source
    ("bob", "book", "author", "poe", 1),
    ("cat", "book", "author", "kant", 1),
    ("cat", "book", "author", "eco", 1),
    ("cat", "book", "author", "poe", 0),  # denied anyway
    ("dan", "book", "author", "eco", 0),
    ("dan", "book", "author", "poe", 0),  # two denials, nothing named
    ("ann", "shop", "open", "yes", 1),
    ("bob", "shop", "open", "no", 1),
    ("cat", "shop", "open", "yes", 1),
    ("dan", "shop", "open", "yes", 0),
    ("bob", "bank", "open", "no", 1),  # denied by all
]
NAMES = ("source", "entity", "attribute", "value", "asserts")


def every_kind(extra: dict[str, list[Any]] | None = None) -> Claims:
    """Return claims about single-valued, multi-valued and boolean items, with denials."""
    columns = {name: [row[i] for row in ROWS] for i, name in enumerate(NAMES)}
    return Claims.from_frame({**columns, **(extra or {})}, attributes=ATTRIBUTES)


def closed(n_claims: int = 300, n_classes: int = 3, seed: int = 1, denials: float = 0.1) -> Claims:
    """Draw claims about items of a closed attribute."""
    rng = np.random.default_rng(seed)
    columns = {
        "source": [f"s{i}" for i in rng.integers(0, 6, n_claims)],
        "entity": [f"e{i}" for i in rng.integers(0, 60, n_claims)],
        "value": [f"v{i}" for i in rng.integers(0, n_classes, n_claims)],
        "asserts": (rng.random(n_claims) >= denials).astype(int).tolist(),
    }
    return Claims.from_frame(columns, attributes={"*": Attribute("single", "closed")})


def answers(n_items: int, tpr: Floats, fpr: Floats, seed: int, share: float = 0.5) -> Claims:
    """Draw yes or no from the model itself: every source about every item."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n_items) < share
    rate = np.where(truth[:, None], tpr, fpr)
    said = rng.random(rate.shape) < rate
    item, source = np.indices(said.shape)
    columns = {
        "source": [f"s{i}" for i in source.ravel()],
        "entity": [f"e{i}" for i in item.ravel()],
        "attribute": ["open"] * said.size,
        "value": np.where(said.ravel(), "yes", "no").tolist(),
    }
    return Claims.from_frame(columns, attributes={"open": ATTRIBUTES["open"]})


def units_of(claims: Claims, by: By = "source", seed: int = 0) -> Units:
    """Return units with a row of theta for each source, claim, or source and kind of statement."""
    matrix = claims.matrix
    roles = claim_roles(matrix)
    if by == "source":
        return Units.of(roles, matrix.source_index, matrix.n_sources)
    if by == "claim":
        return Units.of(roles, np.arange(matrix.n_claims, dtype=np.int32), matrix.n_claims)
    state = np.random.default_rng(seed).integers(0, 2, matrix.n_statements).astype(np.int32)
    row_of = np.arange(2 * matrix.n_sources, dtype=np.int32).reshape(-1, 2)
    units = Units.of(roles, matrix.source_index, matrix.n_sources)
    return replace(units, state=state, row_of=row_of, n_rows=row_of.size)


def some_theta(n_rows: int, seed: int = 0, size: float = 1.0) -> Theta:
    """Draw a theta for each row."""
    return Theta(*np.random.default_rng(seed).normal(0.0, size, (3, n_rows)))


def visible_units(matrix: ClaimMatrix, statement: int) -> list[tuple[int, bool]]:
    """List, in plain Python, the claim and the value of each unit of a statement.

    A source that names a value of the item speaks about all its statements; one that only denies
    speaks about what it denies.
    """
    item = matrix.item_of_statement[statement]
    boolean = matrix.profiles[matrix.attribute_index[item]].kind == "boolean"
    spoken: dict[int, list[int]] = {}
    for claim in np.flatnonzero(matrix.item_of_claim == item).tolist():
        spoken.setdefault(int(matrix.source_index[claim]), []).append(claim)
    units = []
    for said in spoken.values():
        named = said if boolean else [claim for claim in said if matrix.claim_value[claim]]
        here = [claim for claim in said if matrix.statement_index[claim] == statement]
        about = [claim for claim in here if claim in named]
        if about:
            units.append((about[0], bool(matrix.claim_value[about[0]])))
        elif named:
            units.append((named[0], False))
        elif here:
            units.append((here[0], False))
    return units


def energy(theta: Floats, b_0: float, visible: Floats, hidden: int) -> float:
    """Return the negative energy of a state; theta has a row for each unit."""
    a, w, b = theta.T
    return float(a @ visible + hidden * (b_0 + b.sum() + w @ visible))


def log_probability(theta: Floats, b_0: float, visible: Floats, known: int = -1) -> float:
    """Return log P(visible), or with known truth log P(visible, hidden), by all states."""
    states = itertools.product([0.0, 1.0], repeat=len(visible))
    every = [energy(theta, b_0, np.array(state), hidden) for state in states for hidden in (0, 1)]
    own = [energy(theta, b_0, visible, hidden) for hidden in ((0, 1) if known < 0 else (known,))]
    return float(np.logaddexp.reduce(own) - np.logaddexp.reduce(every))


def brute_force(claims: Claims, units: Units, theta: Theta, b_0: float) -> float:
    """Return the log-likelihood of claims, statement by statement, state by state."""
    columns = np.stack(theta, axis=1)
    total = 0.0
    for statement in range(claims.matrix.n_statements):
        found = visible_units(claims.matrix, statement)
        rows = [units.row_of[units.row[claim], units.state[statement]] for claim, _ in found]
        visible = np.array([float(value) for _, value in found])
        known = -1 if units.known is None else int(units.known[statement])
        total += log_probability(columns[rows], b_0, visible, known)
    return total
