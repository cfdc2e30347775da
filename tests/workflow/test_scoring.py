"""Scoring: new claims together with what a run knows, or alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import veracity
from veracity import datasets
from veracity.errors import InputError, InvalidParameter
from veracity.workflow import SavedRun, open_run

ROWS = [("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2"), ("a", "y", "2"), ("b", "y", "2")]


def table_of(rows: list[tuple[str, str, str]], **columns: Any) -> pa.Table:
    """Return claims as a table."""
    names = ("source", "entity", "value")
    return pa.table(dict(zip(names, zip(*rows, strict=True), strict=True)) | columns)


def made(folder: Path, rows: list[tuple[str, str, str]] = ROWS, **options: Any) -> SavedRun:
    """Make a run of a vote, and open it."""
    columns = options.pop("columns", {})
    veracity.discover(table_of(rows, **columns), model="vote", **options).save(folder, report=False)
    return open_run(folder)


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> SavedRun:
    """A run of the default model on the shipped example."""
    folder = tmp_path_factory.mktemp("score") / "run"
    veracity.discover(datasets.example.path()).save(folder, report=False)
    return open_run(folder)


def support(scored: Any) -> dict[str, tuple[int, int]]:
    """Return supporters and deniers of each value."""
    rows = scored.statements.to_pylist()
    return {row["value"]: (row["supporters"], row["deniers"]) for row in rows}


def test_a_claim_is_combined_with_those_of_the_run(tmp_path: Path) -> None:
    scored = made(tmp_path / "run").score(table_of([("d", "x", "2")]))
    assert support(scored) == {"1": (2, 2), "2": (2, 2)}
    assert (scored.n_claims, scored.n_combined, scored.n_replaced) == (1, 3, 0)
    assert scored.notes[0].text == "Judged with 3 claims that the run has about this item."
    assert repr(scored).startswith("Scored(1 new claim, with 3 claims of the run)\ntruths: 1 row")


def test_a_claim_can_be_judged_alone(tmp_path: Path) -> None:
    scored = made(tmp_path / "run").score(table_of([("d", "x", "2")]), alone=True)
    assert support(scored) == {"2": (1, 0)}
    assert scored.n_combined == 0


def test_items_that_the_run_does_not_have_are_judged_as_well(tmp_path: Path) -> None:
    scored = made(tmp_path / "run").score(table_of([("d", "x", "1"), ("d", "new", "5")]))
    believed = {row["entity"]: row["value"] for row in scored.truths.to_pylist()}
    assert believed == {"x": "1", "new": "5"}
    assert scored.notes[0].text == "Judged with 3 claims that the run has about 1 of 2 items."


@pytest.mark.parametrize(
    ("duplicates", "supported"),
    [
        ("latest", {"1": (3, 0)}),
        ("error", {"1": (3, 0)}),
        ("all", {"1": (3, 1), "2": (1, 3)}),
        ("auto", {"1": (3, 1), "2": (1, 3)}),
    ],
)
def test_a_source_replaces_what_it_said_by_the_rule_of_the_run(
    tmp_path: Path, duplicates: str, supported: dict[str, tuple[int, int]]
) -> None:
    saved = made(tmp_path / "run", duplicates=duplicates)
    scored = saved.score(table_of([("c", "x", "1")]))
    found = {value: counts[0] for value, counts in support(scored).items()}
    assert found == {value: counts[0] for value, counts in supported.items()}
    assert scored.n_replaced == (duplicates in ("latest", "error"))


def test_the_later_claim_counts_where_there_is_a_time(tmp_path: Path) -> None:
    times = pa.array([10, 10, 10, 10, 10])
    saved = made(tmp_path / "run", columns={"time": times})
    later = saved.score(table_of([("c", "x", "1")], time=[11]))
    assert support(later) == {"1": (3, 0)}
    earlier = saved.score(table_of([("c", "x", "1")], time=[9]))
    assert support(earlier) == {"1": (2, 1), "2": (1, 2)}
    assert later.n_replaced == 1
    undated = saved.score(table_of([("c", "x", "1")]))
    assert support(undated) == {"1": (3, 0)}


def test_a_claim_that_the_run_has_changes_nothing(example: SavedRun) -> None:
    believed = example.truths.to_pylist()[:40]
    by_item = {(row["entity"], row["attribute"]): row for row in believed}
    rows = [
        row
        for row in example.claims.to_arrow().to_pylist()
        if (row["entity"], row["attribute"]) in by_item
    ]
    names = ("source", "entity", "attribute", "value")
    again = pa.table({name: [row[name] for row in rows] for name in names})
    scored = example.score(again)
    for row in scored.truths.to_pylist():
        known = by_item.get((row["entity"], row["attribute"]))
        if known is not None and known["value"] == row["value"]:
            assert row["plausibility"] == pytest.approx(known["plausibility"], abs=1e-9)
    (one,) = example.score(again.slice(0, 1)).truths.to_pylist()[:1]
    known = by_item[one["entity"], one["attribute"]]
    assert one["plausibility"] == pytest.approx(known["plausibility"], abs=1e-9)


def test_what_the_run_knows_of_a_source_is_filled_in(example: SavedRun) -> None:
    source = example.claims.matrix.sources[0].as_py()
    new = {"source": [source], "entity": ["Nowhere"], "attribute": ["category"], "value": ["bar"]}
    scored = example.score(pa.table(new))
    told = scored.claims.to_arrow().to_pylist()[0]
    known = next(row for row in example.claims.to_arrow().to_pylist() if row["source"] == source)
    assert told["source_kind"] == known["source_kind"]
    assert "source_kind" not in example.score(pa.table(new), alone=True).claims.feature_types


def test_known_truth_is_shown_as_given(tmp_path: Path) -> None:
    truth = {"entity": ["x"], "value": ["2"]}
    run = veracity.discover(table_of(ROWS), model="grbm", known_truth=truth)
    run.save(tmp_path / "run", report=False)
    saved = open_run(tmp_path / "run")
    (row,) = saved.score(table_of([("d", "x", "1")])).truths.to_pylist()
    assert (row["value"], row["plausibility"]) == ("2", 1.0)
    (alone,) = saved.score(table_of([("d", "x", "1")]), alone=True).truths.to_pylist()
    assert alone["value"] == "1"
    assert len(saved.score(table_of([("d", "new", "1")])).truths) == 1


def test_the_run_settles_how_values_are_compared(tmp_path: Path) -> None:
    rows = [("a", "x", "One"), ("b", "x", "one "), ("c", "x", "two")]
    saved = made(tmp_path / "run", rows, strip=True, casefold=True)
    scored = saved.score(table_of([("d", "x", " ONE")]))
    assert sorted(counts[0] for counts in support(scored).values()) == [1, 3]
    with pytest.raises(InvalidParameter, match="duplicates is settled by the run"):
        saved.score(table_of([("d", "x", "one")]), duplicates="all")


def test_features_have_either_name(tmp_path: Path) -> None:
    columns = {"sure": [0.1, 0.2, 0.3, 0.4, 0.5]}
    saved = made(tmp_path / "run", columns=columns, features=["sure"])
    for name in ("sure", "claim_sure"):
        scored = saved.score(table_of([("d", "x", "2")], **{name: [0.7]}))
        assert scored.claims.to_arrow()["claim_sure"].to_pylist()[-1] == 0.7
    with pytest.raises(InputError, match="'claim_sure' is double in the run"):
        saved.score(table_of([("d", "x", "2")], claim_sure=["much"]))


def test_a_run_whose_claims_are_gone_says_so(tmp_path: Path) -> None:
    made(tmp_path / "run")
    (tmp_path / "run" / "claims.parquet").unlink()
    with pytest.raises(InputError, match=r"has no claims.parquet, so the claims of the run"):
        open_run(tmp_path / "run")


def test_a_run_in_limited_memory_keeps_its_claims(tmp_path: Path) -> None:
    import pyarrow.csv

    pyarrow.csv.write_csv(table_of(ROWS), tmp_path / "claims.csv")
    run = veracity.discover(tmp_path / "claims.csv", model="vote", memory="1GB")
    run.save(tmp_path / "run")
    scored = open_run(tmp_path / "run").score(table_of([("d", "x", "2")]))
    assert scored.n_combined == 3
