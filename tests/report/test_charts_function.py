"""The learned reliability function is drawn as it was learned, where the data are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from veracity import GRBM, BinaryGRBM, Claims, datasets
from veracity.data.buffers import to_numpy
from veracity.models.base import TruthModel
from veracity.report.charts.function import function, rates_over
from veracity.report.charts.partial import Learned
from veracity.report.charts.surface import surface
from veracity.report.subject import Subject


def claims_by_age(n_items: int = 400) -> Claims:
    """Return claims that are right the more often the younger they are, by two kinds of source."""
    rng = np.random.default_rng(0)
    rows: dict[str, list[Any]] = {
        name: [] for name in ("source", "entity", "value", "claim_age", "source_kind", "claim_old")
    }
    for item in range(n_items):
        for source in rng.choice(60, 5, replace=False).tolist():
            age = float(rng.integers(1, 1000))
            kind = "official" if source % 3 == 0 else "hearsay"
            right = rng.random() < (0.98 if kind == "official" else 0.7) - age / 2500
            rows["source"].append(f"s{source}")
            rows["entity"].append(f"e{item:04d}")
            rows["value"].append(f"v{item % 4 if right else (item + rng.integers(1, 4)) % 4}")
            rows["claim_age"].append(None if rng.random() < 0.1 else age)
            rows["source_kind"].append(kind)
            rows["claim_old"].append(None if rng.random() < 0.1 else bool(age > 500))
    return Claims.from_frame(rows)


@pytest.fixture(scope="module")
def claims() -> Claims:
    return claims_by_age()


@pytest.fixture(scope="module", params=["GRBM", "BinaryGRBM"])
def model(request: pytest.FixtureRequest, claims: Claims) -> TruthModel:
    if request.param == "GRBM":
        return GRBM(features=["claim_age", "source_kind", "claim_old"]).fit(claims)
    return BinaryGRBM("linear", features=["claim_age", "source_kind", "claim_old"]).fit(claims)


@pytest.fixture
def learned(model: TruthModel, claims: Claims) -> Learned:
    found = Learned.of(model, claims)
    assert found is not None
    return found


def test_the_table_of_features_gives_the_vectors_of_the_fit(model: Any, claims: Claims) -> None:
    builder = model.feature_builder_
    rows = builder.transform(claims)
    own = rows.values[rows.of_claims(claims.matrix.statement_index)]
    np.testing.assert_allclose(builder.vectors(builder.table(claims)), own)


def test_curves_are_means_of_what_the_model_says(learned: Learned) -> None:
    grid = learned.grids["claim_age"]
    curves = learned.curves(grid)
    assert curves.tpr.shape == (len(grid.values), 120)
    place = 7
    among = learned.table.take(pa.array(np.linspace(0, 1999, 120).round().astype(int).tolist()))
    age = pa.array([grid.values[place]] * 120, pa.float64())
    changed = among.set_column(among.column_names.index("claim_age"), "claim_age", age)
    said = learned.model.reliability(changed)
    right = to_numpy(said["tpr" if "tpr" in said.column_names else "reliability"])
    np.testing.assert_allclose(curves.tpr[place], right)


def test_age_makes_claims_less_reliable(learned: Learned) -> None:
    grid = learned.grids["claim_age"]
    curves = learned.curves(grid)
    assert curves.right[0] > curves.right[-1] + 0.02
    chart = rates_over("age", grid, curves, learned.counts(grid))
    assert chart.title.startswith("The larger “claim_age”, the less reliable")
    assert f"from {curves.right[0]:.2f} to {curves.right[-1]:.2f}" in chart.title
    assert chart.to_svg().startswith("<svg")


def test_claims_are_counted_below_the_curve(learned: Learned) -> None:
    grid = learned.grids["claim_age"]
    counts = learned.counts(grid)
    ages = to_numpy(learned.table["claim_age"])
    assert grid.borders is not None
    inside = (ages >= grid.borders[0]) & (ages <= grid.borders[-1])
    assert counts.sum() == inside.sum()
    assert counts.sum() >= 0.98 * np.isfinite(ages).sum()
    strip = [
        record
        for record in rates_over("age", grid, learned.curves(grid), counts).records
        if record["part"] == "claims"
    ]
    assert sum(record["claims"] for record in strip) == counts.sum()
    assert max(record["height"] for record in strip) == 1.0


def test_categories_and_booleans_are_dots(learned: Learned) -> None:
    kinds, old = learned.grids["source_kind"], learned.grids["claim_old"]
    assert kinds.shown == ["hearsay", "official"]
    assert old.shown == ["yes", "no", "missing"]
    for grid in (kinds, old):
        counts = learned.counts(grid)
        assert counts.sum() == learned.table.num_rows
        chart = rates_over("dots", grid, learned.curves(grid), counts)
        assert [r["x"] for r in chart.records if r["part"] == "rates"] == list(grid.shown)
        assert chart.to_svg().startswith("<svg")
    said = learned.table["source_kind"].to_pylist()
    assert learned.counts(kinds).tolist() == [said.count("hearsay"), said.count("official")]
    official = rates_over("kind", kinds, learned.curves(kinds), learned.counts(kinds))
    assert official.title.startswith("By “source_kind”: official is the most reliable")


def test_the_surface_has_every_cell_and_every_claim(learned: Learned) -> None:
    chart = surface("pair", learned, learned.grids["source_kind"], learned.grids["claim_age"])
    cells = {(record["x"], record["y"]) for record in chart.records}
    assert len(cells) == len(chart.records) == 2 * 16
    known = np.isfinite(to_numpy(learned.table["claim_age"])).sum()
    assert 0.98 * known <= sum(record["claims"] for record in chart.records) <= known
    best = max(record["reliability"] for record in chart.records)
    assert chart.title.startswith(f"Most reliable ({best:.2f})")
    assert chart.to_svg().startswith("<svg")


def test_the_strongest_features_come_first(model: TruthModel, claims: Claims) -> None:
    tables = (model.truths_, model.statements_, model.sources_)
    charts = function(Subject({}, claims, model, *tables))
    names = [chart.name for chart in charts]
    assert names == [
        "reliability-strength",
        "reliability-1",
        "reliability-2",
        "reliability-3",
        "reliability-pair",
    ]
    moves = [record["moves_by"] for record in charts[0].records]
    assert moves == sorted(moves, reverse=True)
    assert f"by {moves[0]:.2f}" in charts[0].title


def test_without_features_there_is_no_function() -> None:
    model = GRBM(features="never").fit(datasets.example.path())
    assert Learned.of(model, model.claims_) is None
    tables = (model.truths_, model.statements_, model.sources_)
    assert function(Subject({}, model.claims_, model, *tables)) == []


def test_statistics_are_shown_in_units_that_readers_know() -> None:
    model = GRBM(features=["sources of item", "age in item"]).fit(datasets.example.path())
    learned = Learned.of(model, model.claims_)
    assert learned is not None
    count, age = learned.grids["sources of item"], learned.grids["age in item"]
    assert [round(number, 9) for number in count.shown] == list(range(1, 10))
    assert count.title == "sources that speak about the item"
    assert age.title.startswith("days older")
    assert max(age.shown) < 365 * 10
    np.testing.assert_allclose(age.unit.seen(np.array(age.shown)), age.values, atol=1e-9)
