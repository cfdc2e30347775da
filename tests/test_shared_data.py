"""The vote on the 14 shared data sets agrees with the table in their README."""

from __future__ import annotations

from pathlib import Path

import pytest

from veracity import MajorityVote, datasets
from veracity.evaluation.metrics import evaluate

SETS = (
    "birthplaces",
    "book_authors",
    "book_lists",
    "dog",
    "exam_credential",
    "flights_noairline",
    "general_knowledge",
    "population",
    "pos_sentiment",
    "quiz",
    "rte",
    "trec",
    "weather",
    "web_relevance",
)
N_SEEDS = 10


def _published(folder: Path) -> dict[str, dict[str, str]]:
    """Parse the table: set name to column to cell."""
    lines = (folder / "README.md").read_text(encoding="utf-8").splitlines()
    table = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines
        if line.startswith("|")
    ]
    header, rows = table[0], table[2:]
    return {row[0]: dict(zip(header, row, strict=True)) for row in rows}


def test_every_set_is_tested(data_folder: Path) -> None:
    assert set(_published(data_folder)) == set(SETS)


@pytest.mark.parametrize("name", SETS)
def test_vote_agrees_with_the_published_accuracy(data_folder: Path, name: str) -> None:
    row = _published(data_folder)[name]
    dataset = datasets.load(data_folder / name)
    assert dataset.truth is not None
    assert len(dataset.claims) == int(row["claims"].replace(",", ""))
    model = MajorityVote().fit(dataset.claims)
    right, items = 0, 0
    for seed in range(N_SEEDS):
        truths = model.set_params(random_state=seed).predict(dataset.claims)
        found = evaluate(truths, dataset.truth, dataset.claims)
        right, items = right + found.n_right, items + found.n_items
    assert items == N_SEEDS * int(row["truth items covered"].replace(",", ""))
    assert right / items == pytest.approx(float(row["vote"]), abs=0.01)
