"""Learn the constants of plausibilities across data sets, and say what they are worth unseen.

The plausibility of value k of an item, with x_k = best score - score_k and n_k of n claims, is

    p_k = mix softmax_k(-shape log(1 + temper x_k / shape)) + (1 - mix) (n_k + 1/2 / D) / (n + 1/2)

and the value with the largest p is believed. The three constants are those with the least log loss
of the believed value, mean over sets. Since a set says something about its own constants, each is
also judged by constants that were learned without it, and without its family (see `public_sets`).

The functions take arrays, whatever model they are of. Run ``python scripts/learn_constants.py
ARRAYS`` on a folder of ``SET.npz`` files, each with the arrays of a `Panel`, to print the constants
and the losses, and with ``--json docs/benchmarks/constants.json`` to have them on the page of
unseen data. This is the one place of the library's
making, besides the benchmarks, that reads the truth.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import expit, logit

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

#: Keeps logarithms finite.
TINY = 1e-12


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

    The keys are ``constants``, ``log_loss`` (on the sets they were learned on), ``without_set`` and
    ``without_family``; the last two have a mean and an entry for each set.
    """
    constants = learn(list(panels.values()))
    return {
        "constants": asdict(constants),
        "log_loss": float(np.mean([log_loss(panel, constants) for panel in panels.values()])),
        "without_set": _summary(leave_out(panels, str)),
        "without_family": _summary(leave_out(panels, family_of)),
    }


def _summary(found: Mapping[str, Unseen]) -> dict[str, object]:
    return {
        "log_loss": float(np.mean([each.log_loss for each in found.values()])),
        "accuracy": float(np.mean([each.accuracy for each in found.values()])),
        "sets": {name: asdict(each) for name, each in found.items()},
    }


def main() -> None:
    """Learn from a folder of arrays."""
    sys.path.append(str(Path(__file__).resolve().parents[1] / "benchmarks"))
    from public_sets import family_of

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("arrays", type=Path, help="folder of SET.npz files")
    parser.add_argument("--json", type=Path, help="where to write constants and losses")
    given = parser.parse_args()
    panels = {path.stem: Panel.read(path) for path in sorted(given.arrays.glob("*.npz"))}
    if not panels:
        parser.error(f"{given.arrays} holds no .npz files")
    text = json.dumps(study(panels, family_of), indent=1) + "\n"
    if given.json:
        given.json.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
