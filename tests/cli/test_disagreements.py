"""``veracity disagreements``, from a run to a truth table and back."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.cli.conftest import Command, Write

from veracity import datasets
from veracity.models import MODELS

#: Three who are right, and four who err, each in his own way but for every fourth item, where they
#: outvote the others. Values are numbers, so that every model can be run.
NUMBERS = "source,entity,value\n" + "".join(
    f"{source},e{item},{100 + item if source < 'd' else 200 + (source_number if item % 4 else 0)}\n"
    for item in range(1, 41)
    for source_number, source in enumerate("abcdefg")
)
#: These may believe all that the vote does; the others must not.
LIKE_THE_VOTE = {"vote", "grbm-paper", "three-estimates"}


def labelled(file: Path, count: int) -> list[tuple[str, str]]:
    """Fill in the first rows of a list with what the vote says; return their items."""
    with file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows[:count]:
        row["value"] = row["voted"].split("; ")[0]
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return [(row["entity"], row["attribute"]) for row in rows[:count]]


def test_the_clearest_are_shown_with_what_to_do(veracity: Command, run: Path) -> None:
    done = veracity("disagreements", run, "--limit", 3)
    assert done.code == 0, done.err
    assert "grbm and a majority vote disagree on" in done.out
    assert "the 3 clearest are:" in done.out
    assert "--output FILE.csv" in done.out
    assert "veracity tune CLAIMS --truth FILE.csv" in done.out
    assert "veracity discover CLAIMS --known-truth FILE.csv" in done.out
    found = json.loads(veracity("disagreements", run, "--limit", 3, "--json").out)
    assert len(found["disagreements"]) == 3 < found["n_disagreements"]
    for row in found["disagreements"]:
        assert row["value"] is None
        assert row["believed"] != row["voted"]
        assert row["entity"][:20] in done.out  # long names are cut to the page


def test_labels_of_the_list_can_be_measured_by(
    veracity: Command, run: Path, tmp_path: Path
) -> None:
    file = tmp_path / "list.csv"
    assert veracity("disagreements", run, "-o", file).code == 0
    claims = datasets.example.path()
    empty = veracity("tune", claims, "--truth", file)
    assert empty.code == 2
    assert "no rows that are filled in" in empty.err
    labelled(file, 10)
    done = veracity("tune", claims, "--truth", file, "--models", "vote", "--json")
    assert done.code == 0, done.err
    assert {row["n_items"] for row in json.loads(done.out)["settings"]} == {10}


def test_labels_given_as_known_truth_are_not_asked_for_again(
    veracity: Command, run: Path, tmp_path: Path
) -> None:
    file, told = tmp_path / "list.csv", tmp_path / "told"
    veracity("disagreements", run, "-o", file)
    items = labelled(file, 10)
    command = ("discover", datasets.example.path(), "-o", told, "--known-truth", file, "-q")
    assert veracity(*command, "--format", "csv").code == 0
    found = json.loads(veracity("disagreements", told, "--limit", 10_000, "--json").out)
    listed = [(row["entity"], row["attribute"]) for row in found["disagreements"]]
    assert listed
    assert not set(items) & set(listed)


@pytest.mark.parametrize("model", sorted(MODELS))
def test_runs_of_every_model(veracity: Command, write: Write, tmp_path: Path, model: str) -> None:
    claims = write("numbers.csv", NUMBERS)
    out = tmp_path / "out"
    options = ("--model", model, "--compare", "*=number", "-q")
    assert veracity("discover", claims, "-o", out, *options).code == 0
    done = veracity("disagreements", out, "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert all(row["believed"] != row["voted"] for row in found["disagreements"])
    assert found["n_disagreements"] or model in LIKE_THE_VOTE
    assert not found["n_disagreements"] or model != "vote"


def test_a_vote_agrees_with_itself_and_nothing_is_written(
    veracity: Command, claims: Path, tmp_path: Path
) -> None:
    veracity("discover", claims, "-o", tmp_path / "out", "--model", "vote", "-q")
    done = veracity("disagreements", tmp_path / "out", "-o", tmp_path / "list.csv")
    assert done.code == 0
    assert "vote and a majority vote agree on every item" in done.out
    assert "No file was written" in done.out
    assert not (tmp_path / "list.csv").exists()


def test_labels_are_not_written_over(veracity: Command, run: Path, tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text("my labels")
    refused = veracity("disagreements", run, "-o", file)
    assert refused.code == 2
    assert "exists already" in refused.err
    assert file.read_text() == "my labels"
    assert veracity("disagreements", run, "-o", file, "--overwrite").code == 0
    assert file.read_text(encoding="utf-8").startswith("entity,attribute,value,believed,")


def test_cells_that_look_like_formulas_are_pointed_out(
    veracity: Command, write: Write, tmp_path: Path
) -> None:
    claims = write("claims.csv", NUMBERS.replace(",e", ",=e"))
    out = tmp_path / "out"
    options = ("--model", "one-coin", "--compare", "*=number", "-q")
    assert veracity("discover", claims, "-o", out, *options).code == 0
    done = veracity("disagreements", out, "-o", tmp_path / "list.csv")
    assert "a spreadsheet may run" in done.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nothing",), "nothing is not the folder of a run"),
        (("run", "--limit", "0"), "--limit"),
        (("run", "-o", "list.txt"), "file.csv"),
        (("run", "-o", "missing/list.csv"), "there is no folder"),
        (("run", "-o", "run.csv"), "is a folder"),
    ],
)
def test_wrong_input_is_refused(
    veracity: Command,
    claims: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.csv").mkdir()
    veracity("discover", claims, "-o", "run", "--model", "vote", "-q")
    done = veracity("disagreements", *arguments)
    assert done.code == 2
    assert said in done.err
