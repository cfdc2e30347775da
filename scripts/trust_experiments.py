"""Experiments on drawn claims that show how a model without labels fails, and what holds it.

Everything is drawn with a seed and fitted exactly, so that the figures are the same every time.
`trust_pictures` draws them. The truth is used to measure only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any
from unittest import mock
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity import GRBM, Claims, GroundTruth, MajorityVote
from veracity.data.arrays import Floats, Mask
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.known import FALSE, TRUE, KnownTruth
from veracity.datasets import synthetic
from veracity.datasets.synthetic import (
    AttributeSpec,
    Beta,
    SourceSpec,
    Synthetic,
    SyntheticTables,
)
from veracity.engines.local import in_one_block
from veracity.evaluation.calibration import expected_calibration_error
from veracity.evaluation.metrics import assess
from veracity.models.base import TruthModel
from veracity.models.grbm import contests, moving_part
from veracity.models.grbm.block_data import add_features, prepare_block
from veracity.models.grbm.claim_counts import count_claims
from veracity.models.grbm.feature_trial import learn_features
from veracity.models.grbm.fitting import fit
from veracity.models.grbm.lbfgs import Point, minimise
from veracity.models.grbm.model_spec import ModelSpec
from veracity.models.grbm.objective import Objective
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.plausibility import CONSTANTS, LearnedConstants, plausibilities
from veracity.models.grbm.reliability import Linear
from veracity.models.grbm.vectors import whole

Records = list[dict[str, Any]]
MAX_ITER, TOL = 300, 1e-10
#: What stands for "not held": none at all would leave some parameters undetermined.
HARDLY = 1e-3
#: A feature that derives from the value, and the column of families.
MARK, FAMILY = "claim_marked", "source_family"
#: Neither tempered nor mixed with the shares of claims.
PLAIN = LearnedConstants(mix=1.0, temper=1.0, shape=1e9)


class Free(Objective):
    """The likelihood alone: parameters go where it pulls them."""

    @cached_property
    def precision(self) -> Floats:
        """Hardly hold anything."""
        return np.full(self.spec.names.size, HARDLY)


def objective(
    claims: Claims, kind: type[Objective], *, below_chance: bool, features: Sequence[str] = ()
) -> Objective:
    """Return the likelihood of claims, with priors or without, and with features or without."""
    in_blocks = in_one_block(claims)
    counts = count_claims(in_blocks)
    blocks = in_blocks.blocks.prepare(prepare_block)
    reliability = Linear(0)
    if features:
        builder = learn_features(in_blocks.blocks, features, None)
        blocks = blocks.prepare(add_features, builder)
        reliability = Linear(len(builder.column_names))
    spec = ModelSpec(
        counts.attributes,
        counts.log_claim_count,
        reliability,
        floor=0.0 if below_chance else 1.0,
        uses_features=bool(features),
    )
    return kind(blocks, spec)


def fitted(kind: Objective, start: Floats | None = None) -> Floats:
    """Return the parameters at which a fit ends, held as strongly as the objective holds them."""
    with mock.patch.object(moving_part, "precision_of", return_value=kind.precision):
        return fit(kind, MAX_ITER, TOL, start).x


def posterior(kind: Objective, x: Floats) -> Floats:
    """Return the probability of each statement, at given parameters."""
    block = kind.blocks.only
    assert block is not None
    return block.posterior(block.own(x)).plausibility


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
    truth = fitted(free)
    # Strengths change sign, and yes and no change places; the habits of sources stay.
    image = truth.copy()
    turned = ParameterVector(free.spec.names, image)
    turned["m"], turned["source"] = -turned["m"], -turned["source"]
    turned.group("0")["prior"] = turned.group("0")["prior"][::-1].copy()
    top = free.evaluate(truth)[2]
    line: Records = []
    for way in np.linspace(0.0, 1.0, n_points):
        x = (1 - way) * truth + way * image
        right = share_right(matrix, posterior(free, x), is_true)
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
            start = kind.spec.names.zeros()
            start["source"] = rng.standard_normal(matrix.n_sources)
            end = fitted(kind, start.values)
            ends.append(share_right(matrix, posterior(kind, end), is_true))
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
    # Half of all values are marked, whether true or not: long ones, say.
    names = zip(
        tables.claims["entity"].to_pylist(), tables.claims["value"].to_pylist(), strict=True
    )
    mark = [float(crc32(f"{entity} {value}".encode()) % 2) for entity, value in names]
    with_mark = tables.claims.append_column(MARK, pa.array(mark))
    claims, truth = Claims.from_frame(with_mark), GroundTruth.from_frame(tables.truth)
    matrix, is_true = claims.matrix, true_statements(claims, truth)
    climbs = {
        "free, with a feature of the value": objective(
            claims, Free, below_chance=True, features=[MARK]
        ),
        "as the default does": objective(claims, Objective, below_chance=False),
    }
    path: Records = []
    for name, kind in climbs.items():
        for iteration, point in enumerate(climb(kind)):
            right = share_right(matrix, posterior(kind, whole(point.x)), is_true)
            here = {"iteration": iteration, "log_likelihood": point.extra, "accuracy": right}
            path.append({"model": name, **here})
    drawn = Synthetic(claims, truth, tables.oracle)
    return path, accuracy(MajorityVote(), drawn)


def climb(kind: Objective) -> list[Point]:
    """Return the places that a fit passes, its start among them."""
    value, gradient, likelihood = kind.evaluate(kind.centre)
    path = [Point(kind.centre, value, gradient, likelihood)]
    minimise(kind.evaluate, kind.centre, None, MAX_ITER, TOL, path.append)
    return path


# Copying

N_SOURCES = 20
COPYING_MODELS: dict[str, Callable[[], TruthModel]] = {
    "vote": MajorityVote,
    "the default": lambda: GRBM(features="never"),
    "the default, families declared": lambda: GRBM(features="never", family=FAMILY),
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
    tables = synthetic.draw_tables(
        N_SOURCES, 400, sources=replace(spec, reliability=rates), random_state=seed
    )
    return with_families(tables)


def with_families(tables: SyntheticTables) -> Synthetic:
    """Add a column that says which sources belong together: a copied one and its copiers."""
    origin = {
        row["source"]: row["copies"] or row["source"] for row in tables.oracle.sources.to_pylist()
    }
    families = [origin[source] for source in tables.claims["source"].to_pylist()]
    claims = Claims.from_frame(tables.claims.append_column(FAMILY, pa.array(families)))
    return Synthetic(claims, GroundTruth.from_frame(tables.truth), tables.oracle)


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
        for name, constants in {"tempered, the default": CONSTANTS, "not tempered": PLAIN}.items():
            judge = partial(plausibilities, constants=constants)
            with mock.patch.object(contests, "plausibilities", judge):
                model = GRBM().fit(drawn.claims)
            verdicts = assess(model.truths_, drawn.truth, drawn.claims)[1]
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
