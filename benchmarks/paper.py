"""The paper's table (b), with ours beside it, and what the machine of the paper learns.

Run with ``make bench-paper``, or ``python benchmarks/paper.py``. The folder ``--data`` holds
``population`` and ``quiz``, each with ``claims.csv.gz`` and ``truth.csv.gz``; it is
``../shared/data``, or what the environment variable VERACITY_DATA says. ``--biography FOLDER`` adds
the paper's two Biography sets, from files that you have; `biography` says what they look like.

g sees the columns that table (c) of the paper lists, as far as they can be had, and statistics of
the claims. All else is as it is by default. Population is read by the order of its edits. The truth
is opened after a fit has ended, to judge it, and never before. But the setting of `GRBM.paper()`
was found by looking at about 155 settings on these two sets, so its figures are in-sample.

``--part`` chooses what is shown: ``table``, ``first`` (the rule that it learns on Population),
``drift`` (what happens if weights are free), ``public`` (all sets of the folder), ``pictures``
(drawn into docs/images).
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import biography
import numpy as np
from public_sets import categorical_sets

from veracity import GRBM, RBM, Claims, GroundTruth
from veracity.data.arrays import Indices
from veracity.evaluation.metrics import evaluate
from veracity.models import TruthModel, make_model
from veracity.models.grbm.paper import BinaryGRBM
from veracity.models.grbm.paper_setting import PAPER_STATISTICS
from veracity.scoreboard.published import DIFFERENCES, PAPER

ROOT = Path(__file__).resolve().parents[1]
IN_SAMPLE = (
    "The setting of GRBM.paper() was found by looking at about 155 settings on Population and "
    "Quiz: its figures are in-sample. With 301 truth items, the standard error on Population is "
    "about 2 points."
)
PASSES = (1, 2, 5, 10, 20, 40, 60)
PARTS = ("table", "first", "drift", "public", "pictures")

Read = Callable[[], tuple[Claims, GroundTruth]]


@dataclass(frozen=True)
class PaperSet:
    """A data set of the paper: how it is read, and the features that g sees."""

    name: str
    read: Read
    columns: tuple[str, ...]
    has_time: bool = True

    @property
    def features(self) -> list[str]:
        """Feature columns and statistics."""
        untimed = PAPER_STATISTICS[:2]
        return [*self.columns, *(PAPER_STATISTICS if self.has_time else untimed)]


def paper_sets(data: Path, biographies: Path | None) -> list[PaperSet]:
    """Return the data sets of the paper that can be had."""
    found = [
        PaperSet(
            f"biography_{version}",
            cache(partial(biography.read, biographies, version)),
            tuple(biography.features(version)),
        )
        for version in biography.VERSIONS
        if biographies is not None
    ]
    population = cache(partial(read_set, data / "population", time="claim_order"))
    quiz = cache(partial(read_set, data / "quiz"))
    return [
        *found,
        PaperSet("population", population, ("source_registered",)),
        PaperSet("quiz", quiz, ("entity_level", "entity_category"), has_time=False),
    ]


def read_set(folder: Path, **options: Any) -> tuple[Claims, GroundTruth]:
    """Read the claims and the truth of a set."""
    claims = Claims.read(folder / "claims.csv.gz", **options)
    return claims, GroundTruth.read(folder / "truth.csv.gz")


def fitted(model: TruthModel, claims: Claims) -> TruthModel:
    """Fit without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(claims)


def accuracy(model: TruthModel, claims: Claims, truth: GroundTruth) -> float:
    """Fit, then judge by the truth: the share of right items, in per cent."""
    return 100 * evaluate(fitted(model, claims).truths_, truth, claims).accuracy


