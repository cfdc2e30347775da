"""Twelve jobs, each done by the command that its user would type, on a table with planted truth."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.jobs import crowds, juries, records
from tests.jobs.job import Job
from tests.jobs.judge import JOBS, do, judge

from veracity import open_run

#: What the verdicts of each job are right about at least; the least of several seeds, less a bit.
ACCURACY = {
    "customers": 0.9,
    "companies": 0.9,
    "repeated": 0.86,
    "wide": 0.88,
    "two_classes": 0.9,
    "four_classes": 0.84,
    "long_tail": 0.87,
    "copiers": 0.65,  # a vote has 0.82: copiers who err together mislead the default
    "pairs": 0.83,
    "siblings": 0.9,
    "confidences": 0.78,
    "sites": 0.93,
}
#: Chance of so many errors among the accepted below which a list has broken its word.
BROKEN = 0.001


@pytest.mark.slow
@pytest.mark.parametrize("make", JOBS, ids=lambda make: make.__name__)
def test_a_job_is_done(make: Callable[[int], Job], tmp_path: Path) -> None:
    job = make(0)
    out = do(job, tmp_path)
    found = judge(job, out)
    assert found.accuracy >= ACCURACY[make.__name__]
    assert found.chance(0.05) > BROKEN
    assert (out / "report.html").is_file()


def test_records_give_one_row_for_each_entity(tmp_path: Path) -> None:
    job = records.companies(1)
    run = open_run(do(job, tmp_path, "--no-report", "--format", "parquet"))
    table = pq.read_table(run.folder / "golden.parquet")
    entities = {str(row["cluster_id"]) for row in job.rows}
    assert sorted(table["cluster_id"].to_pylist()) == sorted(entities)
    assert {"company", "revenue", "revenue_plausibility", "revenue_decision"} <= set(
        table.column_names
    )
    told = " ".join(note.text for note in run.notes if note.subject == "fields")
    assert "revenue" in told
    assert "company" in told


def test_spammers_are_named_and_good_workers_are_not(tmp_path: Path) -> None:
    job = crowds.two_classes(1)
    run = open_run(do(job, tmp_path, "--no-report"))
    named = {row["source"]: row["pattern"] for row in run.sources.to_pylist() if row["pattern"]}
    assert named
    assert all(job.planted.get(worker) == pattern for worker, pattern in named.items())


def test_biases_of_judges_are_found(tmp_path: Path) -> None:
    job = juries.pairs(1)
    out = do(job, tmp_path, "--no-report")
    told = " ".join(json.loads((out / "jury.json").read_text(encoding="utf-8"))["findings"])
    assert "cedar" in told
    assert "delta" in told
    assert "the longer answer" in told
