"""Judge values that change: on drawn histories, and on public claims by their times.

On each history: how often the current value is right, by the latest claim, by a vote among the
latest claims of sources, by the default model and with the truth as changing; then how often the
value at a random time is right, how far believed changes are from true ones, in units of the
spacing of an item's claims, and how many of the true changes are in the interval that is given.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from changing_worlds import REGIMES, SPAN, Regime, World, draw_world

from veracity import GRBM, Attribute, Claims, MajorityVote
from veracity.data.arrays import Floats
from veracity.errors import ConvergenceWarning

CHANGING = {"*": Attribute(truth="changing")}
METHODS = ("latest", "vote", "static", "changing")


def believed(model: Any) -> dict[tuple[str, str], str]:
    """Return the value that a fitted model believes of each item."""
    rows = model.truths_.to_pylist()
    return {(row["entity"], row["attribute"]): row["value"] for row in rows}


def latest(claims: Mapping[str, Sequence[Any]]) -> dict[tuple[str, str], str]:
    """Return the value that was claimed last about each item; of several, the most frequent."""
    said: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for entity, value, time in zip(claims["entity"], claims["value"], claims["time"], strict=True):
        said[entity].append((time, value))
    found = {}
    for entity, own in said.items():
        last = max(own)[0]
        values = [value for time, value in own if time == last]
        found[entity, "value"] = max(sorted(set(values)), key=values.count)
    return found


def judge(world: World, seed: int) -> dict[str, float]:
    """Return the figures of a world."""
    read = Claims.from_frame(world.claims)
    model = GRBM().fit(Claims.from_frame(world.claims, attributes=CHANGING))
    answers = {
        "latest": latest(world.claims),
        "vote": believed(MajorityVote().fit(read)),
        "static": believed(GRBM().fit(read)),
        "changing": believed(model),
    }
    entities = sorted({entity for entity, _ in answers["latest"]})
    end = max(world.claims["time"])
    figures = {
        name: float(np.mean([found[one, "value"] == world.at(one, end) for one in entities]))
        for name, found in answers.items()
    }
    rng = np.random.default_rng(seed)
    moment = float(rng.uniform(0.2, 0.8) * SPAN)
    asked = Claims.from_frame(world.claims, attributes=CHANGING, as_of=moment)
    then = {row["entity"]: row["value"] for row in model.predict(asked).to_pylist()}
    figures["as of"] = float(np.mean([then[one] == world.at(one, moment) for one in entities]))
    plausible = model.truths_["plausibility"].to_numpy()
    figures["expected"] = float(plausible.mean())
    return figures | _changes(world, model.tables_["timelines"].to_pylist())


def _changes(world: World, spells: list[dict[str, Any]]) -> dict[str, float]:
    """Return how far believed changes are from true ones, and how many intervals hold one."""
    times: dict[str, list[float]] = defaultdict(list)
    for entity, time in zip(world.claims["entity"], world.claims["time"], strict=True):
        times[entity].append(time)
    off, held = [], []
    for spell in spells:
        true = world.changes[spell["entity"]]
        if spell["valid_from"] is None or spell["plausibility"] < 0.9 or not len(true):
            continue
        own = np.sort(times[spell["entity"]])
        spacing = (own[-1] - own[0]) / max(len(own) - 1, 1)
        off.append(np.abs(true - spell["valid_from"]).min() / spacing)
        low, high = spell["changed_after"], spell["changed_before"]
        held.append(bool(((true >= low) & (true <= high)).any()))
    if not off:
        return {"off": np.nan, "held": np.nan}
    return {"off": float(np.median(off)), "held": float(np.mean(held))}


def rows(regimes: Sequence[Regime], seeds: Sequence[int]) -> Iterator[str]:
    """Return the rows of a table in Markdown, as they are found."""
    names = (*METHODS, "as of", "expected", "off", "held")
    yield f"| history | {' | '.join(names)} |"
    yield f"|---|{'--:|' * len(names)}"
    for regime in regimes:
        found = [judge(draw_world(regime, seed), seed) for seed in seeds]
        mean = {name: _mean(np.array([one[name] for one in found])) for name in names}
        yield f"| {regime.name} | {' | '.join(mean[name] for name in names)} |"


def _mean(figures: Floats) -> str:
    known = figures[~np.isnan(figures)]
    return f"{known.mean():.3f}" if len(known) else ""


def public_rows(folder: Path) -> Iterator[str]:
    """Return the rows of a table on public claims."""
    yield "| claims | latest | vote | static | changing |"
    yield "|---|--:|--:|--:|--:|"
    for name, make in (("weather", weather), ("flights_noairline", flights)):
        if (folder / name / "claims.csv.gz").is_file():
            yield make(folder / name)


def weather(folder: Path) -> str:
    """Judge readings of weather within an hour by their times; any reading in the hour is true."""
    truth = _truth(folder)
    path = folder / "claims.csv.gz"
    read = Claims.read(path, time="claim_time")
    changing = Claims.read(path, time="claim_time", attributes=CHANGING)
    return _public("weather, within the hour", read, changing, truth)


def flights(folder: Path) -> str:
    """Judge schedules of a month: an entity is a flight without its date, of which one is asked."""
    import pandas as pd

    scheduled = ("scheduled_departure", "scheduled_arrival")
    claims = pd.read_csv(folder / "claims.csv.gz", dtype=str)
    claims = claims[claims["attribute"].isin(scheduled)]
    claims["entity"] = claims["entity"].str.partition("@")[0]
    last = claims["claim_date"].max()
    truth = pd.read_csv(folder / "truth.csv.gz", dtype=str)
    truth = truth[truth["attribute"].isin(scheduled)]
    parts = truth["entity"].str.partition("@")
    flight, date = parts[0], parts[2]
    known: dict[tuple[str, str], set[str]] = defaultdict(set)
    today = last.replace("-", "")
    for entity, when, attribute, value in zip(
        flight, date, truth["attribute"], truth["value"], strict=True
    ):
        if when == today:
            known[entity, attribute].add(value)
    columns = ["source", "entity", "attribute", "value", "claim_date"]
    read = Claims.from_frame(claims[columns], time="claim_date")
    changing = Claims.from_frame(claims[columns], time="claim_date", attributes=CHANGING)
    return _public(f"flights, schedules on {last}", read, changing, known)


def _truth(folder: Path) -> dict[tuple[str, str], set[str]]:
    import pandas as pd

    known: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in pd.read_csv(folder / "truth.csv.gz", dtype=str).itertuples():
        known[row.entity, row.attribute].add(row.value)
    return known


def _public(
    name: str, read: Claims, changing: Claims, truth: Mapping[tuple[str, str], set[str]]
) -> str:
    table = changing.to_arrow().select(["entity", "attribute", "value", "time"]).to_pandas()
    table["item"] = list(zip(table["entity"], table["attribute"], strict=True))
    last = table[table["time"] == table.groupby("item")["time"].transform("max")]
    newest = last.groupby("item")["value"].agg(lambda values: values.mode()[0]).to_dict()
    answers = [
        newest,
        believed(MajorityVote().fit(read)),
        believed(GRBM().fit(read)),
        believed(GRBM().fit(changing)),
    ]
    shared = [item for item in truth if item in answers[-1]]
    right = [np.mean([found[item] in truth[item] for item in shared]) for found in answers]
    cells = " | ".join(f"{share:.3f}" for share in right)
    return f"| {name}, {len(shared):,} items | {cells} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="worlds of each kind")
    parser.add_argument("--first-seed", type=int, default=0, help="that of the first world")
    parser.add_argument("--only", default="", help="kinds of worlds whose names hold this")
    parser.add_argument("--data", type=Path, help="folder of public sets; none to leave them out")
    given = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    regimes = [regime for regime in REGIMES if given.only in regime.name]
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    for row in rows(regimes, seeds):
        sys.stdout.write(row + "\n")
        sys.stdout.flush()
    if given.data is not None:
        for row in public_rows(given.data):
            sys.stdout.write(row + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
