"""From a run to a guaranteed list, by commands."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.cli.conftest import Command
from tests.workflow.audited import colours, saved


@pytest.fixture
def truth(tmp_path: Path) -> dict[str, str]:
    """Make a run of 400 things in the folder ``run``, and return the truth."""
    claims, truth = colours(400)
    saved(tmp_path / "run", claims)
    return truth


def fill(path: Path, truth: dict[str, str], skip: str | None = None) -> None:
    """Fill a sheet in."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for row in rows:
            value = "?" if row["entity"] == skip else truth[row["entity"]]
            writer.writerow(row | {"value": value})


def test_a_hundred_audits(veracity: Command, tmp_path: Path, truth: dict[str, str]) -> None:
    run, sheet, listed = tmp_path / "run", tmp_path / "sheet.csv", tmp_path / "accepted.csv"
    before = veracity("accept", run, "--error-rate", "0.3", "-o", listed)
    assert before.code == 0, before.err
    assert before.out.startswith("Expected: ")
    assert "not guaranteed" in before.out
    listed.unlink()
    drawn = veracity("audit", run, "-o", sheet)
    assert "0 of 100 drawn verdicts audited, of 400 in all" in drawn.out
    assert f"veracity marks {run} --read {sheet}" in drawn.out
    fill(sheet, truth)
    taken = veracity("marks", run, "--read", sheet)
    assert taken.code == 0, taken.err
    assert "100 marks taken" in taken.out
    assert "100 marks: 100 audits and 0 repairs" in taken.out
    done = veracity("audit", run)
    assert "100 of 100 drawn verdicts audited" in done.out
    assert "--size 200" in done.out
    accepted = veracity("accept", run, "--error-rate", "0.1", "--confidence", "0.9", "-o", listed)
    assert accepted.out.startswith("Guaranteed: ")
    with listed.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["entity", "attribute", "value", "plausibility", "marked", "audited"]
    wrong = sum(truth[row["entity"]] != row["value"] for row in rows)
    assert wrong <= 0.1 * len(rows)
    found = json.loads(veracity("accept", run, "--error-rate", "0.1", "--json").out)
    assert (found["basis"], found["guarantee"]["n_audits"]) == ("guaranteed", 100)
    assert found["text"][0].startswith("Guaranteed: ")


def test_too_few_audits(veracity: Command, tmp_path: Path, truth: dict[str, str]) -> None:
    run, sheet = tmp_path / "run", tmp_path / "sheet.csv"
    assert veracity("audit", run, "--size", "30", "-o", sheet, "-q").out == ""
    fill(sheet, truth)
    veracity("marks", run, "--read", sheet)
    few = veracity("accept", run, "-o", tmp_path / "accepted.csv")
    assert few.code == 0
    assert "No verdict can be guaranteed at 5 % and 95 % yet." in few.out
    assert "22 more audits" in few.out
    assert "At 10 % and 90 %" in few.out
    assert "No file was written." in few.out
    assert not (tmp_path / "accepted.csv").exists()


def test_the_two_queues(veracity: Command, tmp_path: Path, truth: dict[str, str]) -> None:
    run, sheet = tmp_path / "run", tmp_path / "sheet.csv"
    repairs = veracity("label", run, "--queue", "repair", "--n", 15, "-o", sheet)
    assert "15 items to repair" in repairs.out
    assert "stay out of the guarantee" in repairs.out
    fill(sheet, truth)
    assert "15 marks" in veracity("marks", run, "--read", sheet).out
    audits = veracity("label", run, "--n", 12, "-o", sheet, "--overwrite")
    assert "feed the guarantee" in audits.out
    fill(sheet, truth, skip=sheet.read_text().splitlines()[1].split(",")[1])
    taken = veracity("marks", run, "--read", sheet)
    assert "11 marks and 1 skip taken" in taken.out
    found = json.loads(veracity("marks", run, "--json").out)
    queues = [row["queue"] for row in found["marks"]]
    assert queues.count("audit") >= 11
    assert [row["queue"] for row in found["skips"]] == ["audit"]
    shown = veracity("marks", run).out
    assert "; 1 skip" in shown
    again = json.loads(veracity("label", run, "--n", 3, "--json").out)["items"]
    assert all(row["value"] is None for row in again)
    assert not {row["entity"] for row in again} & {row["entity"] for row in found["marks"]}
    dear = veracity("label", run, "--queue", "repair", "--cost", "entity_price")
    assert dear.code == 0, dear.err


def test_what_the_commands_refuse(veracity: Command, tmp_path: Path, truth: dict[str, str]) -> None:
    run = tmp_path / "run"
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("entity,value\nthing 1,red\nnothing,red\n")
    refused = veracity("marks", run, "--read", sheet)
    assert (refused.code, "'nothing'" in refused.err) == (2, True)
    assert veracity("marks", run).out.startswith("0 marks")  # whole or not at all
    for arguments, message in (
        (("accept", run, "--error-rate", "0.7"), "less than 0.5"),
        (("accept", run, "--confidence", "1"), "less than 1"),
        (("audit", run, "-o", tmp_path / "sheet.txt"), "ends in .csv"),
        (("audit", run, "-o", sheet), "exists already"),
        (("label", run, "--cost", "entity_price"), "--queue repair"),
        (("audit", tmp_path), "not the folder of a run"),
    ):
        done = veracity(*arguments)
        assert (done.code, message in done.err) == (2, True), (arguments, done.err)
    veracity("audit", run, "--seed", "1")
    other = veracity("audit", run, "--seed", "2")
    assert (other.code, "drawn with seed 1" in other.err) == (2, True)


def test_formulas_in_sheets(veracity: Command, tmp_path: Path) -> None:
    claims, truth = colours(10)
    claims["entity"] = [f"=1+{name}" for name in claims["entity"]]
    saved(tmp_path / "run", claims)
    sheet = tmp_path / "sheet.csv"
    plain = veracity("audit", tmp_path / "run", "-o", sheet)
    assert "--escape-formulas" in plain.out
    veracity("audit", tmp_path / "run", "-o", sheet, "--overwrite", "--escape-formulas")
    assert "'=1+thing" in sheet.read_text()
    fill(sheet, {f"'=1+{name}": value for name, value in truth.items()})
    assert "10 marks taken" in veracity("marks", tmp_path / "run", "--read", sheet).out
