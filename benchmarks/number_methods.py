"""Numbers: the error of every method against that of the median, and the coverage of intervals.

Run by ``make bench-numbers``; the folder of the public sets is given by VERACITY_DATA. Tables go to
``docs/benchmarks/numbers.md``, between its marks. The truth plays no part in any fit, but for the
twenty labels in the last column, whose items are not measured.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numbers_sets import copies, public_sets
from numbers_worlds import WORLDS, NumberSet, Size, draw

from veracity import Attribute, Claims
from veracity.data.arrays import Floats, Indices
from veracity.errors import ConvergenceWarning
from veracity.models import make_model
from veracity.models.base import TruthModel

PAGE = Path("docs/benchmarks/numbers.md")
METHODS = ("mean", "trimmed", "median", "gtm", "crh", "catd", "grbm")
SIZES = (Size(), Size(200, 6, 0.9), Size(100, 40, 0.2))
N_LABELS = 20
#: What a trimmed mean leaves out at either end.
TRIM = 0.2
MARK = re.compile(r"(<!-- (\w+) -->\n).*?(\n<!-- end -->)", re.S)


def claims_of(numbers: NumberSet) -> Claims:
    """Return the set as claims about numbers; of a source that speaks twice, the mean."""
    key = numbers.item * (int(numbers.source.max()) + 1) + numbers.source
    _, first, at = np.unique(key, return_index=True, return_inverse=True)
    value = np.bincount(at, numbers.value) / np.bincount(at)
    rows = {
        "source": [f"s{place}" for place in numbers.source[first].tolist()],
        "entity": [f"e{place}" for place in numbers.item[first].tolist()],
        "value": [repr(one) for one in value.tolist()],
    }
    claims: Claims = Claims.of(rows, attributes={"*": Attribute("single", values="number")})
    return claims


def by_item(model: TruthModel, column: str, n_items: int) -> Floats:
    """Return a column of the truths of a fitted model; NaN where an item has none."""
    found = np.full(n_items, np.nan)
    entity, values = (model.truths_[name].to_pylist() for name in ("entity", column))
    for name, value in zip(entity, values, strict=True):
        found[int(name[1:])] = np.nan if value is None else float(value)
    return found


def trimmed(numbers: NumberSet) -> Floats:
    """Return the mean of the middle claims of each item."""
    found = np.full(len(numbers.truth), np.nan)
    order = np.lexsort((numbers.value, numbers.item))
    items, first = np.unique(numbers.item[order], return_index=True)
    for item, own in zip(items, np.split(numbers.value[order], first[1:]), strict=True):
        cut = int(TRIM * len(own))
        found[item] = own[cut : len(own) - cut].mean()
    return found


def fitted(name: str, claims: Claims, known: dict[str, list[str]] | None = None) -> TruthModel:
    """Fit a method, without warnings of fits that stop early."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if known is None:
            return make_model(name).fit(claims)
        return make_model(name).fit(claims, known_truth=known)


def errors(numbers: NumberSet) -> tuple[dict[str, float], float]:
    """Return mean absolute errors in those of the median, and the coverage of our intervals."""
    claims, n_items = claims_of(numbers), len(numbers.truth)
    found, covered = {}, np.nan
    for name in METHODS:
        if name == "trimmed":
            estimate = trimmed(numbers)
        else:
            model = fitted(name, claims)
            estimate = by_item(model, "value", n_items)
            if name == "grbm":
                covered = coverage(model, numbers, numbers.judged)
        found[name] = float(np.nanmean(np.abs(estimate - numbers.truth)))
    unit = found["median"] or 1.0
    return {name: error / unit for name, error in found.items()}, covered


def coverage(model: TruthModel, numbers: NumberSet, items: Indices) -> float:
    """Return the share of items whose interval holds the truth."""
    low, high = (by_item(model, end, len(numbers.truth)) for end in ("low", "high"))
    held = (low <= numbers.truth) & (numbers.truth <= high)
    return float(held[items & ~np.isnan(low)].mean())


