"""Believed numbers against the best source in hindsight, and how many intervals hold the truth."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.thermometers import thermometers

from veracity import Claims, GroundTruth, Median, discover
from veracity.data.output.tables import Table
from veracity.evaluation.best_source import against_best_source
from veracity.evaluation.metrics import evaluate


def test_the_best_source_itself_is_one() -> None:
    claims, truth = thermometers()
    read, known = Claims.from_frame(claims), GroundTruth.from_frame(truth)
    best = claims.filter(pa.compute.equal(claims["source"], "airport"))
    assert against_best_source(Table("truths", best), known, read) == pytest.approx(1.0)
    worse = claims.filter(pa.compute.equal(claims["source"], "mill"))
    found = against_best_source(Table("truths", worse), known, read)
    assert found is not None
    assert found > 10


def test_few_items_tell_nothing() -> None:
    claims, truth = thermometers(n_hours=10)
    read = Claims.from_frame(claims)
    assert read.attributes[0].form == "number"
    median = Median().fit(read).truths_
    assert against_best_source(median, GroundTruth.from_frame(truth), read) is None


def test_coverage_counts_the_intervals_that_hold_the_truth() -> None:
    claims, truth = thermometers()
    read, known = Claims.from_frame(claims), GroundTruth.from_frame(truth)
    table = Median().fit(read).truths_.to_arrow()
    everything = table.num_rows * [1e6]
    wide = table.set_column(table.column_names.index("high"), "high", [everything])
    wide = wide.set_column(
        wide.column_names.index("low"), "low", [[-value for value in everything]]
    )
    found = evaluate(Table("truths", wide), known, read)
    assert (found.interval_coverage, found.n_numbers, found.all_numbers) == (1.0, 60, True)
    bare = table.drop_columns(["low", "high"])
    assert evaluate(Table("truths", bare), known, read).interval_coverage is None


def test_a_run_says_errors_rather_than_accuracy() -> None:
    claims, truth = thermometers()
    run = discover(claims, truth=truth)
    assert run.evaluation is not None
    assert run.evaluation.interval_coverage is not None
    assert "60 numbers with known truth are off by" in run.findings.trust
