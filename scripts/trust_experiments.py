"""Experiments on drawn claims that show how a model without labels fails, and what holds it.

Everything is drawn with a seed and fitted exactly, so that the figures are the same every time.
`trust_pictures` draws them. The truth is used to measure only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from veracity.models.grbm.forms import choose_blocks
from veracity.models.grbm.observation.registry import PARTS
from veracity.models.grbm.scores import LinearScore

from veracity import GRBM, Claims, GroundTruth, MajorityVote
from veracity.data.arrays import Floats, Mask
from veracity.data.encode.denials import claim_roles
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.known import FALSE, TRUE, KnownTruth
from veracity.datasets import synthetic
from veracity.datasets.synthetic import AttributeSpec, Beta, SourceSpec, Synthetic
from veracity.evaluation.calibration import expected_calibration_error
from veracity.evaluation.metrics import assess
from veracity.models.base import TruthModel
from veracity.models.grbm.block_data import Scene
from veracity.models.grbm.lbfgs import Point, minimise
from veracity.models.grbm.objective import Objective, fit

Records = list[dict[str, Any]]
MAX_ITER, TOL = 300, 1e-10
#: What stands for "not held": none at all would leave some parameters undetermined.
HARDLY = 1e-3


class Free(Objective):
    """The likelihood alone: parameters go where it pulls them."""

    @cached_property
    def hold(self) -> Floats:
        """Hardly hold anything."""
        return np.full(sum(self.sizes), HARDLY)


def objective(
    claims: Claims, kind: type[Objective], *, below_chance: bool, mark: Mask | None = None
) -> Objective:
    """Return the likelihood of claims, with priors or without; a mark of claims is a feature."""
    matrix = claims.matrix
    n = matrix.n_sources
    row, source_of_row = matrix.source_index, np.arange(n)
    features: Floats = np.zeros((n, 0))
    if mark is not None:
        row = (2 * row + mark).astype(np.int32)
        source_of_row = np.arange(2 * n) // 2
        features = np.tile([-0.5, 0.5], n)[:, None]
    scene = Scene(
        matrix,
        claim_roles(matrix),
        row,
        source_of_row,
        np.zeros(matrix.n_statements),
        np.zeros(matrix.n_items),
        floor=0.0 if below_chance else 1.0,
    )
    parts = [PARTS[block.form](scene, block) for block in choose_blocks(matrix)]
    return kind(scene, parts, LinearScore(features.shape[1]), features, np.zeros(n))


def share_right(matrix: ClaimMatrix, posterior: Floats, is_true: Mask) -> float:
    """Return how often what is believed is true; of several that are level, each counts in part."""
    if not matrix.kind_is("single").any():
        return float(np.mean((posterior > 0.5) == is_true))
    start = matrix.statement_start[:-1]
    is_best = posterior >= np.maximum.reduceat(posterior, start)[matrix.item_of_statement]
    n_best = np.add.reduceat(is_best, start, dtype=np.float64)
    return float(np.mean(np.add.reduceat(is_best & is_true, start, dtype=np.float64) / n_best))


def true_statements(claims: Claims, truth: GroundTruth) -> Mask:
    """Mark the statements that are true."""
    return np.asarray(KnownTruth.of(truth, claims).statement == TRUE)


def accuracy(model: TruthModel, drawn: Synthetic) -> float:
    """Return how often a model that is fitted to drawn claims is right."""
    return float(assess(model.fit(drawn.claims).truths_, drawn.truth, drawn.claims)[0].accuracy)


# The mirror image


def mirror(n_points: int = 61, n_starts: int = 40) -> tuple[Records, Records]:
    """Go from the truth to its mirror image, and climb from random starts.

    Returns
    -------
    line, starts
        The log-likelihood along the line, without and with priors, less that of the truth without;
        and where climbs from random starts end: how many reach which accuracy.
    """
    drawn = synthetic.draw(
        20,
        300,
        [AttributeSpec("holds", kind="boolean")],
        sources=SourceSpec(reliability=Beta(8, 3), items_per_source=120),
        random_state=3,
    )
    matrix, is_true = drawn.claims.matrix, true_statements(drawn.claims, drawn.truth)
    free = objective(drawn.claims, Free, below_chance=True)
    held = objective(drawn.claims, Objective, below_chance=True)
    truth = fit(free, MAX_ITER, TOL).x
    # Strengths and the log-odds of truth change sign; how often a source says yes does not.
    image = truth.copy()
    image[: 2 + matrix.n_sources + 1] *= -1
    top = free.evaluate(truth)[2]
    line: Records = []
    for way in np.linspace(0.0, 1.0, n_points):
        x = (1 - way) * truth + way * image
        right = share_right(matrix, free.judge(x).posterior, is_true)
        values = {"likelihood alone": free.evaluate(x)[2], "with priors": -held.evaluate(x)[0]}
        line += [
            {"way": way, "objective": name, "value": value - top, "accuracy": right}
            for name, value in values.items()
        ]
    bound = objective(drawn.claims, Objective, below_chance=False)
    kinds = {"likelihood alone": free, "with priors": held, "with priors, and u >= 0": bound}
    starts: Records = []
    for name, kind in kinds.items():
        rng = np.random.default_rng(0)
        ends = []
        for _ in range(n_starts):
            start = np.zeros(sum(kind.sizes))
            start[2 : 2 + matrix.n_sources] = rng.standard_normal(matrix.n_sources)
            end = fit(kind, MAX_ITER, TOL, start).x
            ends.append(share_right(matrix, kind.judge(end).posterior, is_true))
        reached, count = np.unique(np.round(ends, 2), return_counts=True)
        starts += [
            {"model": name, "accuracy": float(place), "count": int(number)}
            for place, number in zip(reached, count, strict=True)
        ]
    return line, starts


# Drift


def drift() -> tuple[Records, float]:
    """Climb with freedom and with a feature that derives from the value, and as the default does.

    Returns
    -------
    path, vote
        Log-likelihood and accuracy by iteration; and the accuracy of a vote.
    """
    tables = synthetic.draw_tables(
        20,
        400,
        [AttributeSpec("answer", n_values=4)],
        sources=SourceSpec(reliability=Beta(4, 4), items_per_source=120),
        random_state=0,
    )
    claims, truth = Claims.from_frame(tables.claims), GroundTruth.from_frame(tables.truth)
    matrix, is_true = claims.matrix, true_statements(claims, truth)
    # Half of all values are marked, whether true or not: long ones, say.
    marked = np.random.default_rng(9).random(matrix.n_statements) < 0.5
    mark = marked[matrix.statement_index]
    climbs = {
        "free, with a feature of the value": objective(claims, Free, below_chance=True, mark=mark),
        "as the default does": objective(claims, Objective, below_chance=False),
    }
    path: Records = []
    for name, kind in climbs.items():
        for iteration, point in enumerate(climb(kind)):
            right = share_right(matrix, kind.judge(point.x).posterior, is_true)
            here = {"iteration": iteration, "log_likelihood": point.extra, "accuracy": right}
            path.append({"model": name, **here})
    drawn = Synthetic(claims, truth, tables.oracle)
    return path, accuracy(MajorityVote(), drawn)


def climb(kind: Objective) -> list[Point]:
    """Return the places that a fit passes, its start among them."""
    value, gradient, likelihood = kind.evaluate(kind.centre)
    path = [Point(kind.centre, value, gradient, likelihood)]
    minimise(kind.evaluate, kind.centre, kind.curvature().divide, MAX_ITER, TOL, path.append)
    return path


# Copying

N_SOURCES = 20
COPYING_MODELS: dict[str, Callable[[], TruthModel]] = {
    "vote": MajorityVote,
    "all copies count": lambda: GRBM(discount_copies=False),
    "copies always count once": lambda: GRBM(discount_copies=True),
    "the default": GRBM,
}


def copying(most: int = 11, n_draws: int = 5) -> Records:
    """Let more and more of the sources copy a poor one; return means over draws."""
    records: Records = []
    for n_copiers in range(most + 1):
        draws = [with_copiers(n_copiers, seed) for seed in range(n_draws)]
        for name, make in COPYING_MODELS.items():
            found = [judged_copies(make(), drawn) for drawn in draws]
            right, believed = np.mean(found, axis=0)
            here = {"copiers": n_copiers, "accuracy": right, "believed": believed}
            records.append({"model": name, **here})
    return records


def with_copiers(n_copiers: int, seed: int, poor: float = 0.35) -> Synthetic:
    """Draw claims of 20 sources of which some copy one that is mostly wrong."""
    rates = np.random.default_rng((seed, 1)).beta(6, 4, N_SOURCES)
    spec = SourceSpec(
        reliability=rates,
        items_per_source=200,
        copiers=n_copiers / N_SOURCES,
        copy_probability=0.95,
    )
    rates[original(synthetic.draw(N_SOURCES, 400, sources=spec, random_state=seed))] = poor
    return synthetic.draw(
        N_SOURCES, 400, sources=replace(spec, reliability=rates), random_state=seed
    )


def original(drawn: Synthetic) -> int:
    """Return which source is copied; the first, where none is."""
    sources = drawn.oracle.sources
    copied = set(pc.drop_null(sources["copies"]).to_pylist())
    return next((i for i, name in enumerate(sources["source"].to_pylist()) if name in copied), 0)


def judged_copies(model: TruthModel, drawn: Synthetic) -> tuple[float, float]:
    """Return the accuracy, and the plausibility of what the copied source is wrong about."""
    right = accuracy(model, drawn)
    matrix = drawn.claims.matrix
    false = KnownTruth.of(drawn.truth, drawn.claims).statement == FALSE
    name = drawn.oracle.sources["source"][original(drawn)]
    by_original = matrix.source_index == pc.index(matrix.sources, pa.scalar(name.as_py())).as_py()
    wrong = by_original & false[matrix.statement_index]
    return right, float(model.plausibility_[matrix.statement_index[wrong]].mean())


# Calibration


def calibration() -> tuple[Records, Records]:
    """Compare plausibilities with how often they are right, where claims err together and not.

    Returns
    -------
    bins, errors
        Mean plausibility and share right of verdicts by tenths of plausibility; and the expected
        calibration error of each case and model.
    """
    bins: Records = []
    errors: Records = []
    for case, difficulty in {"claims err independently": 0.0, "claims err together": 2.0}.items():
        drawn = synthetic.draw(
            20,
            2_000,
            [AttributeSpec("class", domain="closed", n_values=3)],
            sources=SourceSpec(reliability=Beta(5, 3), items_per_source=800),
            difficulty=difficulty,
            random_state=1,
        )
        for name, model in {
            "tempered, the default": GRBM(),
            "not tempered": GRBM(correlation=0.0),
        }.items():
            verdicts = assess(model.fit(drawn.claims).truths_, drawn.truth, drawn.claims)[1]
            p, right = verdicts.plausibility, verdicts.right
            error = expected_calibration_error(p, right)
            errors.append({"case": case, "model": name, "error": error})
            place = np.minimum((10 * p).astype(np.int64), 9)
            for tenth in np.flatnonzero(np.bincount(place, minlength=10) >= 20):
                here = place == tenth
                mean, share = float(p[here].mean()), float(right[here].mean())
                found = {"plausibility": mean, "right": share, "count": int(here.sum())}
                bins.append({"case": case, "model": name, **found})
    return bins, errors