def cell(figures: Sequence[float]) -> str:
    """Write mean and spread (standard deviation over seeds)."""
    spread = statistics.stdev(figures) if len(figures) > 1 else 0.0
    return f"{statistics.mean(figures):.2f} ± {spread:.2f}"


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table in Markdown, row by row."""
    print(f"| {' | '.join(header)} |")
    print(f"|---|{'--:|' * (len(header) - 1)}")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)
    print()


# The table


def machines(chosen: PaperSet, seed: int) -> dict[str, tuple[str, TruthModel]]:
    """Return what is compared on a set: the row of the paper, and the model, by its name here."""
    preset = partial(GRBM.paper, features=chosen.features, random_state=seed)
    return {
        "GRBM, contrastive divergence": ("grbm", preset()),
        "GRBM, exact gradient": ("grbm", preset("exact")),
        "GRBM, free weights (to the letter)": ("grbm", preset(weights="free")),
        "RBM": ("rbm", RBM(random_state=seed)),
        "MLE": ("mle", make_model("mle", random_state=seed)),
        "LTM": ("ltm", make_model("ltm", random_state=seed)),
        "majority vote": ("", make_model("vote", random_state=seed)),
    }


def show_table(sets: Sequence[PaperSet], n_seeds: int) -> None:
    """Print the paper's figures and ours."""
    print(f"Accuracy in per cent, mean ± standard deviation over {n_seeds} seeds\n")
    header = ["method"]
    for chosen in sets:
        header += [f"{chosen.name}, paper", "ours", "seconds a fit"]
    print_table(header, (table_row(name, sets, n_seeds) for name in machines(sets[-1], 0)))
    print(IN_SAMPLE)
    for chosen in sets:
        print(DIFFERENCES[chosen.name])
    print()


def table_row(name: str, sets: Sequence[PaperSet], n_seeds: int) -> list[str]:
    """Return one method on all sets."""
    row = [name]
    for chosen in sets:
        claims, truth = chosen.read()
        began, figures = time.perf_counter(), []
        for seed in range(n_seeds):
            published, model = machines(chosen, seed)[name]
            figures.append(accuracy(model, claims, truth))
        seconds = (time.perf_counter() - began) / n_seeds
        paper = f"{100 * PAPER[chosen.name][published]:.2f}" if published else ""
        row += [paper, cell(figures), f"{seconds:.1f}"]
    return row


# What it learns on Population


def first_values(claims: Claims) -> Indices:
    """Return the statement that is claimed first, for each item; (n_items,)."""
    matrix, when = claims.matrix, claims.time
    assert when is not None
    naming = np.flatnonzero(matrix.claim_value == 1)
    item = matrix.item_of_claim[naming]
    order = np.lexsort((when[naming], item))
    begins = np.append(True, np.diff(item[order]) > 0)
    first = np.full(matrix.n_items, -1)
    first[item[order][begins]] = matrix.statement_index[naming[order][begins]]
    return first


def show_first(population: PaperSet, n_seeds: int) -> None:
    """Print how often the value claimed first is believed, and how often it is right."""
    claims, truth = population.read()
    matrix, first = claims.matrix, first_values(claims)
    values = matrix.values.to_pylist()
    answers: dict[tuple[str, str], set[str]] = {}
    for row in truth.to_arrow().to_pylist():
        answers.setdefault((row["entity"], row["attribute"]), set()).add(row["value"])
    labels = matrix.entities.to_pylist(), matrix.attributes.to_pylist()
    items = [
        (labels[0][entity], labels[1][attribute])
        for entity, attribute in zip(matrix.entity_index, matrix.attribute_index, strict=True)
    ]
    of_item = {key: values[matrix.value_index[first[i]]] for i, key in enumerate(items)}
    contested = {items[i] for i in np.flatnonzero(np.diff(matrix.statement_start) > 1)}
    known = [key for key in of_item if key in answers]
    right = 100 * statistics.mean(of_item[key] in answers[key] for key in known)
    print(f"The value claimed first is right on {right:.2f} % of {len(known)} truth items.\n")
    rows = []
    for objective in ("cd", "exact"):
        agree: dict[str, list[float]] = {"truth items": [], "contested items": []}
        for seed in range(n_seeds):
            preset = GRBM.paper(objective, features=population.features, random_state=seed)
            verdicts = fitted(preset, claims).truths_.to_pylist()
            believed = {(row["entity"], row["attribute"]): row["value"] for row in verdicts}
            for name, among in (("truth items", known), ("contested items", contested)):
                share = statistics.mean(believed[key] == of_item[key] for key in among)
                agree[name].append(100 * share)
        rows.append([objective, *(cell(figures) for figures in agree.values())])
    print("Per cent of items where the preset believes the value claimed first\n")
    print_table(["objective", "truth items", f"all {len(contested):,} contested items"], rows)


# Drift


