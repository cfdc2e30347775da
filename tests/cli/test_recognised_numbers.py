"""Recognised numbers on the command line: inspect, discover, explain, update and score."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest
from tests.cli.conftest import Command
from tests.thermometers import thermometers


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    """Write the claims of thermometers, and the truth beside them."""
    said, truth = thermometers()
    csv.write_csv(said, tmp_path / "claims.csv")
    csv.write_csv(truth, tmp_path / "truth.csv")
    return tmp_path / "claims.csv"


def test_inspect_says_what_is_a_number_and_why(veracity: Command, claims: Path) -> None:
    done = veracity("inspect", str(claims))
    assert done.code == 0
    assert "warm is judged as a number: its numbers are near one another" in done.out
    assert "--compare warm=text" in done.out
    (attribute,) = json.loads(veracity("inspect", str(claims), "--json").out)["attributes"]
    assert attribute["numeric"]
    other = veracity("inspect", str(claims), "--compare", "warm=text")
    assert "judged as a number" not in other.out


def test_a_run_from_discover_to_score(veracity: Command, claims: Path) -> None:
    out, batch = claims.parent / "out", claims.parent / "batch.csv"
    options = ("-o", str(out), "--truth", str(claims.parent / "truth.csv"), "--no-report")
    done = veracity("discover", str(claims), *options)
    assert done.code == 0
    assert "60 numbers: mean absolute error" in done.out
    assert "of the intervals of numbers hold the truth" in done.out
    assert "Accuracy" not in done.out
    described = json.loads((out / "run.json").read_text())
    assert described["attributes"][0]["numeric_reason"].startswith("its numbers are near")
    why = veracity("explain", str(out), "hour 1", "warm")
    assert "spread of the sources" in why.out
    assert "airport says" in why.out
    # Too few to be recognised, but read and judged as in the run.
    batch.write_text("source,entity,attribute,value\nairport,noon,warm,9.50\nroof,noon,warm,11\n")
    scored = veracity("score", str(out), str(batch), "-o", str(claims.parent / "scores.parquet"))
    assert scored.code == 0, scored.err
    rows = pq.read_table(claims.parent / "scores.parquet").to_pylist()
    believed = {row["value"]: row["plausibility"] for row in rows if row["supporters"] is not None}
    assert believed["9.50"] > believed["11"]
    assert "spread of the sources" in scored.out


def test_a_word_among_numbers_is_counted_and_shown(veracity: Command, claims: Path) -> None:
    text = claims.read_text().rstrip("\n").split("\n")
    text[5] = text[5].rpartition(",")[0] + ',"out of order"'
    claims.write_text("\n".join(text) + "\n")
    done = veracity("discover", str(claims), "-o", str(claims.parent / "out"), "--no-report")
    assert done.code == 0
    assert "1 value of 'warm' cannot be read as a number" in done.out
    assert "'out of order'" in done.out


def test_another_unit_is_named(veracity: Command, claims: Path) -> None:
    rows = csv.read_csv(claims).to_pylist()
    lines = ["source,entity,attribute,value"]
    for row in rows:
        value = 1000 * row["value"] if row["source"] == "park" else row["value"]
        lines.append(f"{row['source']},{row['entity']},{row['attribute']},{value:.1f}")
    claims.write_text("\n".join(lines) + "\n")
    done = veracity("inspect", str(claims))
    assert "warm is judged as a number" in done.out
    assert "In 'warm', 'park' writes units where others give thousands" in done.out
