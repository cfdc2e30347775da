"""Count how often planted spammers are named for what they are, and good workers by mistake.

Each crowd has good workers, and one of each kind of spammer. Workers answer as many questions as
they like, drawn at random; a copier those of a good worker, and now and then one of its own.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Indices
from veracity.errors import ConvergenceWarning
from veracity.models import make_model

KINDS = ("constant", "random", "adversarial", "copier")
GOOD = "good"
LABELS = ("yes", "no", "maybe", "other")


@dataclass(frozen=True)
class Setting:
    """A kind of crowd.

    Attributes
    ----------
    name
        For the table.
    shares
        How often each class is true.
    n_items, n_answers
        Questions, and about how many of them each worker answers.
    n_good
        Good workers, beside one spammer of each kind.
    """

    name: str
    shares: tuple[float, ...]
    n_items: int
    n_answers: int
    n_good: int = 15


SETTINGS = tuple(
    Setting(name, shares, n_items, n_answers)
    for name, shares in (
        ("50/50", (0.5, 0.5)),
        ("90/10", (0.1, 0.9)),
        ("four classes", (0.25, 0.25, 0.25, 0.25)),
    )
    for n_items, n_answers in ((120, 50), (400, 170), (1000, 420))
)
#: How often good workers are right, and adversarial ones; how often a copier errs by itself.
ACCURACY, ADVERSARIAL, SLIPS = (0.7, 0.95), 0.1, 0.05


def draw_crowd(
    setting: Setting, seed: int, accuracy: tuple[float, float] = ACCURACY
) -> dict[str, list[str]]:
    """Draw the answers of a crowd; the name of a worker begins with its kind."""
    rng = np.random.default_rng(seed)
    n_classes, n_items = len(setting.shares), setting.n_items
    truth = rng.choice(n_classes, n_items, p=setting.shares)

    def right_with(probability: float) -> Indices:
        wrong = (truth + rng.integers(1, n_classes, n_items)) % n_classes
        return np.where(rng.random(n_items) < probability, truth, wrong)

    said = [right_with(rng.uniform(*accuracy)) for _ in range(setting.n_good)]
    said += [np.full(n_items, rng.integers(n_classes)), rng.integers(0, n_classes, n_items)]
    said.append(right_with(ADVERSARIAL))
    slips = rng.random(n_items) < SLIPS
    said.append(np.where(slips, rng.integers(0, n_classes, n_items), said[0]))
    answers = rng.random((len(said), n_items)) < setting.n_answers / n_items
    answers[-1] = answers[0] & (rng.random(n_items) < 0.95)
    names = [f"{GOOD}-{place}" for place in range(setting.n_good)] + [f"{kind}-0" for kind in KINDS]
    worker, item = np.nonzero(answers)
    return {
        "source": [names[place] for place in worker],
        "entity": [f"q{place}" for place in item],
        "value": [LABELS[said[who][what]] for who, what in zip(worker, item, strict=True)],
    }


def count(
    setting: Setting, model: str, seeds: Sequence[int], accuracy: tuple[float, float] = ACCURACY
) -> dict[str, Counter[str]]:
    """Count the names that workers of each kind are given; "" is none."""
    found: dict[str, Counter[str]] = {kind: Counter() for kind in (GOOD, *KINDS)}
    for seed in seeds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            sources = make_model(model).fit(draw_crowd(setting, seed, accuracy)).sources_
        for row in sources.to_pylist():
            found[row["source"].partition("-")[0]][row["pattern"] or ""] += 1
    return found


def rows(
    settings: Sequence[Setting],
    models: Sequence[str],
    seeds: Sequence[int],
    accuracy: tuple[float, float] = ACCURACY,
) -> Iterator[str]:
    """Return the rows of a table in Markdown, as they are found."""
    yield "| truth | answers a worker | model | constant | random | adversarial | copier | good |"
    yield "|---|--:|---|--:|--:|--:|--:|--:|"
    for setting in settings:
        for model in models:
            found = count(setting, model, seeds, accuracy)
            named = [f"{found[kind][kind] / found[kind].total():.0%}" for kind in KINDS]
            good = found[GOOD].total()
            wrong = f"{good - found[GOOD]['']} of {good:,}"
            cells = [setting.name, str(setting.n_answers), model, *named, wrong]
            yield f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100, help="crowds of each kind")
    parser.add_argument("--first-seed", type=int, default=0, help="that of the first crowd")
    parser.add_argument(
        "--accuracy", type=float, nargs=2, default=ACCURACY, help="of good workers, from and to"
    )
    parser.add_argument("--models", default="grbm,vote,dawid-skene", help="comma-separated")
    given = parser.parse_args()
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    for row in rows(SETTINGS, given.models.split(","), seeds, tuple(given.accuracy)):
        sys.stdout.write(row + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
