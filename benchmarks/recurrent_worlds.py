"""Made worlds in which what came before matters: careers of sources, and claims that are repeated.

In the worlds of careers, sources answer a question of the day over a year, and how reliable they
are changes with time, each source in its own way. In the worlds of repetition, ten sources answer
a question one after the other, and the later ones have seen what the earlier ones said. The true
model knows how a world was made, but not the truth: its answer is the value with the largest
posterior. A world and a seed always give the same claims.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity import Claims, GroundTruth

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: The year of careers: days, sources, how many of them answer on a day, and values of a question.
N_DAYS, N_SOURCES, PER_DAY, N_VALUES = 365, 20, 6, 3
#: Questions of a day.
PER_DATE = 2
#: The first of May, as a share of the year.
MAY = 120 / 365
#: Worlds of repetition: questions, sources, answers to a question, and values.
N_ITEMS, N_ANSWERING, ANSWERS, CHOICES = 600, 40, 10, 4
#: How often a later answer repeats an earlier one.
REPEATS = 0.5


@dataclass(frozen=True)
class Made:
    """Claims of a world, the truth, and the share that the true model's answers get right."""

    claims: Claims
    truth: GroundTruth
    oracle: float


#: The reliability of each source at each share of the year; (n_sources, n_times).
Career = Callable[[np.random.Generator, Floats], Floats]


def learning(rng: np.random.Generator, at: Floats) -> Floats:
    """Half of the sources are mostly wrong at first and learn, each from a day of its own."""
    begins = rng.uniform(0.1, 0.9, (N_SOURCES, 1))
    return _some(rng, 2, 0.2 + 0.77 * np.clip((at - begins) / 0.1, 0.0, 1.0))


def decay(rng: np.random.Generator, at: Floats) -> Floats:
    """Half of the sources are good at first and decay slowly, each from a day of its own."""
    begins = rng.uniform(0.1, 0.6, (N_SOURCES, 1))
    return _some(rng, 2, 0.95 - 0.75 * np.clip((at - begins) / 0.3, 0.0, 1.0))


def bad_in_may(rng: np.random.Generator, at: Floats) -> Floats:
    """A third of the sources are good until May, and mostly wrong from then on."""
    return _some(rng, 3, np.where(at < MAY, 0.95, 0.1) + np.zeros((N_SOURCES, 1)))


def all_kinds(rng: np.random.Generator, at: Floats) -> Floats:
    """A quarter each is steady, learns, decays, or goes bad on a day of its own."""
    kind = np.arange(N_SOURCES)[:, None] % 4
    steady, when = rng.uniform(0.65, 0.85, (N_SOURCES, 1)), rng.uniform(0.2, 0.8, (N_SOURCES, 1))
    careers = [steady + 0 * at, 0.3 + 0.65 * at + 0 * steady, 0.95 - 0.65 * at + 0 * steady]
    return np.select([kind == 0, kind == 1, kind == 2], careers, np.where(at < when, 0.95, 0.1))


def _some(rng: np.random.Generator, every: int, changing: Floats) -> Floats:
    """Let one in so many sources change, and the others be the same all year."""
    steady = rng.uniform(0.6, 0.8, (N_SOURCES, 1)) + np.zeros_like(changing)
    return np.where((np.arange(N_SOURCES) % every == 0)[:, None], changing, steady)


def careers(career: Career, seed: int, n_days: int = N_DAYS) -> Made:
    """Draw the claims of a year in which reliability follows a career."""
    rng = np.random.default_rng(seed)
    n_items = n_days * PER_DATE
    day = np.repeat(np.arange(n_days), PER_DATE)
    rate = career(rng, (day + 0.5) / n_days)  # (n_sources, n_items)
    truth = rng.integers(0, N_VALUES, n_items)
    source = np.stack([rng.permutation(N_SOURCES)[:PER_DAY] for _ in range(n_items)]).ravel()
    item = np.repeat(np.arange(n_items), PER_DAY)
    right = rng.random(len(item)) < rate[source, item]
    value = np.where(right, 0, rng.integers(1, N_VALUES, len(item)))
    value = (truth[item] + value) % N_VALUES
    known = rate[source, item]
    score = np.zeros((n_items, N_VALUES))
    np.add.at(score, (item, value), np.log(known * (N_VALUES - 1) / (1 - known)))
    minute = 1440 * day[item] + rng.integers(0, 1440, len(item))
    time = np.datetime64("2023-01-01T00:00:00") + 60 * minute
    columns = {"time": pa.array(time), "claim_day": pa.array(day[item].astype(np.float64))}
    return _made(source, item, value, truth, columns, score)


