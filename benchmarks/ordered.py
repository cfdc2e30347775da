"""Compare ordered values with other ways to judge levels: how often right, and how far off.

Drawn worlds of raters differ in one thing each; true levels are used to count only. Public sets
with ordered values are added where their folder is given.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv

from veracity import GRBM, Attribute, Claims
from veracity.data.arrays import Floats, Indices
from veracity.errors import ConvergenceWarning
from veracity.models import make_model

NAME = "level"
#: Public sets whose values are ordered.
SETS = ("web_relevance", "metaphor_novelty", "css_politeness")


@dataclass(frozen=True)
class World:
    """Raters who see levels; what is not said is as in the plain world.

    Attributes
    ----------
    name
        For the table.
    bias
        The standard deviation of the bias of raters, in levels.
    stretch
        How far apart raters see neighbouring levels, from and to.
    spread
        The spread of raters, from and to, in levels.
    random, constant
        The share of raters who answer at random, and who always say the same.
    shares
        How often each level is true.
    claims_of_rater
        About how many items a rater rates.
    """

    name: str
    bias: float = 0.3
    stretch: tuple[float, float] = (1.0, 1.0)
    spread: tuple[float, float] = (0.4, 1.2)
    random: float = 0.0
    constant: float = 0.0
    shares: tuple[float, ...] = (0.2, 0.2, 0.2, 0.2, 0.2)
    claims_of_rater: int = 60


WORLDS = (
    World("plain"),
    World("shifted raters", bias=1.0),
    World("central tendency", stretch=(0.3, 1.0)),
    World("random raters", random=0.4),
    World("constant raters", constant=0.3),
    World("good and bad raters", spread=(0.2, 2.5)),
    World("few claims each", random=0.2, claims_of_rater=3),
    World("rare levels", shares=(0.6, 0.25, 0.1, 0.04, 0.01)),
    World("a level is missing", shares=(0.3, 0.3, 0.0, 0.2, 0.2)),
    World("three levels", shares=(0.4, 0.35, 0.25)),
)


@dataclass(frozen=True, eq=False)
class Rated:
    """Claims of levels as text, the levels from low to high, and those that are true by entity."""

    table: pa.Table
    order: tuple[str, ...]
    truth: Mapping[str, str]


def draw(world: World, seed: int, n_items: int = 400, n_claims: int = 5) -> Rated:
    """Draw claims about items by some raters each."""
    rng = np.random.default_rng(seed)
    n_levels = len(world.shares)
    n_raters = max(n_items * n_claims // world.claims_of_rater, n_claims)
    truth = rng.choice(n_levels, n_items, p=world.shares)
    bias = rng.normal(0, world.bias, n_raters)
    stretch, spread = rng.uniform(*world.stretch, n_raters), rng.uniform(*world.spread, n_raters)
    kind = rng.random(n_raters)
    favourite = rng.integers(0, n_levels, n_raters)
    rater = np.concatenate([rng.choice(n_raters, n_claims, replace=False) for _ in truth])
    item = np.repeat(np.arange(n_items), n_claims)
    middle = (n_levels - 1) / 2
    seen = middle + stretch[rater] * (truth[item] - middle) + bias[rater]
    said = _level(seen + spread[rater] * rng.normal(size=len(item)), n_levels)
    at_random = rng.integers(0, n_levels, len(item))
    said = np.where(kind[rater] < world.random, at_random, said)
    said = np.where(kind[rater] > 1 - world.constant, favourite[rater], said)
    order = tuple(str(level + 1) for level in range(n_levels))
    columns = {
        "source": [f"r{one}" for one in rater],
        "entity": [f"e{one}" for one in item],
        "attribute": [NAME] * len(item),
        "value": [order[level] for level in said],
    }
    right = {f"e{place}": order[level] for place, level in enumerate(truth)}
    return Rated(pa.table(columns), order, right)


def _level(seen: Floats, n_levels: int) -> Indices:
    return np.clip(np.rint(seen), 0, n_levels - 1).astype(np.int64)


def read(folder: Path) -> Rated:
    """Read a public set whose values are numbers in order."""
    text = csv.ConvertOptions(column_types=dict.fromkeys(("source", "entity", "value"), "string"))
    claims, truth = (
        csv.read_csv(folder / f"{part}.csv.gz", convert_options=text)
        for part in ("claims", "truth")
    )
    order = tuple(sorted(set(claims["value"].to_pylist()), key=float))
    right = zip(truth["entity"].to_pylist(), truth["value"].to_pylist(), strict=True)
    table = claims.select(["source", "entity", "value"])
    table = table.append_column("attribute", pa.array([NAME] * len(table), pa.string()))
    return Rated(table, order, dict(right))


def believed_by(model: str) -> Callable[[Rated], dict[str, str]]:
    """Return a judge of levels as mere names."""

    def judge(rated: Rated) -> dict[str, str]:
        setting = {NAME: Attribute("single", "closed")}
        fitted = make_model(model).fit(Claims.from_frame(rated.table, attributes=setting))
        return {row["entity"]: row["value"] for row in fitted.truths_.to_pylist()}

    return judge


def median(rated: Rated) -> dict[str, str]:
    """Believe the median of the levels that are claimed, of two the lower."""
    levels: dict[str, list[int]] = {}
    for row in rated.table.to_pylist():
        levels.setdefault(row["entity"], []).append(rated.order.index(row["value"]))
    return {
        entity: rated.order[sorted(said)[(len(said) - 1) // 2]] for entity, said in levels.items()
    }


def ordered(rated: Rated, column: str = "value") -> dict[str, str]:
    """Judge levels as ordered."""
    setting = {NAME: Attribute(order=rated.order)}
    fitted = GRBM().fit(Claims.from_frame(rated.table, attributes=setting))
    return {row["entity"]: row[column] for row in fitted.truths_.to_pylist()}


def any_level(rated: Rated) -> dict[str, str]:
    """Judge levels as ordered, and believe those that nobody claims, too."""
    return ordered(rated, "level")


JUDGES: dict[str, Callable[[Rated], dict[str, str]]] = {
    "vote": believed_by("vote"),
    "median": median,
    "Dawid-Skene": believed_by("dawid-skene"),
    "GRBM": believed_by("grbm"),
    "ordered": ordered,
    "ordered, any level": any_level,
}


def measured(rated: Rated, believed: Mapping[str, str]) -> tuple[float, float]:
    """Return the share of items that are right, and the mean error in levels."""
    place = {level: number for number, level in enumerate(rated.order)}
    off = np.array(
        [
            abs(place[value] - place[rated.truth[entity]])
            for entity, value in believed.items()
            if rated.truth.get(entity) in place
        ]
    )
    return float(np.mean(off == 0)), float(np.mean(off))


def rows(
    worlds: Mapping[str, Sequence[Callable[[], Rated]]], judges: Sequence[str]
) -> Iterator[str]:
    """Return the rows of a table in Markdown, as they are found."""
    yield f"| | {' | '.join(judges)} |"
    yield f"|---|{'--:|' * len(judges)}"
    for name, draws in worlds.items():
        found: dict[str, list[tuple[float, float]]] = {judge: [] for judge in judges}
        for one in draws:
            rated = one()
            for judge in judges:
                found[judge].append(measured(rated, JUDGES[judge](rated)))
        means = [np.mean(found[judge], axis=0) for judge in judges]
        cells = [f"{right:.3f} / {off:.3f}" for right, off in means]
        yield f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="draws of each world")
    parser.add_argument("--data", default=os.environ.get("VERACITY_DATA"), help="public sets")
    parser.add_argument("--judges", default=";".join(JUDGES), help="separated by semicolons")
    given = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    asked: dict[str, list[Callable[[], Rated]]] = {
        world.name: [partial(draw, world, seed) for seed in range(given.seeds)] for world in WORLDS
    }
    if given.data:
        folders = [Path(given.data) / name for name in SETS]
        asked |= {folder.name: [partial(read, folder)] for folder in folders}
    for row in rows(asked, given.judges.split(";")):
        sys.stdout.write(row + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
