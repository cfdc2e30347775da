"""Vote, mean and median on the shared data sets agree with what is published beside the data."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import csv
from tests.conftest import shared_data

from veracity import Attribute, Claims, GroundTruth, MajorityVote, Mean, Median, datasets
from veracity.evaluation.metrics import evaluate

#: How many verdicts the accuracy of the vote is taken over: chance evens out over many ties.
N_VERDICTS = 4_000
FEWEST_SEEDS, MOST_SEEDS = 2, 10
VOTE = ["source", "entity", "attribute", "value"]
NUMBER = {"*": Attribute("single", values="number")}
#: How the README of a set tells the mean absolute error of an average, in two ways.
ERRORS = {
    "mean": r"mae_mean ([\d.]+\d)|mean of the claims: ([\d.]+\d)",
    "median": r"mae_median ([\d.]+\d)|Median of the claims: mean absolute error \*\*([\d.]+\d)",
}

Row = dict[str, str]


def _published(folder: Path | None) -> dict[str, Row]:
    """Parse the table: set name to column to cell; nothing without a folder."""
    if folder is None:
        return {}
    lines = (folder / "README.md").read_text(encoding="utf-8").splitlines()
    table = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines
        if line.startswith("|")
    ]
    header, rows = table[0], table[2:]
    return {row[0]: dict(zip(header, row, strict=True)) for row in rows}


PUBLISHED = _published(shared_data())
NUMERIC = sorted(name for name, row in PUBLISHED.items() if row["vote"] == "numeric")
CATEGORICAL = sorted(PUBLISHED.keys() - set(NUMERIC))


def _count(cell: str) -> int:
    return int(cell.replace(",", ""))


def _read(path: Path) -> pa.Table:
    """Read claims without their features, all of them strings."""
    options = csv.ConvertOptions(
        column_types=dict.fromkeys(VOTE, pa.string()), include_columns=VOTE
    )
    return csv.read_csv(path, csv.ReadOptions(use_threads=False), convert_options=options)


def _error(folder: Path, average: str) -> float:
    """Return the mean absolute error of an average that the README of a set tells."""
    found = re.search(ERRORS[average], (folder / "README.md").read_text(encoding="utf-8"))
    assert found is not None, f"no error of the {average} in {folder}"
    return float(found[1] or found[2])


def test_every_set_is_in_the_table(data_folder: Path) -> None:
    folders = {path.parent.name for path in data_folder.glob("*/claims.csv.gz")}
    assert folders == set(PUBLISHED)


@pytest.mark.parametrize("name", CATEGORICAL)
def test_vote_agrees_with_the_published_accuracy(data_folder: Path, name: str) -> None:
    row = PUBLISHED[name]
    truth = GroundTruth.read(data_folder / name / "truth.csv.gz")
    table = _read(data_folder / name / "claims.csv.gz")
    assert len(table) == _count(row["claims"])
    # A source has one vote for each value that it names.
    claims = Claims.from_frame(table.group_by(VOTE).aggregate([]), duplicates="all")
    model = MajorityVote().fit(claims)
    n_items = _count(row["truth items covered"])
    n_seeds = min(max(N_VERDICTS // n_items, FEWEST_SEEDS), MOST_SEEDS)
    right = 0
    for seed in range(n_seeds):
        truths = model.set_params(random_state=seed).predict(claims)
        found = evaluate(truths, truth, claims)
        assert found.n_items == n_items
        right += found.n_right
    assert right / (n_seeds * n_items) == pytest.approx(float(row["vote"]), abs=0.01)


@pytest.mark.parametrize("name", NUMERIC)
def test_averages_agree_with_the_published_errors(data_folder: Path, name: str) -> None:
    folder, row = data_folder / name, PUBLISHED[name]
    dataset = datasets.load(folder, attributes=NUMBER, duplicates="all")
    assert dataset.truth is not None
    assert len(dataset.claims) == _count(row["claims"])
    for average, model in (("mean", Mean()), ("median", Median())):
        truths = model.fit(dataset.claims).truths_
        found = evaluate(truths, dataset.truth, dataset.claims)
        assert found.n_items == _count(row["truth items covered"])
        # Published to four digits.
        assert found.mean_absolute_error == pytest.approx(_error(folder, average), rel=1e-3)
