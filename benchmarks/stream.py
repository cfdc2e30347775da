"""How close a stream of claims comes to a fit to all of them, and what an update costs.

    python benchmarks/stream.py [--only NAME] [--sizes 1e4,1e5,1e6] [--skip-closeness]

Closeness: the claims of a data set come in 20 batches, in random order, what a source says about an
item at once; the attributes are declared, as one would for a stream. Beside each other stand the
model after the last batch, with and without whole fits on the way, and a fit to all claims at once.
Truth, where there is any, is looked at only when all is done.

Cost: CPU seconds of an update of 1,000 claims, half of them about old items, on histories of
several sizes, beside a fit to all claims.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from veracity import GRBM, Claims, datasets
from veracity.data.read.frames import plain_text
from veracity.data.read.settings import Attribute
from veracity.data.truth.ground_truth import GroundTruth
from veracity.evaluation.metrics import evaluate

N_BATCHES = 20
UPDATE = 1_000
SOURCES, CLAIMS_PER_ITEM = 500, 5
ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Streamed:
    """How a stream ended, beside a fit to all claims."""

    same: float
    mean: float
    largest: float
    accuracy: float | None
    seconds: float


def drawn(n_claims: int, n_sources: int = SOURCES, seed: int = 0, first_item: int = 0) -> pa.Table:
    """Draw claims with four values for an item, by sources of which some are better than others."""
    quality = np.random.default_rng(7).normal(1.5, 1.0, n_sources)
    rng = np.random.default_rng(seed)
    item = first_item + np.arange(n_claims) // CLAIMS_PER_ITEM
    source = (n_sources * rng.random(n_claims) ** 2).astype(np.int64)
    right = rng.random(n_claims) < 1 / (1 + np.exp(-quality[source]))
    value = np.where(right, 0, rng.integers(0, 4, n_claims))
    return pa.table(
        {
            "source": [f"source {number}" for number in source.tolist()],
            "entity": [f"item {number}" for number in item.tolist()],
            "value": [f"{i}-{v}" for i, v in zip(item.tolist(), value.tolist(), strict=True)],
        }
    )


def in_batches(table: pa.Table, n_batches: int, seed: int = 0) -> list[pa.Table]:
    """Cut claims into batches at random; what a source says about an item stays together."""
    keys = zip(
        *(table[name].to_pylist() for name in ("source", "entity", "attribute")), strict=True
    )
    number: dict[Any, int] = {}
    saying = np.array([number.setdefault(key, len(number)) for key in keys])
    rank = np.random.default_rng(seed).permutation(len(number))
    order = np.argsort(rank[saying], kind="stable")
    return [table.take(pa.array(part)) for part in np.array_split(order, n_batches)]


def sets(only: str | None) -> Iterator[tuple[str, Claims, GroundTruth | None]]:
    """Return the data sets."""
    data = Path(os.environ.get("VERACITY_DATA", ROOT.parent / "shared" / "data"))
    if only in (None, "example"):
        yield "example", Claims.of(datasets.example.path()), None
    if only in (None, "drawn"):
        yield "drawn, 20,000 claims", Claims.of(drawn(20_000)), None
    for name in ("rte", "dog", "population", "book_authors"):
        place = data / name
        if place.is_dir() and only in (None, name):
            truth = GroundTruth.read(place / "truth.csv.gz")
            yield name, Claims.read(place / "claims.csv.gz"), truth


def declared(claims: Claims, among: pa.Table) -> dict[str, Attribute]:
    """Return what the attributes of some claims are."""
    there = set(among["attribute"].to_pylist())
    return {
        profile.name: Attribute(profile.kind, profile.domain, positive=profile.positive)
        for profile in claims.attributes
        if profile.name in there
    }


def streamed(claims: Claims, truth: GroundTruth | None, whole: Any, refit: bool) -> Streamed:
    """Let a model learn from claims in batches, and compare it with one fitted to all."""
    batches = in_batches(plain_text(claims.in_use()), N_BATCHES)
    first = Claims.from_frame(batches[0], attributes=declared(claims, batches[0]))
    started = time.process_time()
    model = GRBM().partial_fit(first)
    for batch in batches[1:]:
        new = Claims.from_frame(batch, attributes=declared(claims, batch))
        model.partial_fit(new, refit=refit)
    seconds = time.process_time() - started
    ours, theirs = _statements(model), _statements(whole)
    common = ours.keys() & theirs.keys()
    away = np.abs([ours[key] - theirs[key] for key in common])
    verdicts, others = _verdicts(model), _verdicts(whole)
    same = float(np.mean([verdicts[key] == others[key] for key in verdicts]))
    accuracy = None if truth is None else evaluate(model.truths_, truth, model.claims_).accuracy
    return Streamed(same, float(away.mean()), float(away.max()), accuracy, seconds)


def _statements(model: Any) -> dict[tuple[str, ...], float]:
    rows = model.statements_.to_pylist()
    return {(row["entity"], row["attribute"], row["value"]): row["plausibility"] for row in rows}


def _verdicts(model: Any) -> dict[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for row in model.truths_.to_pylist():
        found.setdefault((row["entity"], row["attribute"]), set()).add(row["value"])
    return found


def show_closeness(only: str | None) -> None:
    """Print how close streams come to whole fits."""
    _header("data set", "claims", "whole fits", "verdicts equal", "mean difference", "largest",
            "accuracy, stream", "accuracy, all at once")  # fmt: skip
    for name, claims, truth in sets(only):
        whole = GRBM().fit(claims)
        at_once = None if truth is None else evaluate(whole.truths_, truth, claims).accuracy
        for refit in (True, False):
            found = streamed(claims, truth, whole, refit)
            cells = [
                name,
                f"{claims.matrix.n_claims:,}",
                "as usual" if refit else "the first only",
                f"{found.same:.1%}",
                f"{found.mean:.4f}",
                f"{found.largest:.3f}",
                "" if found.accuracy is None else f"{found.accuracy:.4f}",
                "" if at_once is None else f"{at_once:.4f}",
            ]
            print("| " + " | ".join(cells) + " |", flush=True)


def _header(*names: str) -> None:
    print("| " + " | ".join(names) + " |")
    print("|" + "---:|" * len(names))


def show_cost(sizes: list[int]) -> None:
    """Print what an update costs on histories of several sizes."""
    _header("claims before", "fit to all, CPU s", "first update, CPU s",
            "update of 1,000 claims, CPU s", "share of a fit")  # fmt: skip
    for size in sizes:
        history = drawn(size)
        started = time.process_time()
        model = GRBM(features="never").fit(history)
        fit = time.process_time() - started
        costs = []
        for number in range(6):
            old = drawn(size, seed=100 + number).take(
                pa.array(np.random.default_rng(number).choice(size, UPDATE // 2, replace=False))
            )
            new = drawn(UPDATE // 2, seed=200 + number, first_item=10**9 + number * UPDATE)
            batch = pa.concat_tables([old, new])
            started = time.process_time()
            model.partial_fit(batch, refit=False)
            costs.append(time.process_time() - started)
        usual = statistics.median(costs[1:])
        print(
            f"| {size:,} | {fit:.2f} | {costs[0]:.2f} | {usual:.2f} | {usual / fit:.1%} |",
            flush=True,
        )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="a data set")
    parser.add_argument("--sizes", default="1e4,1e5,1e6", help="of histories")
    parser.add_argument("--skip-closeness", action="store_true")
    parser.add_argument("--skip-cost", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if not given.skip_closeness:
        show_closeness(given.only)
    if not given.skip_cost:
        print()
        show_cost([int(float(size)) for size in given.sizes.split(",") if size])


if __name__ == "__main__":
    main()
