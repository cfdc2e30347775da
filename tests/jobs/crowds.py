"""Answers of a crowd, with workers who are not what they seem."""

from __future__ import annotations

import numpy as np
from tests.jobs.job import ONLY, Item, Job, Row

Rng = np.random.Generator


def _truths(rng: Rng, n_items: int, shares: dict[str, float]) -> list[str]:
    return [str(value) for value in rng.choice(list(shares), n_items, p=list(shares.values()))]


def _answer(rng: Rng, worker: str, true: str, labels: list[str], right: float) -> str:
    """Return what a worker of some kind answers; the kind begins the name."""
    kind = worker.split(" ")[0]
    if kind == "constant":
        return labels[0]
    if kind == "random":
        return str(rng.choice(labels))
    chance = 1 - right if kind == "adversarial" else right
    others = [label for label in labels if label != true]
    return true if rng.random() < chance else str(rng.choice(others))


def _crowd(
    seed: int, name: str, shares: dict[str, float], kinds: dict[str, int], per_item: int, n: int
) -> Job:
    rng = np.random.default_rng(seed)
    labels = list(shares)
    workers = [f"{kind} {i}" for kind, count in kinds.items() for i in range(count)]
    skill = {worker: float(rng.beta(14, 4)) for worker in workers}
    rows: list[Row] = []
    truth: dict[Item, str] = {}
    for number, true in enumerate(_truths(rng, n, shares)):
        task, answers = f"task {number}", {}
        for index in rng.choice(len(workers), per_item, replace=False):
            worker = workers[index]
            answers[worker] = _answer(rng, worker, true, labels, skill[worker])
        rows += [{"task": task, "worker": w, "label": a} for w, a in answers.items()]
        truth[task, ONLY] = true
    planted = {w: w.split(" ")[0] for w in workers if not w.startswith("good")}
    return Job(name, "answers.csv", ("discover",), rows, truth, planted=planted)


def two_classes(seed: int) -> Job:
    """Return yes and no, one in five yes, with spammers of three kinds."""
    kinds = {"good": 25, "constant": 3, "random": 5, "adversarial": 1}
    return _crowd(seed, "crowd, two classes", {"no": 0.8, "yes": 0.2}, kinds, 7, 600)


def four_classes(seed: int) -> Job:
    """Return four classes of which one is common, with many who answer at random."""
    shares = {"cat": 0.4, "dog": 0.3, "fox": 0.2, "owl": 0.1}
    kinds = {"good": 20, "random": 10, "constant": 2}
    return _crowd(seed, "crowd, four classes", shares, kinds, 5, 600)


def long_tail(seed: int) -> Job:
    """Return many workers with a handful of answers each."""
    shares = {"a": 0.34, "b": 0.33, "c": 0.33}
    return _crowd(seed, "crowd, long tail", shares, {"good": 300, "random": 60}, 5, 500)


def copiers(seed: int) -> Job:
    """Return a worker whom several others copy, answers at random included."""
    rng = np.random.default_rng(seed)
    labels = ["left", "right", "straight"]
    rows: list[Row] = []
    truth: dict[Item, str] = {}
    for number in range(500):
        task, true = f"turn {number}", str(rng.choice(labels))
        truth[task, ONLY] = true
        first = true if rng.random() < 0.6 else str(rng.choice(labels))
        for copier in range(4):
            said = first if rng.random() < 0.97 else str(rng.choice(labels))
            rows.append({"task": task, "worker": f"copier {copier}", "label": said})
        for good in range(5):
            if rng.random() < 0.8:
                said = true if rng.random() < 0.85 else str(rng.choice(labels))
                rows.append({"task": task, "worker": f"good {good}", "label": said})
    planted = {f"copier {i}": "copier" for i in range(4)}
    return Job("crowd, copiers", "answers.csv", ("discover",), rows, truth, planted=planted)
