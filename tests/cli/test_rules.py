"""``--rules`` and ``--known-truth`` with trust: from files to results, explanations and errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

Command = Callable[..., Any]
Write = Callable[[str, str | bytes], Path]

HEADER = "if_attribute,if_value,then_attribute,then_value,kind,weight\n"
RULES = HEADER + "born_in,Paris,country,France,implies,\nborn_in,Rome,country,Italy,implies,2\n"


@pytest.fixture
def people(write: Write) -> Path:
    lines = ["source,entity,attribute,value"]
    for person in range(12):
        city, country = ("Paris", "France") if person % 2 else ("Rome", "Italy")
        for source in ("ann", "bob", "cy"):
            lines += [f"{source},p{person},born_in,{city}"]
        lines += [f"ann,p{person},country,{country}", f"bob,p{person},country,{country}"]
    lines += ["dee,p1,country,Italy", "eve,p1,country,Italy", "cy,p1,country,Italy"]
    return write("people.csv", "\n".join(lines) + "\n")


def test_rules_reach_the_results_and_the_explanation(
    veracity: Command, write: Write, people: Path, tmp_path: Path
) -> None:
    rules, out = write("rules.csv", RULES), tmp_path / "out"
    known = write("known.csv", "entity,attribute,value,assessor,trust\np3,country,France,zoe,0.9\n")
    done = veracity("discover", people, "-o", out, "--rules", rules, "--known-truth", known)
    assert done.code == 0, done.err
    assert "2 rules act on" in done.out.replace("\n", " ")
    described = json.loads((out / "run.json").read_text())
    assert described["inputs"]["rules"][0]["path"].endswith("rules.csv")
    assert pq.read_table(out / "rules.parquet").num_rows == 2
    assert pq.read_table(out / "known_truth.parquet")["trust"].to_pylist() == [0.9]
    rows = pq.read_table(out / "statements.parquet").to_pylist()
    p = {(row["entity"], row["value"]): row["plausibility"] for row in rows}
    assert p["p1", "Paris"] <= p["p1", "France"] + 1e-12
    told = veracity("explain", out, "p1", "country")
    assert "rule 1: born_in = Paris implies country = France" in told.out
    assert "assessor zoe says France (trust 0.9)" in veracity("explain", out, "p3", "country").out
    as_json = json.loads(veracity("explain", out, "p1", "country", "--json").out)
    for statement in as_json["statements"]:
        assert statement["plausibility"] == pytest.approx(p["p1", statement["value"]], abs=1e-9)
    assert (out / "report.html").exists()


def test_limited_memory_says_the_same(
    veracity: Command, write: Write, people: Path, tmp_path: Path
) -> None:
    rules, found = write("rules.csv", RULES), []
    for name, options in (("whole", []), ("parts", ["--memory", "1GB"])):
        done = veracity("discover", people, "-o", tmp_path / name, "--rules", rules, *options)
        assert done.code == 0, done.err
        table = pq.read_table(tmp_path / name / "statements.parquet")
        rows = table.sort_by([(column, "ascending") for column in table.column_names[:3]])
        found.append(rows["plausibility"].to_pylist())
    assert found[0] == pytest.approx(found[1], abs=1e-6)


def test_updates_refuse_a_run_with_rules(
    veracity: Command, write: Write, people: Path, tmp_path: Path
) -> None:
    rules, out = write("rules.csv", RULES), tmp_path / "out"
    assert veracity("discover", people, "-o", out, "--rules", rules, "--no-report").code == 0
    done = veracity("update", out, people)
    assert done.code == 2
    assert "used rules, which updates do not support" in done.err.replace("\n", " ")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("born,Paris,country,France,implies,\n", "Did you mean 'born_in'"),
        ("born_in,Paris,country,France,implied,\n", "kind of rule 1 is 'implied'"),
        ("born_in,Paris,country,France,implies,-2\n", "weight of rule 1 is '-2'"),
        (
            "born_in,Paris,country,France,implies,\ncountry,France,born_in,Paris,implies,\n",
            "Rules 1 and 2 go round in a circle",
        ),
        (
            "born_in,Paris,country,France,implies,\nborn_in,Paris,country,Italy,implies,\n",
            "Rules 1 and 2 contradict one another",
        ),
    ],
)
def test_bad_rules_are_named(
    veracity: Command, write: Write, people: Path, tmp_path: Path, rows: str, message: str
) -> None:
    rules = write("rules.csv", HEADER + rows)
    done = veracity("discover", people, "-o", tmp_path / "out", "--rules", rules)
    assert done.code == 2
    assert message in " ".join(done.err.split())
    assert not (tmp_path / "out").exists()


def test_spark_refuses_rules_before_a_session_is_started(
    veracity: Command,
    write: Write,
    people: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("veracity.engines.spark.session.start", None)
    rules = write("rules.csv", RULES)
    out = tmp_path / "out"
    done = veracity("discover", people, "-o", out, "--rules", rules, "--engine", "spark")
    assert done.code == 2
    assert "do not work on Spark" in " ".join(done.err.split())
