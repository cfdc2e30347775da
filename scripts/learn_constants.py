"""Learn the constants of plausibilities across data sets, and say what they are worth unseen.

The plausibility of value k of an item, with x_k = best score - score_k and n_k of n claims, is

    p_k = mix softmax_k(-shape log(1 + temper x_k / shape)) + (1 - mix) (n_k + 1/2 / D) / (n + 1/2)

and the value with the largest p is believed. The three constants are those with the least log loss
of the believed value, mean over sets. Since a set says something about its own constants, each is
also judged by constants that were learned without it, and without its family (see `public_sets`).

Run with ``make learn-constants``: the default without features is fitted to every categorical set
of the data folder (``--data``), and constants and losses go to docs/benchmarks/constants.json and
onto the page of unseen data (``--page``). The functions take arrays, whatever model they are of:
``python scripts/learn_constants.py ARRAYS`` learns from a folder of ``SET.npz`` files, each with
the arrays of a `Panel`. This is the one place of the library's making, besides the benchmarks, that
reads the truth; fits do not see it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import expit, logit

from veracity import GRBM
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.known import TRUE, KnownTruth
from veracity.datasets import load
from veracity.datasets.folder import Dataset
from veracity.models.grbm.observation.base import Scores
from veracity.models.grbm.plausibility import CONSTANTS, claim_shares, said_yes_and_no

ROOT = Path(__file__).resolve().parents[1]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

#: Keeps logarithms finite.
TINY = 1e-12
#: Items of a set with known truth that are looked at; more say little more.
MAX_ITEMS = 1_500


@dataclass(frozen=True)
class Constants:
    """How scores become plausibilities.

    Attributes
    ----------
    mix
        The part of the scores; the rest is the smoothed share of claims.
    temper
        What scores are multiplied by, on average.
    shape
        How sure that is: the shape of the Gamma distribution of which `temper` is the mean.
    """

    mix: float = 0.6
    temper: float = 0.7
    shape: float = 2.0

    @classmethod
    def present(cls) -> Constants:
        """Return those of the library."""
        return cls(CONSTANTS.mix, CONSTANTS.temper, CONSTANTS.shape)

    def as_free(self) -> Floats:
        """Return the constants as numbers of any size."""
        return np.array([logit(self.mix), np.log(self.temper), np.log(self.shape)])

    @classmethod
    def of_free(cls, free: Floats) -> Constants:
        """Return what `as_free` made numbers of."""
        return cls(float(expit(free[0])), *(float(np.exp(value)) for value in free[1:]))


@dataclass(frozen=True, eq=False)
class Panel:
    """What a fitted model says about the items of a set whose truth is known.

    The values of an item stand together. An open domain has "none of these" as a value, which
    cannot be believed; a yes/no item has both.

    Attributes
    ----------
    x
        The best score of the item less the score of the value; (n_values,).
    share
        The smoothed share of claims; (n_values,).
    is_true
        Whether the value is true; (n_values,).
    claimed
        Whether it can be believed; (n_values,).
    start
        Where each item begins; (n_items,).
    """

    x: Floats
    share: Floats
    is_true: Mask
    claimed: Mask
    start: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        sizes = {len(self.x), len(self.share), len(self.is_true), len(self.claimed)}
        if (
            len(sizes) > 1
            or not len(self.start)
            or self.start[0]
            or (np.diff(self.start) < 1).any()
        ):
            raise ValueError(
                "x, share, is_true and claimed need one entry a value, start one an item"
            )

    @classmethod
    def read(cls, path: Path) -> Panel:
        """Read the arrays of a file."""
        with np.load(path) as arrays:
            return cls(**{name: arrays[name] for name in cls.__dataclass_fields__})

    def write(self, path: Path) -> None:
        """Write the arrays to a file."""
        np.savez_compressed(path, **vars(self))


def plausibility(panel: Panel, constants: Constants) -> Floats:
    """Return the plausibility of each value; (n_values,)."""
    shape = constants.shape
    weight = np.exp(-shape * np.log1p(constants.temper * panel.x / shape))
    sizes = np.diff(np.append(panel.start, len(panel.x)))
    total = np.repeat(np.add.reduceat(weight, panel.start), sizes)
    return np.asarray(constants.mix * weight / total + (1 - constants.mix) * panel.share)


def believed(panel: Panel, constants: Constants) -> tuple[Floats, Mask]:
    """Return the plausibility of the believed value of each item, and whether it is true."""
    sizes = np.diff(np.append(panel.start, len(panel.x)))
    p = plausibility(panel, constants)
    candidate = np.where(panel.claimed, p, -1.0)
    best = np.maximum.reduceat(candidate, panel.start)
    # Of equals the first, so that the answer does not depend on the platform.
    chosen = np.flatnonzero(candidate == np.repeat(best, sizes))
    item = np.repeat(np.arange(len(panel.start)), sizes)[chosen]
    first = chosen[np.unique(item, return_index=True)[1]]
    return p[first], panel.is_true[first]


def log_loss(panel: Panel, constants: Constants) -> float:
    """Return the log loss of the believed values of a set."""
    p, right = believed(panel, constants)
    return float(-np.log(np.clip(np.where(right, p, 1 - p), TINY, 1.0)).mean())


def accuracy(panel: Panel, constants: Constants) -> float:
    """Return the share of believed values that are true."""
    return float(believed(panel, constants)[1].mean())


def learn(panels: Sequence[Panel]) -> Constants:
    """Return the constants with the least log loss, mean over sets.

    The search begins at the same place always: one that other sets led to would tell of them.
    """
    first = Constants().as_free()

    def mean_loss(free: Floats) -> float:
        constants = Constants.of_free(np.clip(free, -6.0, 6.0))
        return float(np.mean([log_loss(panel, constants) for panel in panels]))

    # Which value is believed may change with the constants, so that the loss has small steps.
    options = {"xatol": 1e-3, "fatol": 1e-6, "initial_simplex": first + 0.3 * _simplex(len(first))}
    found = minimize(mean_loss, first, method="Nelder-Mead", options=options)
    return Constants.of_free(np.clip(found.x, -6.0, 6.0))


def _simplex(size: int) -> Floats:
    return np.vstack([np.zeros(size), np.eye(size)])


@dataclass(frozen=True)
class Unseen:
    """A set judged by constants of others: the constants, and what they give on the set."""

    constants: Constants
    log_loss: float
    accuracy: float


def leave_out(panels: Mapping[str, Panel], group_of: Callable[[str], str]) -> dict[str, Unseen]:
    """Judge each set by constants that were learned without its group."""
    names = list(panels)
    learned = {
        group: learn([panels[name] for name in names if group_of(name) != group])
        for group in dict.fromkeys(map(group_of, names))
        if any(group_of(name) != group for name in names)
    }
    return {
        name: Unseen(
            constants := learned[group_of(name)],
            log_loss(panels[name], constants),
            accuracy(panels[name], constants),
        )
        for name in names
        if group_of(name) in learned
    }


def study(panels: Mapping[str, Panel], family_of: Callable[[str], str]) -> dict[str, object]:
    """Return the constants of all sets, and what they are worth on sets they were not learned on.

    The keys are ``constants``, ``log_loss`` and ``accuracy`` (on the sets they were learned on),
    ``present`` (the library's constants), ``without_set`` and ``without_family``; the last three
    have means and an entry for each set.
    """
    constants = learn(list(panels.values()))
    everywhere = _summary(_judged(panels, constants))
    return {
        "constants": asdict(constants),
        "log_loss": everywhere["log_loss"],
        "accuracy": everywhere["accuracy"],
        "present": _summary(_judged(panels, Constants.present())),
        "without_set": _summary(leave_out(panels, str)),
        "without_family": _summary(leave_out(panels, family_of)),
    }


def _judged(panels: Mapping[str, Panel], constants: Constants) -> dict[str, Unseen]:
    return {
        name: Unseen(constants, log_loss(panel, constants), accuracy(panel, constants))
        for name, panel in panels.items()
    }


def _summary(found: Mapping[str, Unseen]) -> dict[str, object]:
    return {
        "log_loss": float(np.mean([each.log_loss for each in found.values()])),
        "accuracy": float(np.mean([each.accuracy for each in found.values()])),
        "sets": {name: asdict(each) for name, each in found.items()},
    }


# What the default says about data sets

#: The values of an item: x, share, is_true, claimed.
Values = tuple[Floats, Floats, Mask, Mask]


def fitted_panel(data: Dataset, max_items: int = MAX_ITEMS) -> Panel:
    """Fit the default without features to a set, and return what it says about known items."""
    model = GRBM(features="never").fit(data.claims)
    block, own = model.fitted_model.bind(data.claims)
    known = KnownTruth.of(data.truth, data.claims)
    items = np.flatnonzero(known.settled)
    if not len(items):
        raise ValueError(f"{data.name}: nobody speaks about an item whose truth is known")
    if len(items) > max_items:
        rng = np.random.default_rng(zlib.crc32(data.name.encode()))
        items = np.sort(rng.choice(items, max_items, replace=False))
    matrix, weight = block.data.matrix, block.data.weight
    share = claim_shares(matrix, weight, block.domain_size)
    is_true = known.statement == TRUE
    values = list(_values(matrix, block.scores(own), weight, share, is_true, items))
    sizes = [len(x) for x, *_ in values]
    arrays = (np.concatenate(each) for each in zip(*values, strict=True))
    return Panel(*arrays, start=np.cumsum([0, *sizes[:-1]]))  # type: ignore[misc]


def _values(
    matrix: ClaimMatrix,
    scores: Scores,
    weight: Floats,
    share: Floats,
    is_true: Mask,
    items: npt.NDArray[np.int64],
) -> Iterator[Values]:
    """Yield the values of each item; see `veracity.models.grbm.plausibility`.

    Of an item that may have several true values, each statement is a yes/no item.
    """
    odds = _odds(matrix, scores, weight)
    single = matrix.kind_is("single")
    for item in items.tolist():
        own = slice(matrix.statement_start[item], matrix.statement_start[item + 1])
        if single[item]:
            score, unclaimed = scores.statement[own], float(scores.unclaimed[item])
            yield _competing(score, unclaimed, share[own], is_true[own])
        else:
            for statement in range(own.start, own.stop):
                yield _yes_and_no(odds[statement], share[statement], is_true[statement])


def _competing(score: Floats, unclaimed: float, share: Floats, is_true: Mask) -> Values:
    """Return the claimed values of an item, and "none of these", which is at best as good."""
    best = score.max()
    with np.errstate(invalid="ignore"):
        x = best - score if best > -np.inf else np.full(len(score), np.inf)
    rest = max(best - unclaimed, 0.0) if best > -np.inf else 0.0
    return (
        np.append(x, rest),
        np.append(share, max(1 - share.sum(), 0.0)),
        np.append(is_true, not is_true.any()),
        np.append(np.ones(len(score), np.bool_), False),
    )


def _yes_and_no(odds: float, share: float, is_true: bool) -> Values:
    """Return a statement and its opposite, both of which can be believed."""
    return (
        np.maximum([-odds, odds], 0.0),
        np.array([share, 1 - share]),
        np.array([is_true, not is_true]),
        np.ones(2, np.bool_),
    )


def _odds(matrix: ClaimMatrix, scores: Scores, weight: Floats) -> Floats:
    """Return the log-odds of each statement, in favour of the only side that is claimed."""
    yes, no = said_yes_and_no(matrix, weight)
    item = matrix.item_of_statement
    against = np.where(matrix.kind_is("boolean")[item], scores.unclaimed[item], 0.0)
    with np.errstate(invalid="ignore"):
        odds = np.nan_to_num(scores.statement - against)
    odds = np.where((no <= 0) & (yes > 0), np.maximum(odds, 0.0), odds)
    return np.where((yes <= 0) & (no > 0), np.minimum(odds, 0.0), odds)


def fitted_panels(folder: Path, names: Sequence[str]) -> dict[str, Panel]:
    """Return what the default says about the data sets of a folder."""
    panels = {}
    for number, name in enumerate(names, 1):
        panels[name] = fitted_panel(load(folder / name))
        loss = log_loss(panels[name], Constants.present())
        sys.stderr.write(f"{number}/{len(names)} {name}: {loss:.3f}\n")
    return panels


def main() -> None:
    """Learn from the data sets of a folder, or from a folder of arrays."""
    sys.path.append(str(ROOT / "benchmarks"))
    from pages import DOCS, write_into
    from public_sets import categorical_sets, family_of
    from unseen_page import constants
    from unseen_results import Results

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data = os.environ.get("VERACITY_DATA", str(ROOT.parent / "shared" / "data"))
    parser.add_argument("arrays", type=Path, nargs="?", help="folder of SET.npz files to read")
    parser.add_argument(
        "--data",
        type=Path,
        nargs="?",
        const=Path(data),
        help=f"fit the default to the sets of a folder, {data} if none is named; "
        "the arrays are written to ARRAYS, if that is given",
    )
    parser.add_argument("--json", type=Path, help="where to write constants and losses")
    parser.add_argument("--page", action="store_true", help="write them into the documentation")
    given = parser.parse_args()
    if given.data:
        panels = fitted_panels(given.data, categorical_sets(given.data))
        if given.arrays:
            given.arrays.mkdir(parents=True, exist_ok=True)
            for name, panel in panels.items():
                panel.write(given.arrays / f"{name}.npz")
    elif given.arrays:
        panels = {path.stem: Panel.read(path) for path in sorted(given.arrays.glob("*.npz"))}
    else:
        parser.error("nothing to learn from: name a folder of arrays, or --data")
    if len(set(map(family_of, panels))) < 2:
        parser.error(
            f"{given.data or given.arrays} holds sets of fewer than two families; two are needed, "
            "to judge one by the other"
        )
    found = study(panels, family_of)
    text = json.dumps(found, indent=1) + "\n"
    folder = DOCS / "benchmarks"
    for path in filter(None, (given.json, folder / "constants.json" if given.page else None)):
        path.write_text(text, encoding="utf-8")
    if given.page:
        results = Results.read(folder / "unseen.csv").part("set")
        write_into("benchmarks/unseen.md", "make learn-constants", constants(results, found))
    elif not given.json:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