def labelled_coverage(numbers: NumberSet, n_draws: int = 5) -> float:
    """Return the coverage on other items, once twenty items have labels."""
    claims, found = claims_of(numbers), []
    spoken = np.flatnonzero(numbers.judged & np.isin(np.arange(len(numbers.truth)), numbers.item))
    if len(spoken) < 2 * N_LABELS:
        return np.nan
    for seed in range(n_draws):
        chosen = np.random.default_rng(seed).choice(spoken, N_LABELS, replace=False)
        known = {
            "entity": [f"e{item}" for item in chosen.tolist()],
            "value": [repr(float(numbers.truth[item])) for item in chosen.tolist()],
        }
        others = numbers.judged.copy()
        others[chosen] = False
        found.append(coverage(fitted("grbm", claims, known), numbers, others))
    return float(np.mean(found))


def row(name: str, ratios: dict[str, float], *others: float) -> str:
    """Return a row of a table in Markdown."""
    cells = [f"{ratios[method]:.3f}" for method in METHODS]
    cells += ["" if np.isnan(one) else f"{one:.2f}" for one in others]
    return f"| {name} | {' | '.join(cells)} |"


def header(*others: str) -> str:
    """Return the head of a table."""
    names = ["set", *METHODS, *others]
    return f"| {' | '.join(names)} |\n|---|{'--:|' * (len(names) - 1)}"


def ranks(found: list[dict[str, float]]) -> dict[str, float]:
    """Return the mean rank of each method."""
    table = np.array([[ratios[name] for name in METHODS] for ratios in found]).round(4)
    less = (table[:, None, :] < table[:, :, None]).sum(axis=2)
    same = (table[:, None, :] == table[:, :, None]).sum(axis=2)
    mean = (less + (same + 1) / 2).mean(axis=0)
    return dict(zip(METHODS, mean.tolist(), strict=True))


def summary(found: list[dict[str, float]], n_others: int) -> Iterator[str]:
    """Return mean ranks and the worst ratio of each method, and nothing for other columns."""
    worst = {name: max(ratios[name] for ratios in found) for name in METHODS}
    nothing = [np.nan] * n_others
    yield row("**mean rank**", ranks(found), *nothing)
    yield row("**worst**", worst, *nothing)


def public_rows(folder: Path, with_copies: bool, with_labels: bool) -> Iterator[str]:
    """Measure the public sets, row by row."""
    yield header("covered", "with 20 labels")
    found = []
    for whole in public_sets(folder):
        for numbers in copies(whole) if with_copies else [whole]:
            ratios, covered = errors(numbers)
            found.append(ratios)
            plain = with_labels and numbers is whole
            labelled = labelled_coverage(numbers) if plain else np.nan
            yield row(numbers.name, ratios, covered, labelled)
    yield from summary(found, 2)


def drawn_rows(seeds: range) -> Iterator[str]:
    """Measure drawn sensors: geometric means of ratios over seeds."""
    yield header("covered")
    found = []
    for name in WORLDS:
        for size in SIZES:
            drawn = [errors(draw(name, seed, size)) for seed in seeds]
            ratios = {
                method: float(np.exp(np.mean([np.log(one[method]) for one, _ in drawn])))
                for method in METHODS
            }
            found.append(ratios)
            covered = float(np.mean([share for _, share in drawn]))
            yield row(f"{name}, {size.n_sources} sources", ratios, covered)
    yield from summary(found, 1)


def told(rows: Iterator[str]) -> str:
    """Print rows as they come, and return them together."""
    kept = []
    for one in rows:
        sys.stdout.write(one + "\n")
        sys.stdout.flush()
        kept.append(one)
    return "\n".join(kept)


def main() -> None:
    """Print the tables and write them to the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="drawn sets of each kind")
    parser.add_argument("--first-seed", type=int, default=100, help="that of the first draw")
    parser.add_argument("--plain", action="store_true", help="leave out halves and thinned copies")
    parser.add_argument("--no-labels", action="store_true", help="leave out fits with labels")
    given = parser.parse_args()
    folder = Path(os.environ.get("VERACITY_DATA", "data"))
    tables = {"public": told(public_rows(folder, not given.plain, not given.no_labels))}
    tables["drawn"] = told(drawn_rows(range(given.first_seed, given.first_seed + given.seeds)))
    text = PAGE.read_text()
    PAGE.write_text(MARK.sub(lambda at: at[1] + tables[at[2]] + at[3], text))


if __name__ == "__main__":
    main()
