"""Values within values: exact answers and answers by level, against vote, flat default and depth.

Run by ``make bench-hierarchy``; the folder of the public sets is given by VERACITY_DATA. Drawn
trees come first: sources that are careful or careless, some of which mostly name wide places. Then
the public set of birthplaces. It says how deep each place is, but not what lies within what; the
parent of a place is taken to be the wider place that is claimed beside it most often. The truth
plays no part in that.

For each method it prints the share of exact answers, the share of answers that hold (the truth or
something around it), the mean score of Wu and Palmer (1994), 2 d(common) / (d(answer) + d(truth)),
and how many careful sources come behind a careless one in reliability, or are called copiers.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv

from veracity import GRBM, Attribute, Claims, MajorityVote
from veracity.data.hierarchy.hierarchy import Hierarchy
from veracity.datasets.synthetic.places import PlaceSource, draw_places
from veracity.errors import ConvergenceWarning

METHODS = ("vote", "deepest claim", "flat default", "hierarchy")


@dataclass(frozen=True)
class World:
    """Claims about places: rows of source, entity and value, the truth, and parents of places.

    ``careful`` names the sources that should not be doubted, ``careless`` those that should.
    """

    name: str
    claims: Mapping[str, Sequence[str]]
    truth: Mapping[str, str]
    parents: Mapping[str, str]
    careful: frozenset[str] = frozenset()
    careless: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Found:
    """What a method answers: a value for each entity, reliabilities, and who is called a copier."""

    answers: Mapping[str, str]
    reliability: Mapping[str, float]
    copiers: frozenset[str] = frozenset()


# Worlds


def drawn_worlds(seed: int, n_items: int) -> Iterator[World]:
    """Draw trees of several shapes, with few and many sources that name wide places."""
    shapes: dict[str, tuple[int, int, tuple[int, ...], float]] = {
        "few wide": (3, 2, (4, 4, 4), 0.6),
        "many wide": (3, 5, (4, 4, 4), 0.6),
        "mostly wide": (2, 8, (4, 4, 4), 0.6),
        "none wide": (6, 0, (4, 4, 4), 0.6),
        "broad tree": (4, 4, (10, 10), 0.6),
        "deep tree": (4, 4, (3, 3, 3, 3, 3), 0.6),
        "sparse": (10, 10, (4, 4, 4), 0.2),
    }
    for name, (n_fine, n_wide, branches, coverage) in shapes.items():
        sources = [*_ranked("fine", n_fine, 0.0), *_ranked("wide", n_wide, 0.9)]
        drawn = draw_places(sources, n_items, branches, coverage, seed)
        careful = frozenset(one.name for one in sources if one.right >= 0.85)
        careless = frozenset(one.name for one in sources if one.right <= 0.65)
        yield World(name, drawn.claims, drawn.truth, drawn.parents, careful, careless)


def _ranked(name: str, n: int, coarse: float) -> list[PlaceSource]:
    rights = np.linspace(0.95, 0.6, n)
    return [PlaceSource(f"{name} {place}", float(r), coarse) for place, r in enumerate(rights)]


def birthplaces(folder: Path) -> World:
    """Read the public set, and tell from its claims which place lies within which."""

    def read(name: str) -> dict[str, list[str]]:
        with pa.CompressedInputStream(str(folder / f"{name}.csv.gz"), "gzip") as file:
            names = csv.open_csv(file).schema.names
        options = csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
        table: dict[str, list[str]] = csv.read_csv(
            folder / f"{name}.csv.gz", convert_options=options
        ).to_pydict()
        return table

    claims, truth = read("claims"), read("truth")
    depth = {
        value: int(level)
        for value, level in zip(claims["value"], claims["claim_depth"], strict=True)
    }
    rows = {role: claims[role] for role in ("source", "entity", "value")}
    known = dict(zip(truth["entity"], truth["value"], strict=True))
    return World("birthplaces", rows, known, parents_by_claims(rows, depth))


def parents_by_claims(
    claims: Mapping[str, Sequence[str]], depth: Mapping[str, int]
) -> dict[str, str]:
    """Return for each place the wider one that is most often claimed of the same entities.

    Of several, the one that stands beside the most places.
    """
    of_entity: dict[str, set[str]] = defaultdict(set)
    for entity, value in zip(claims["entity"], claims["value"], strict=True):
        of_entity[entity].add(value)
    beside: dict[str, Counter[str]] = defaultdict(Counter)
    for values in of_entity.values():
        for narrow in values:
            beside[narrow].update(wide for wide in values if depth[wide] < depth[narrow])
    breadth = Counter(wide for counts in beside.values() for wide in counts)
    return {
        narrow: max(counts, key=lambda wide: (counts[wide], breadth[wide], wide))
        for narrow, counts in beside.items()
        if counts
    }


# Methods


def answers_of(method: str, world: World) -> Found:
    """Let a method judge a world."""
    attribute = Attribute(hierarchy=world.parents) if method == "hierarchy" else Attribute("single")
    claims = Claims.from_frame(dict(world.claims), attributes={"value": attribute})
    if method == "deepest claim":
        return Found(deepest(world), {})
    model = (MajorityVote() if method == "vote" else GRBM()).fit(claims)
    truths, sources = model.truths_.to_arrow(), model.sources_.to_arrow()
    return Found(
        dict(zip(truths["entity"].to_pylist(), truths["value"].to_pylist(), strict=True)),
        dict(zip(sources["source"].to_pylist(), sources["reliability"].to_pylist(), strict=True)),
        frozenset(row["source"] for row in sources.to_pylist() if row["pattern"] == "copier"),
    )


def deepest(world: World) -> dict[str, str]:
    """Believe the deepest claim about each entity; of several, the most frequent one."""
    hierarchy = Hierarchy.of(world.parents)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for entity, value in zip(world.claims["entity"], world.claims["value"], strict=True):
        counts[entity][value] += 1
    return {
        entity: max(own, key=lambda value: (len(hierarchy.path(value)), own[value], value))
        for entity, own in counts.items()
    }


# Scores


def scores(world: World, found: Found) -> tuple[float, float, float, int]:
    """Return exact, holding and Wu-Palmer scores, and how many careful sources are wronged."""
    hierarchy = Hierarchy.of(world.parents)
    exact, holds, near = [], [], []
    for entity, answer in found.answers.items():
        if entity not in world.truth:
            continue
        own, true = hierarchy.path(answer), hierarchy.path(world.truth[entity])
        shared = next(
            (n for n, (a, b) in enumerate(zip(own, true, strict=False)) if a != b),
            min(len(own), len(true)),
        )
        exact.append(answer == world.truth[entity])
        holds.append(answer in true)
        near.append(2 * shared / (len(own) + len(true)))
    best = max((found.reliability.get(one, 0.0) for one in world.careless), default=0.0)
    wronged = {one for one in world.careful if found.reliability.get(one, 1.0) < best}
    wronged |= world.careful & found.copiers
    return float(np.mean(exact)), float(np.mean(holds)), float(np.mean(near)), len(wronged)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--items", type=int, default=300)
    given = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    print("| world | method | exact | holds | Wu-Palmer | careful sources wronged |")
    print("|---|---|--:|--:|--:|--:|")
    drawn: dict[tuple[str, str], list[tuple[float, float, float, int]]] = defaultdict(list)
    for seed in range(given.seeds):
        for world in drawn_worlds(seed, given.items):
            for method in METHODS:
                drawn[world.name, method].append(scores(world, answers_of(method, world)))
    folder = os.environ.get("VERACITY_DATA")
    if folder is not None and (Path(folder) / "birthplaces").is_dir():
        world = birthplaces(Path(folder) / "birthplaces")
        for method in METHODS:
            drawn[world.name, method].append(scores(world, answers_of(method, world)))
    for (name, method), rows in drawn.items():
        exact, holds, near, wronged = np.mean(rows, axis=0)
        print(f"| {name} | {method} | {exact:.3f} | {holds:.3f} | {near:.3f} | {wronged:.1f} |")


if __name__ == "__main__":
    main()
