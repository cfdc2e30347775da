"""Public sets of numbers, weather, and flights as minutes; halves and thinned copies of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
from numbers_worlds import NumberSet

from veracity.data.arrays import Floats, Indices, sum_by

SETS = (
    "election_polls_margin",
    "coin_estimates",
    "m3_forecasts",
    "temperature_ensemble",
    "dot_guesses",
    "gdp_germany",
)
WEATHER = ("Temperature", "Humidity", "Pressure", "Visibility", "RealFeel")
FLIGHTS = ("actual_arrival", "actual_departure", "scheduled_arrival", "scheduled_departure")
DAY = 1440.0
#: The shares of claims that thinned copies keep.
THINNED = (0.5, 0.25)


def public_sets(folder: Path) -> Iterator[NumberSet]:
    """Read all public sets that are there."""
    for name in SETS:
        if (folder / name).is_dir():
            yield _read(folder / name, None)
    for attribute in WEATHER if (folder / "weather").is_dir() else ():
        yield _read(folder / "weather", attribute)
    for attribute in FLIGHTS if (folder / "flights_noairline").is_dir() else ():
        yield _read(folder / "flights_noairline", attribute, clock=True)


def copies(numbers: NumberSet, seed: int = 1) -> Iterator[NumberSet]:
    """Return a set itself, two halves of its items, and thinned copies of its claims."""
    yield numbers
    rng = np.random.default_rng(seed)
    for half in (1, 2):
        chosen = rng.random(len(numbers.truth)) < 0.5
        yield _part(numbers, f"half {half}", chosen[numbers.item])
    for share in THINNED:
        yield _part(numbers, f"thinned to {share}", rng.random(len(numbers.item)) < share)


def _part(numbers: NumberSet, what: str, kept: Indices) -> NumberSet:
    truth = np.full(len(numbers.truth), np.nan)
    item = numbers.item[kept]
    truth[item] = numbers.truth[item]
    name = f"{numbers.name}, {what}"
    return NumberSet(name, item, numbers.source[kept], numbers.value[kept], truth)


def _read(folder: Path, attribute: str | None, clock: bool = False) -> NumberSet:
    claims, truth = _table(folder / "claims.csv.gz"), _table(folder / "truth.csv.gz")
    if attribute is not None:
        claims = claims.filter(pa.compute.equal(claims["attribute"], attribute))
        truth = truth.filter(pa.compute.equal(truth["attribute"], attribute))
    value, true = (_numbers(table["value"].to_pylist(), clock) for table in (claims, truth))
    heard = ~np.isnan(value)
    item, names = _codes(claims["entity"], heard)
    source, _ = _codes(claims["source"], heard)
    known = dict(zip(truth["entity"].to_pylist()[::-1], true.tolist()[::-1], strict=True))
    truths = np.array([known.get(name, np.nan) for name in names])
    value = value[heard]
    if clock:
        value, truths = _unwrapped(item, value, truths)
    title = folder.name if attribute is None else f"{folder.name.split('_')[0]} {attribute}"
    return NumberSet(title, item, source, value, truths)


def _table(path: Path) -> pa.Table:
    with pa.CompressedInputStream(str(path), "gzip") as file:
        names = csv.open_csv(file).schema.names
    wanted = [name for name in ("source", "entity", "attribute", "value") if name in names]
    options = csv.ConvertOptions(
        column_types=dict.fromkeys(wanted, pa.string()), include_columns=wanted
    )
    return csv.read_csv(path, convert_options=options)


def _codes(column: pa.ChunkedArray, kept: Indices) -> tuple[Indices, list[str]]:
    encoded = column.filter(pa.array(kept)).combine_chunks().dictionary_encode()
    return np.asarray(encoded.indices).astype(np.int64), encoded.dictionary.to_pylist()


def _numbers(texts: list[str], clock: bool) -> Floats:
    """Read numbers, or times of the day as minutes; NaN where there is none."""
    found = np.full(len(texts), np.nan)
    for place, text in enumerate(texts):
        try:
            if clock:
                hours, minutes = text.split(":")
                found[place] = 60 * int(hours) + int(minutes)
            else:
                found[place] = float(text)
        except (ValueError, AttributeError):
            continue
    return found


def _unwrapped(item: Indices, value: Floats, truth: Floats) -> tuple[Floats, Floats]:
    """Put times of an item within half a day of their circular mean."""
    angle = value / DAY * 2 * np.pi
    sine, cosine = (sum_by(item, part, len(truth)) for part in (np.sin(angle), np.cos(angle)))
    middle = np.arctan2(sine, cosine) / (2 * np.pi) * DAY
    near = middle[item] + (value - middle[item] + DAY / 2) % DAY - DAY / 2
    true = middle + (truth - middle + DAY / 2) % DAY - DAY / 2
    return np.round(near), np.round(true)