def repeats_first(said: Ints, rng: np.random.Generator) -> Floats:
    """Return how likely each value is to be repeated: the first one said."""
    return np.asarray(np.eye(CHOICES)[said[0]])


def repeats_most(said: Ints, rng: np.random.Generator) -> Floats:
    """Return how likely each value is to be repeated: those said most often so far."""
    count = np.bincount(said, minlength=CHOICES)
    top = count == count.max()
    return np.asarray(top / top.sum())


def repetition(
    repeated: Callable[[Ints, np.random.Generator], Floats], seed: int, n_items: int = N_ITEMS
) -> Made:
    """Draw answers of which later ones may repeat earlier ones."""
    rng = np.random.default_rng(seed)
    rate = rng.uniform(0.55, 0.8, N_ANSWERING)
    truth = rng.integers(0, CHOICES, n_items)
    source = np.stack([rng.permutation(N_ANSWERING)[:ANSWERS] for _ in range(n_items)])
    said = np.empty((n_items, ANSWERS), np.int64)
    score = np.zeros((n_items, CHOICES))
    for question in range(n_items):
        for place in range(ANSWERS):
            share = REPEATS if place else 0.0
            copied = repeated(said[question, :place], rng) if place else np.zeros(CHOICES)
            p = rate[source[question, place]]
            own = np.full(CHOICES, (1 - p) / (CHOICES - 1))
            own[truth[question]] = p
            value = rng.choice(CHOICES, p=share * copied + (1 - share) * own)
            if_true = share * copied[value] + (1 - share) * p
            if_false = share * copied[value] + (1 - share) * (1 - p) / (CHOICES - 1)
            score[question] += np.log(if_false)
            score[question, value] += np.log(if_true) - np.log(if_false)
            said[question, place] = value
    item = np.repeat(np.arange(n_items), ANSWERS)
    minutes = 10.0 * np.tile(np.arange(ANSWERS), n_items) + rng.uniform(0, 9, len(item))
    columns = {"time": pa.array(np.round(minutes, 2))}
    return _made(source.ravel(), item, said.ravel(), truth, columns, score)


def _made(
    source: Ints,
    item: Ints,
    value: Ints,
    truth: Ints,
    columns: dict[str, pa.Array],
    score: Floats,
) -> Made:
    """Put the claims into a table, in random order."""

    def named(prefix: str, numbers: Ints) -> pa.Array:
        return pa.array([f"{prefix}{number:03d}" for number in numbers.tolist()])

    table = pa.table(
        {
            "source": named("s", source),
            "entity": named("q", item),
            "value": named("v", value),
            **columns,
        }
    )
    order = np.random.default_rng(0).permutation(len(source))
    known = pa.table({"entity": named("q", np.arange(len(truth))), "value": named("v", truth)})
    answer = score.argmax(axis=1)
    return Made(
        Claims.from_frame(table.take(pa.array(order))),
        GroundTruth.from_frame(known),
        float((answer == truth).mean()),
    )


#: By name: what a recurrent function should read there, and how claims are drawn from a seed.
WORLDS: dict[str, tuple[str, Callable[[int], Made]]] = {
    "sources learn": ("source", lambda seed: careers(learning, seed)),
    "sources decay": ("source", lambda seed: careers(decay, seed)),
    "bad from May on": ("source", lambda seed: careers(bad_in_may, seed)),
    "careers of all kinds": ("source", lambda seed: careers(all_kinds, seed)),
    "the first is repeated": ("item", lambda seed: repetition(repeats_first, seed)),
    "most are repeated": ("item", lambda seed: repetition(repeats_most, seed)),
}
