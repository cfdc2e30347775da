"""Minimising as a stage of a run: it goes on from a checkpoint where there is one."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from veracity.engines.checkpoints import Kept, next_stage
from veracity.engines.progress import report
from veracity.models.grbm.lbfgs import Function, Minimum, Point, Progress, Solve, minimise, n_pairs
from veracity.models.grbm.vectors import Vector, largest, stored

Record = dict[str, float]


@dataclass(frozen=True, eq=False)
class Minimised:
    """Where a search ended, and a record of each of its iterations."""

    found: Minimum
    history: list[Record]


def minimise_in_stage(
    function: Function,
    x: Vector,
    solve: Solve | None,
    max_iter: int,
    tol: float,
    before: Sequence[Record] = (),
) -> Minimised:
    """Minimise a negative log-likelihood; see `minimise` for the parameters.

    What `function` adds to value and gradient is the log-likelihood without penalties. `before` is
    the record of an earlier search that ended where this one starts; its iterations count.
    """
    stage = next_stage()
    kept = stage.kept()
    history: list[Record] = list(before) if kept is None else kept.plain["history"]
    if kept is not None and kept.ended:
        point = _point(kept)
        return Minimised(Minimum(point, kept.plain["converged"], kept.plain["message"]), history)

    def record(point: Point) -> None:
        history.append(
            {
                "iteration": float(len(history) + 1),
                "log_likelihood": point.extra,
                "objective": -point.value,
                "gradient": largest(point.gradient),
            }
        )
        report(history[-1])

    begun = None if kept is None else _progress(kept, solve)
    del kept  # all of it is in files if it is long
    found = minimise(
        function,
        x,
        solve,
        max_iter,
        tol,
        record,
        begun=begun,
        n_iter=len(before),
        keep=lambda progress: stage.keep(lambda: _state(progress, history)),
    )
    ended: dict[str, Any] = {"converged": found.converged, "message": found.message}
    stage.keep(lambda: _state(Progress(found.point, deque()), history, ended), ended=True)
    return Minimised(found, history)


def _state(
    progress: Progress, history: list[Record], ended: dict[str, Any] | None = None
) -> tuple[dict[str, Any], dict[str, Vector]]:
    point, pairs = progress.point, progress.pairs
    arrays: dict[str, Vector] = {"x": point.x, "gradient": point.gradient}
    for number, (step, change, _) in enumerate(pairs):
        arrays |= {f"step {number}": step, f"change {number}": change}
    plain = {
        "value": point.value,
        "extra": point.extra,
        "curvatures": [curvature for *_, curvature in pairs],
        "history": history,
    }
    return plain | (ended or {}), arrays


def _point(kept: Kept) -> Point:
    plain, arrays = kept.plain, kept.arrays
    x, gradient = stored(arrays["x"]), stored(arrays["gradient"])
    return Point(x, plain["value"], gradient, plain["extra"])


def _progress(kept: Kept, solve: Solve | None) -> Progress:
    arrays, curvatures = kept.arrays, kept.plain["curvatures"]
    pairs = (
        (stored(arrays[f"step {number}"]), stored(arrays[f"change {number}"]), curvature)
        for number, curvature in enumerate(curvatures)
    )
    held = deque(pairs, n_pairs(len(arrays["x"]), solve))
    return Progress(_point(kept), held, len(kept.plain["history"]))
