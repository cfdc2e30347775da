"""Where the time of a fit goes: the default on a million claims, by the part of the code.

Run with ``make bench-profile``, or ``python benchmarks/profile_fit.py [--claims 1000000]
[--classes 2 4] [--name now]``. One thread does all of it, so that seconds add up; the profiler
costs a little itself. Each run replaces the figures of its name in docs/benchmarks/profile.csv, and
draws the picture beside them from all that are there. To set an earlier version beside this one,
run the script with that version's ``src`` in PYTHONPATH, and another name.
"""

from __future__ import annotations

import argparse
import cProfile
import csv
import pstats
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fit import SMALL, zipf_claims
from pages import DOCS

from veracity.scoreboard.picture import FONT, INK, SCHEMA, to_svg

PICTURE, FIGURES = DOCS / "benchmarks" / "profile.svg", DOCS / "benchmarks" / "profile.csv"
#: The parts, in the order in which they are drawn, and what a path has that belongs to each. The
#: first that fits counts; what no path tells is work of libraries, and goes to who called them.
PARTS: Mapping[str, tuple[str, ...]] = {
    "passes over claims": ("batch_kernels", "plain_kernels", "coin_kernels"),
    "tables and gradients": (
        *("grbm/observation", "grbm/block_objective", "grbm/objective"),
        *("grbm/parameters", "two_sum"),
    ),
    "search": ("grbm/lbfgs", "grbm/fitting", "grbm/optimise", "grbm/pairs", "grbm/even_shifts"),
    "reading and encoding": ("veracity/data", "pyarrow", "duckdb"),
    "guards and notes": ("grbm/guards", "models/dependence", "scipy"),
    "the rest": ("",),
}
COLOURS = ("#0b62a4", "#3b9c6d", "#d1600a", "#8a8f98", "#b0539b", "#c9ced6")
COLUMNS = ("name", "classes", "part", "seconds")


def part_of(path: str) -> str:
    """Return the part that code in a file belongs to."""
    place = path.replace("\\", "/")
    return next(part for part, marks in PARTS.items() if any(mark in place for mark in marks))


def seconds_by_part(stats: pstats.Stats) -> dict[str, float]:
    """Add up the time that functions take themselves.

    Functions without a file, or of numpy and Python, count for the functions that call them.
    """
    found: Counter[str] = Counter()
    for (path, _, _), (_, _, own, _, callers) in stats.stats.items():  # type: ignore[attr-defined]
        if "/veracity/" in path or not callers:
            found[part_of(path)] += own
            continue
        for (caller, _, _), (_, _, share, _) in callers.items():
            found[part_of(caller)] += share
    return {part: found[part] for part in PARTS}


def profile(n_claims: int, n_classes: int) -> dict[str, float]:
    """Profile a fit; compiling is not counted."""
    from veracity import GRBM

    claims = zipf_claims(n_claims, n_classes)
    _ = GRBM(threads=1).fit(claims.head(SMALL)).truths_
    profiler = cProfile.Profile()
    profiler.enable()
    _ = GRBM(threads=1).fit(claims).truths_
    profiler.disable()
    return seconds_by_part(pstats.Stats(profiler))


def specification(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a Vega-Lite specification of bars, with the figures inside."""
    order = list(dict.fromkeys(row["name"] for row in rows))
    places = {part: place for place, part in enumerate(PARTS)}
    values = [dict(row, place=places[row["part"]]) for row in rows]
    return {
        "$schema": SCHEMA,
        "background": "white",
        "padding": 12,
        "title": {
            "text": "Seconds of a fit of the default, by part of the code",
            **{"anchor": "start", "fontSize": 13, "color": INK, "offset": 12},
        },
        "data": {"values": values},
        "mark": {"type": "bar", "height": 22},
        "width": 520,
        "height": {"step": 32},
        "encoding": {
            "row": {"field": "classes", "title": "classes", "type": "ordinal"},
            "y": {"field": "name", "title": None, "sort": order},
            "x": {"field": "seconds", "type": "quantitative", "title": "seconds, one thread"},
            "color": {
                "field": "part",
                "title": None,
                "sort": list(PARTS),
                "scale": {"domain": list(PARTS), "range": list(COLOURS)},
            },
            "order": {"field": "place"},
        },
        "config": {"font": FONT, "view": {"stroke": None}},
    }


def merged(before: Iterable[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return figures of earlier runs without those that were made again, and the new ones."""
    made = {(row["name"], str(row["classes"])) for row in now}
    return [row for row in before if (row["name"], str(row["classes"])) not in made] + list(now)


def main(given: Sequence[str] | None = None) -> None:
    """Profile fits, keep the figures and draw them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", type=int, default=1_000_000)
    parser.add_argument("--classes", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--name", default="now", help="what to call this version")
    options = parser.parse_args(given)
    now = [
        {"name": options.name, "classes": n_classes, "part": part, "seconds": round(took, 3)}
        for n_classes in options.classes
        for part, took in profile(options.claims, n_classes).items()
    ]
    rows = merged(_read(FIGURES), now)
    with FIGURES.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    PICTURE.write_text(to_svg(specification(_read(FIGURES))), encoding="utf-8")
    for row in now:
        print(f"{row['classes']} classes, {row['part']}: {row['seconds']} s")


def _read(path: Path) -> list[dict[str, Any]]:
    """Return the figures in a file; none if there is no such file."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [dict(row, seconds=float(row["seconds"])) for row in csv.DictReader(file)]


if __name__ == "__main__":
    main()