@cache
def drift(population: PaperSet, n_seeds: int) -> list[dict[str, Any]]:
    """Follow accuracy and log-likelihood of a statement over passes, with weights free or not."""
    claims, truth = population.read()
    records = []
    for weights in ("free", "nonnegative"):
        for passes in PASSES:
            right, likelihood = [], []
            for seed in range(n_seeds):
                model = after(passes, population, weights, seed)
                right.append(accuracy(model, claims, truth))
                value = model.history_[-1]["log_likelihood"]
                likelihood.append(value / claims.matrix.n_statements)
            records.append(
                {
                    **{"weights": weights, "passes": passes},
                    "accuracy": statistics.mean(right),
                    "log_likelihood": statistics.mean(likelihood),
                }
            )
    return records


def after(passes: int, population: PaperSet, weights: Any, seed: int) -> BinaryGRBM:
    """Return the preset as it is after so many passes, without an average."""
    preset = GRBM.paper(weights=weights, features=population.features, random_state=seed)
    return preset.set_params(max_iter=passes, average=0.0, patience=passes + 1)


def show_drift(population: PaperSet, n_seeds: int) -> None:
    """Print how accuracy and likelihood come apart."""
    records = drift(population, n_seeds)
    print(f"Population after so many passes of contrastive divergence, mean of {n_seeds} seeds\n")
    header = ["passes"]
    for weights in ("free", "nonnegative"):
        header += [f"{weights}: accuracy", "log-likelihood of a statement"]
    half = len(PASSES)
    rows = []
    for free, held in zip(records[:half], records[half:], strict=True):
        both = [f"{each[name]:{form}}" for each in (free, held) for name, form in DRIFT_CELLS]
        rows.append([str(free["passes"]), *both])
    print_table(header, rows)


DRIFT_CELLS = (("accuracy", ".1f"), ("log_likelihood", ".4f"))


# All public sets


def show_public(data: Path, n_seeds: int) -> None:
    """Print the preset beside the vote on all sets whose truth is no number."""
    print(f"Accuracy in per cent, mean of {n_seeds} seeds; points above the vote\n")
    worst: dict[str, float] = {}
    rows = (public_row(data, name, n_seeds, worst) for name in categorical_sets(data))
    header = ["set", "vote", "exact", "points", "contrastive divergence", "points"]
    print_table(header, rows)
    under = {name: points for name, points in worst.items() if points < -2}
    print(f"More than 2 points under the vote, exact gradient: {under or 'nowhere'}.\n")


def public_row(data: Path, name: str, n_seeds: int, worst: dict[str, float]) -> list[str]:
    """Return the preset and the vote on one set."""
    options = {"time": "claim_order"} if name == "population" else {}
    claims, truth = read_set(data / name, **options)
    figures = {}
    for tag, model, params in (
        ("vote", "vote", {}),
        ("exact", "grbm-paper", {"objective": "exact"}),
        ("cd", "grbm-paper", {"objective": "cd"}),
    ):
        figures[tag] = statistics.mean(
            accuracy(make_model(model, random_state=seed, **params), claims, truth)
            for seed in range(n_seeds)
        )
    above = {tag: figures[tag] - figures["vote"] for tag in ("exact", "cd")}
    worst[name] = above["exact"]
    row = [name, f"{figures['vote']:.1f}"]
    for tag, points in above.items():
        row += [f"{figures[tag]:.1f}", f"{points:+.1f}"]
    return row


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("VERACITY_DATA", str(ROOT.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--biography", type=Path, help="folder with the paper's Biography files")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS[:3]))
    arguments = parser.parse_args()
    for name in ("population", "quiz"):
        if not (arguments.data / name / "claims.csv.gz").exists():
            parser.error(f"{arguments.data} has no {name}/claims.csv.gz; give its folder by --data")
    sets = paper_sets(arguments.data, arguments.biography)
    population, quiz = sets[-2:]
    if "table" in arguments.part:
        show_table(sets, arguments.seeds)
    if "first" in arguments.part:
        show_first(population, arguments.seeds)
    if "drift" in arguments.part:
        show_drift(population, arguments.seeds)
    if "public" in arguments.part:
        show_public(arguments.data, arguments.seeds)
    if "pictures" in arguments.part:
        from paper_picture import draw

        draw(population, quiz, drift(population, arguments.seeds), ROOT / "docs" / "images")


if __name__ == "__main__":
    main()
