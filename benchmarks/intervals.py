"""How often 90 % intervals of sources' rates hold the true ones, in worlds where these are known.

Run with ``make bench-intervals``, or ``python benchmarks/intervals.py [--seeds 3]``. In every world
the log-odds of knowing the truth are normal over sources, about 1; who does not know guesses. The
worlds differ in how much sources scatter, in how many claims each makes, and in the kind of
attribute. Eight sources speak about an item, on average.

The fpr of an open attribute is left out: how often a false value is named depends on how many
there are, which nobody knows.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from veracity import GRBM, Attribute, Claims

KINDS = {
    "open": Attribute("single", "open"),
    "closed": Attribute("single", "closed"),
    "boolean": Attribute("boolean", "closed", positive="yes"),
}
SCATTERS = (0.3, 0.6, 1.0, 1.5)
CLAIMS = (5, 20, 200)
RATES = ("reliability", "tpr", "fpr")
MEAN, PER_ITEM, N_VALUES = 1.0, 8, 4


@dataclass(frozen=True)
class Drawn:
    """Claims, and the true rates of their sources, by name, in the order of the claims' sources."""

    claims: Claims
    rates: dict[str, Any]


def draw(kind: str, scatter: float, n_claims: int, n_sources: int, seed: int) -> Drawn:
    """Draw a world."""
    rng = np.random.default_rng([seed, n_claims, round(100 * scatter), len(kind)])
    n_values = 2 if kind == "boolean" else N_VALUES
    n_items = n_sources * n_claims // PER_ITEM
    knows = 1 / (1 + np.exp(-rng.normal(MEAN, scatter, n_sources)))
    right = knows + (1 - knows) / n_values
    source = np.repeat(np.arange(n_sources), n_claims)
    item = np.concatenate([rng.permutation(n_items)[:n_claims] for _ in range(n_sources)])
    truth = rng.integers(0, n_values, n_items)
    wrong = (truth[item] + rng.integers(1, n_values, len(item))) % n_values
    said = np.where(rng.random(len(item)) < right[source], truth[item], wrong)
    words = np.array(["no", "yes"] if kind == "boolean" else [f"v{i}" for i in range(n_values)])
    columns = {
        "source": [f"s{number}" for number in source],
        "entity": [f"e{number}" for number in item],
        "value": words[said].tolist(),
    }
    claims = Claims.from_frame(columns, attributes={"*": KINDS[kind]})
    place = [int(name[1:]) for name in claims.matrix.sources.to_pylist()]
    wrongly = (1 - right) / (n_values - 1)
    rates = {"reliability": right[place], "tpr": right[place], "fpr": wrongly[place]}
    return Drawn(claims, rates)


def judged(drawn: Drawn) -> dict[str, tuple[Any, Any]]:
    """Return, for each rate, whether the intervals of sources hold it, and how wide they are."""
    table = GRBM(features="never").fit(drawn.claims).sources_.to_arrow()
    found = {}
    for name in RATES:
        low, high = (table[f"{name}_{end}"].to_numpy() for end in ("low", "high"))
        true = drawn.rates[name]
        found[name] = (low <= true) & (true <= high), high - low
    return found


def rows(n_sources: int, n_seeds: int) -> Iterator[str]:
    """Write a row for each kind, scatter and number of claims."""
    for kind in KINDS:
        for scatter in SCATTERS:
            for n_claims in CLAIMS:
                runs = [
                    judged(draw(kind, scatter, n_claims, n_sources, seed))
                    for seed in range(n_seeds)
                ]
                cells = [kind, f"{scatter:g}", str(n_claims)]
                for name in RATES:
                    holds, width = (np.concatenate([run[name][i] for run in runs]) for i in (0, 1))
                    hidden = kind == "open" and name == "fpr"
                    cells.append("" if hidden else f"{holds.mean():.3f} ({width.mean():.3f})")
                yield f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=int, default=300, help="how many a world has")
    parser.add_argument("--seeds", type=int, default=3, help="how many worlds of each sort")
    arguments = parser.parse_args()
    print("Share of 90 % intervals that hold the true rate (mean width)\n")
    print("| kind | scatter | claims a source | reliability | tpr | fpr |")
    print("|---|--:|--:|--:|--:|--:|", flush=True)
    for row in rows(arguments.sources, arguments.seeds):
        print(row, flush=True)


if __name__ == "__main__":
    main()
