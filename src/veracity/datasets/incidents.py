"""Incidents rated by a team: a small table, made anew at each call and always the same.

Each incident is rated by four of six colleagues, from low to critical. Two of them are peculiar:
`dora` rates one level too high, and `finn` often does not look.
"""

from __future__ import annotations

import random

import pyarrow as pa

LEVELS = ("low", "medium", "high", "critical")
#: How often each level is true.
SHARES = (0.35, 0.35, 0.2, 0.1)
#: By how many levels each colleague is too high on average, and how much that varies.
COLLEAGUES = {
    "ana": (0.0, 0.35),
    "ben": (0.1, 0.5),
    "cleo": (-0.1, 0.45),
    "dora": (1.0, 0.4),
    "emil": (0.0, 0.6),
    "finn": (0.0, 3.0),
}
RATINGS = 4


def claims(n_incidents: int = 200, seed: int = 0) -> pa.Table:
    """Return the ratings: source, entity, attribute and value.

    >>> from veracity import datasets
    >>> datasets.incidents.claims().slice(0, 1).to_pylist()
    [{'source': 'ana', 'entity': 'INC-001', 'attribute': 'severity', 'value': 'medium'}]
    """
    draw = random.Random(f"ratings {seed}")
    rows = []
    for row in truth(n_incidents, seed).to_pylist():
        for name in draw.sample(list(COLLEAGUES), RATINGS):
            bias, spread = COLLEAGUES[name]
            seen = LEVELS.index(row["value"]) + draw.gauss(bias, spread)
            level = min(max(round(seen), 0), len(LEVELS) - 1)
            rows.append({"source": name, **row, "value": LEVELS[level]})
    return pa.Table.from_pylist(rows)


def truth(n_incidents: int = 200, seed: int = 0) -> pa.Table:
    """Return how severe each incident is: entity, attribute, value."""
    draw = random.Random(f"incidents {seed}")
    return pa.Table.from_pylist(
        [
            {"entity": f"INC-{number:03}", "attribute": "severity", "value": level}
            for number, level in enumerate(draw.choices(LEVELS, SHARES, k=n_incidents), start=1)
        ]
    )
