"""Minimising as a stage of a run: it goes on from a checkpoint where there is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from veracity.data.arrays import Floats
from veracity.engines.checkpoints import Kept, next_stage
from veracity.engines.progress import report
from veracity.models.grbm.gradient_flow import CurvatureAt, Flow, follow
from veracity.models.grbm.lbfgs import Function, Minimum, Point, Progress, Solve, minimise, n_pairs
from veracity.models.grbm.pairs import Pairs
from veracity.models.grbm.vectors import Vector, largest, stored

Record = dict[str, float]
Laid = Callable[[Floats], Vector]


@dataclass(frozen=True, eq=False)
class Minimised:
    """Where a search ended, and a record of each of its iterations."""

    found: Minimum
    history: list[Record]


@dataclass(frozen=True, eq=False)
class Begun:
    """What an earlier search came to: how far it is, and a record of each of its iterations."""

    progress: Progress
    history: list[Record]


def flow_in_stage(
    function: Function,
    x: Any,
    curvature_at: Callable[[Any], CurvatureAt],
    max_iter: int,
    laid: Laid = stored,
) -> Begun:
    """Follow the gradient flow of a negative log-likelihood; see `follow` for the parameters.

    `laid` puts a vector of a checkpoint where the search has its vectors.
    """
    stage = next_stage()
    kept = stage.kept()
    history: list[Record] = [] if kept is None else kept.plain["history"]
    if kept is not None and kept.ended:
        return Begun(_progress(kept, laid), history)
    begun = None if kept is None else Flow(_progress(kept, laid), kept.plain["next"])
    del kept  # all of it is in files if it is long
    progress = follow(
        function,
        x,
        curvature_at,
        max_iter,
        _recorder(history),
        begun,
        keep=lambda flow: stage.keep(
            lambda: _state(flow.progress, history, {"next": flow.damping})
        ),
    )
    stage.keep(lambda: _state(progress, history), ended=True)
    return Begun(progress, history)


def minimise_in_stage(
    function: Function,
    start: Floats | Begun,
    solve: Solve,
    max_iter: int,
    tol: float,
    laid: Laid = stored,
) -> Minimised:
    """Minimise a negative log-likelihood; see `minimise` for the parameters.

    What `function` adds to value and gradient is the log-likelihood without penalties. A search
    may go on from where an earlier one ended, whose iterations count. `laid` puts a vector of a
    checkpoint where the search has its vectors.
    """
    stage = next_stage()
    kept = stage.kept()
    begun, x = (start, start.progress.point.x) if isinstance(start, Begun) else (None, start)
    if kept is not None:
        begun = Begun(_progress(kept, laid), kept.plain["history"])
    history = [] if begun is None else begun.history
    if kept is not None and kept.ended:
        point = _point(kept, laid)
        return Minimised(Minimum(point, kept.plain["converged"], kept.plain["message"]), history)
    del kept, start  # all of it is in files if it is long
    found = minimise(
        function,
        x,
        solve,
        max_iter,
        tol,
        _recorder(history),
        begun=None if begun is None else begun.progress,
        keep=lambda progress: stage.keep(lambda: _state(progress, history)),
    )
    ended: dict[str, Any] = {"converged": found.converged, "message": found.message}
    stage.keep(lambda: _state(Progress(found.point, Pairs(0)), history, ended), ended=True)
    return Minimised(found, history)


def _recorder(history: list[Record]) -> Callable[[Point], None]:
    """Return a function that records and reports each point that is reached."""

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

    return record


def _state(
    progress: Progress, history: list[Record], more: dict[str, Any] | None = None
) -> tuple[dict[str, Any], dict[str, Vector]]:
    point, pairs = progress.point, progress.pairs
    arrays: dict[str, Vector] = {"x": point.x, "gradient": point.gradient}
    for number, (step, change) in enumerate(zip(pairs.steps, pairs.changes, strict=True)):
        arrays |= {f"step {number}": step, f"change {number}": change}
    plain = {
        "value": point.value,
        "extra": point.extra,
        "pairs": pairs.numbers,
        "history": history,
    }
    return plain | (more or {}), arrays


def _point(kept: Kept, laid: Laid) -> Point:
    plain, arrays = kept.plain, kept.arrays
    x, gradient = laid(arrays["x"]), laid(arrays["gradient"])
    return Point(x, plain["value"], gradient, plain["extra"])


def _progress(kept: Kept, laid: Laid) -> Progress:
    arrays, plain = kept.arrays, kept.plain
    vectors = (
        (laid(arrays[f"step {number}"]), laid(arrays[f"change {number}"]))
        for number in range(len(plain["pairs"]["products"]))
    )
    limit = n_pairs(len(arrays["x"]), has_curvature=True)
    pairs = Pairs.restored(limit, vectors, plain["pairs"])
    return Progress(_point(kept, laid), pairs, len(plain["history"]))
