"""Intervals of sources' rates hold what they promise, however much sources scatter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.worlds import BOOLEAN, CLOSED, OPEN

from veracity import GRBM, Attribute, Claims
from veracity.data.arrays import Floats
from veracity.models.grbm import leave_one_out, rate_likelihood
from veracity.models.grbm.rate_likelihood import Curves, Evidence, level_of, rate_of
from veracity.models.grbm.source_population import SourcePopulation, interval_shifts

KINDS = {"confusion": CLOSED, "lures": OPEN, "boolean": BOOLEAN}
SEVERAL = Attribute(kind="multiple")


def scattered(kind: str, scatter: float, n_claims: int, seed: int) -> tuple[Claims, Floats]:
    """Draw 300 sources whose log-odds of knowing are normal about 1; those who do not know guess.

    Return their claims, and how often each is right, in the order of the claims' sources.
    """
    rng = np.random.default_rng(seed)
    n_sources, n_values = 300, 2 if kind == "boolean" else 4
    n_items = n_sources * n_claims // 8
    knows = 1 / (1 + np.exp(-rng.normal(1.0, scatter, n_sources)))
    right = knows + (1 - knows) / n_values
    source = np.repeat(np.arange(n_sources), n_claims)
    item = np.concatenate([rng.permutation(n_items)[:n_claims] for _ in range(n_sources)])
    truth = rng.integers(0, n_values, n_items)
    wrong = (truth[item] + rng.integers(1, n_values, len(item))) % n_values
    said = np.where(rng.random(len(item)) < right[source], truth[item], wrong)
    words = np.array(["no", "yes"] if kind == "boolean" else ["v0", "v1", "v2", "v3"])
    columns = {
        "source": [f"s{number}" for number in source],
        "entity": [f"e{number}" for number in item],
        "value": words[said].tolist(),
    }
    claims = Claims.from_frame(columns, attributes={"*": KINDS[kind]})
    place = [int(name[1:]) for name in claims.matrix.sources.to_pylist()]
    return claims, np.asarray(right[place])


def bounds(model: GRBM, rate: str = "reliability") -> tuple[Any, Any]:
    """Return the ends of the intervals of all sources."""
    table = model.sources_.to_arrow()
    return table[f"{rate}_low"].to_numpy(), table[f"{rate}_high"].to_numpy()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("scatter", "n_claims"), [(0.3, 20), (1.5, 5), (1.5, 20)])
def test_intervals_hold_reliability_however_much_sources_scatter(
    kind: str, scatter: float, n_claims: int
) -> None:
    held = []
    for seed in (0, 1):
        claims, right = scattered(kind, scatter, n_claims, seed)
        low, high = bounds(GRBM(features="never", tol=1e-6).fit(claims))
        held.append((low <= right) & (right <= high))
    assert 0.85 <= np.mean(held) <= 0.96


def test_intervals_are_narrower_where_sources_are_alike() -> None:
    width = {}
    for scatter in (0.3, 1.5):
        claims, _ = scattered("confusion", scatter, 5, 0)
        low, high = bounds(GRBM(features="never").fit(claims))
        width[scatter] = np.mean(high - low)
    assert width[0.3] < 0.75 * width[1.5]


def test_tpr_and_fpr_of_boolean_statements_have_intervals_of_their_own() -> None:
    held: dict[str, list[Any]] = {"tpr": [], "fpr": []}
    for seed in (0, 1):
        claims, right = scattered("boolean", 1.0, 20, seed)
        model = GRBM(features="never", tol=1e-6).fit(claims)
        for rate, true in (("tpr", right), ("fpr", 1 - right)):
            low, high = bounds(model, rate)
            held[rate].append((low <= true) & (true <= high))
    for holds in held.values():
        assert 0.83 <= np.mean(holds) <= 0.97


def test_what_is_not_named_counts_where_several_values_are_true() -> None:
    rng = np.random.default_rng(3)
    n_sources, n_items = 40, 60
    tpr = rng.uniform(0.5, 0.95, n_sources)
    rows: dict[str, list[str]] = {"source": [], "entity": [], "value": []}
    for source in range(n_sources):
        for item in range(n_items):
            for value in range(5):
                rate = tpr[source] if value < 2 else 0.05  # two of five are true
                if rng.random() < rate:
                    for name, cell in zip(
                        rows, (f"s{source}", f"e{item}", f"v{value}"), strict=True
                    ):
                        rows[name].append(cell)
    claims = Claims.from_frame(rows, attributes={"*": SEVERAL})
    model = GRBM(features="never").fit(claims)
    order = [int(name[1:]) for name in claims.matrix.sources.to_pylist()]
    low, high = bounds(model, "tpr")
    # Who names nothing of an item is not heard about it.
    heard = (tpr / (1 - (1 - tpr) ** 2 * 0.95**3))[order]
    assert np.mean((low <= heard) & (heard <= high)) > 0.8
    assert np.mean(high - low) < 0.25


def coins(n_sources: int, n_claims: int, levels: Floats, seed: int) -> Evidence:
    """Return what known truth says of sources that are right with the rate of their level."""
    rng = np.random.default_rng(seed)
    source = np.repeat(np.arange(n_sources), n_claims)
    right = (rng.random(len(source)) < rate_of(levels, 1.0)[source]).astype(np.float64)
    size = len(source)
    share = np.bincount(source, right) + 1.5
    level = level_of(np.asarray(share / (n_claims + 2.0), np.float64), 1.0)[source]
    return Evidence(
        n_sources, source, level, np.ones(size), 1.0 - right, 2.0 * right - 1.0,
        np.ones(size),
    )  # fmt: skip


def curves_of(evidence: Evidence) -> Curves:
    """Return what evidence says at all levels."""
    outline = evidence.outline
    return Curves.of(outline, evidence.at_nodes(outline.reach))


@pytest.mark.parametrize("scatter", [0.4, 1.5])
def test_the_spread_of_the_population_is_found(scatter: float) -> None:
    levels = np.random.default_rng(5).normal(0.7, scatter, 400)
    found = SourcePopulation.of(curves_of(coins(400, 60, levels, 6)))
    assert abs(found.mean - 0.7) < 4 * found.mean_error + 0.05
    assert abs(found.log_deviation - np.log(scatter)) < 0.25


def test_interpolation_changes_nothing() -> None:
    levels = np.random.default_rng(7).normal(1.0, 1.0, 50)
    evidence = coins(50, 40, levels, 8)
    curves = curves_of(evidence)
    at, interpolated = curves.about(slice(None))
    shift = at - curves.mean_level[:, None]
    place = 40  # the middle of the curve and a few beside it
    for point in (place - 20, place - 7, place, place + 9):
        rate = rate_of(evidence.level + shift[evidence.source, point], evidence.chance)
        each = np.log(evidence.alpha + evidence.beta * rate)
        direct = np.bincount(evidence.source, each)
        best = curves.at_nodes @ rate_likelihood.INTERPOLATE
        assert np.abs(direct - best.max(axis=1) - interpolated[:, point]).max() < 0.05


def test_a_level_and_its_rate_are_the_same() -> None:
    rate = np.array([0.3, 0.6, 0.999])
    np.testing.assert_allclose(rate_of(level_of(rate, 0.25), 0.25), rate)
    assert level_of(np.array([1.0]), 0.0)[0] == rate_likelihood.HIGHEST
    assert level_of(np.array([0.2]), 0.5)[0] == rate_likelihood.LOWEST  # worse than guessing


def test_sources_of_one_claim_are_as_uncertain_as_the_fit_assumes() -> None:
    low, high = interval_shifts(curves_of(coins(30, 1, np.zeros(30), 9)))
    assert np.all(high - low > 2.5)


@pytest.mark.parametrize("kind", [*KINDS, "several"])
def test_rates_are_the_same_however_many_claims_are_looked_at_together(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims, _ = scattered("confusion" if kind == "several" else kind, 1.0, 20, 0)
    if kind == "several":
        claims = Claims.from_frame(claims.to_arrow(), attributes={"*": SEVERAL})
    model = GRBM(features="never").fit(claims)
    whole = model.reliability(claims).to_arrow()
    monkeypatch.setattr(leave_one_out, "TOGETHER", 7)  # and no fewer than there are sources
    parts = model.reliability(claims).to_arrow()
    for name in whole.column_names:
        if name != "source":
            one, other = (table[name].to_numpy() for table in (whole, parts))
            assert other == pytest.approx(one, abs=1e-12, nan_ok=True)
