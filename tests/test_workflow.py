"""From claims to a folder of results, in one call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

import veracity
from veracity import Claims, MajorityVote, discover
from veracity.errors import InvalidParameter, OutputError
from veracity.workflow import STAGES

Columns = dict[str, list[Any]]


@pytest.fixture
def path(tmp_path: Path, columns: Columns) -> Path:
    """Return a file of claims."""
    lines = [",".join(columns), *map(",".join, zip(*columns.values(), strict=True))]
    (tmp_path / "claims.csv").write_text("\n".join(lines))
    return tmp_path / "claims.csv"


def test_run_tells_all(path: Path) -> None:
    stages: list[str] = []
    truth = path.with_name("truth.csv")
    truth.write_text("entity,attribute,value\nsky,colour,blue\n")
    run = discover(
        path, truth=truth, progress=stages.append, random_state=3, strip=True, model="vote"
    )
    assert stages == list(STAGES[:4])
    assert run.model.truths_["value"].to_pylist() == ["blue", "11"]
    assert run.evaluation is not None
    assert run.evaluation.accuracy == 1
    described = run.describe()
    assert described["model"] == {
        "name": "vote",
        "parameters": {"random_state": 3, "smoothing": 1.0},
    }
    assert described["counts"]["n_contested"] == 2
    assert described["inputs"]["claims"][0]["path"] == str(path)
    assert described["inputs"]["truth"][0]["path"] == str(truth)
    assert described["settings"]["strip"] is True
    assert described["versions"]["veracity"] == veracity.__version__
    assert described["columns"]["source"] == "source"
    assert [profile["name"] for profile in described["attributes"]] == ["colour", "depth"]
    assert set(described["seconds"]) == {"reading", "encoding", "fitting", "evaluating"}
    json.dumps(described)


def test_own_model_and_frames(columns: Columns) -> None:
    model = MajorityVote(smoothing=0)
    run = discover(columns, model=model, attributes={"depth": "multiple"})
    assert run.model is model
    assert run.model_name == "MajorityVote"
    assert run.evaluation is None
    assert run.claims.attributes[1].kind == "multiple"


def test_options_are_not_lost(columns: Columns) -> None:
    with pytest.raises(InvalidParameter, match="cannot be set any more"):
        discover(Claims.from_frame(columns), casefold=True)
    with pytest.raises(InvalidParameter, match="no argument 'casefol'; did you mean 'casefold'"):
        discover(columns, casefol=True)


@pytest.mark.parametrize("form", ["parquet", "csv", "csv.gz", "jsonl"])
def test_save(tmp_path: Path, path: Path, form: Any) -> None:
    run = discover(path)
    out = run.save(tmp_path / "out", format=form)
    names = sorted(file.name for file in out.iterdir())
    kept = ["charts", "claims.parquet", "model.json", "model.safetensors", "report.html"]
    tables = [f"{name}.{form}" for name in ("sources", "statements", "truths")]
    assert names == sorted([*kept, "run.json", *tables])
    written = json.loads((out / "run.json").read_text(encoding="utf-8"))
    assert written["seconds"]["writing"] >= 0
    assert written["format"] == 1
    again = Claims.read(out / f"statements.{form}", source="supporters").to_arrow()
    assert again["value"].to_pylist() == run.model.statements_["value"].to_pylist()


def test_parquet_keeps_the_tables_as_they_are(tmp_path: Path, path: Path) -> None:
    run = discover(path)
    out = run.save(tmp_path / "out")
    for name in ("truths", "statements", "sources"):
        written = pa.parquet.read_table(out / f"{name}.parquet")
        assert written.to_pydict() == getattr(run.model, f"{name}_").to_arrow().to_pydict()


def test_save_refuses_and_replaces(tmp_path: Path, path: Path) -> None:
    run = discover(path)
    out = run.save(tmp_path / "out", format="csv")
    with pytest.raises(OutputError, match="exists already"):
        run.save(out)
    run.save(out, overwrite=True)
    assert (out / "truths.parquet").exists()
    assert not (out / "truths.csv").exists()
    with pytest.raises(InvalidParameter, match="format must be"):
        run.save(tmp_path / "other", format="xlsx")  # type: ignore[arg-type]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["claims.csv", "out"]


def test_formulas_are_noted_or_escaped(tmp_path: Path) -> None:
    claims = {"source": ["@ann"], "entity": ["=1+1"], "value": ["-3"]}
    run = discover(claims)
    plain = run.save(tmp_path / "plain", format="csv")
    assert "=1+1" in (plain / "truths.csv").read_text().splitlines()[1].split(",")[0]
    (note,) = [note for note in run.notes if note.subject == "output"]
    assert note.count == 3
    escaped = discover(claims).save(tmp_path / "escaped", format="csv", escape=True)
    assert (escaped / "truths.csv").read_text().splitlines()[1].startswith("'=1+1,value,-3,")
    assert (escaped / "sources.csv").read_text().splitlines()[1].startswith("'@ann,")


def test_saving_twice_does_not_double_the_note(tmp_path: Path) -> None:
    run = discover({"source": ["a"], "entity": ["=1+1"], "value": ["1"]})
    run.save(tmp_path / "one", format="csv")
    run.save(tmp_path / "two", format="csv")
    assert len([note for note in run.notes if note.subject == "output"]) == 1
