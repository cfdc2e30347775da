"""``veracity report`` and what ``veracity discover`` does about the report."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from veracity import discover
from veracity.datasets import example
from veracity.errors import ReportWarning
from veracity.report import files
from veracity.workflow import open_run

Command = Callable[..., Any]
Write = Callable[[str, str | bytes], Path]

#: Labels that a spreadsheet would run, and one that only looks as if it had been escaped.
FORMULAS = (
    "source,entity,value\n"
    "=a(),+sky,-blue\n"
    "@bob,+sky,=green()\n"
    "cy,+sky,'=odd\n"
    "cy,-3,5\n"
    '"=a()",-3,"two\nlines, ""quoted"""\n'
)


def page(folder: Path) -> str:
    """Return the page of a run, but for when it was made."""
    text = (folder / "report.html").read_text(encoding="utf-8")
    dated = r"made on \d{4}-\d\d-\d\d \d\d:\d\d UTC,"
    assert len(re.findall(dated, text)) == 1
    return re.sub(dated, "made one day,", text)


def everything(folder: Path) -> dict[str, bytes]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every report fail while it is made."""

    def fail(contents: object) -> str:
        raise ZeroDivisionError("a fault of ours")

    monkeypatch.setattr(files, "page_of", fail)


def test_discover_writes_it_and_says_where(
    veracity: Command, claims: Path, truth: Path, tmp_path: Path
) -> None:
    done = veracity("discover", claims, "-o", tmp_path / "out", "--truth", truth)
    assert done.code == 0
    assert done.out.splitlines()[-1] == f"Report: {tmp_path / 'out' / 'report.html'}"
    charts = {path.stem for path in (tmp_path / "out" / "charts").iterdir()} - {"index"}
    assert charts == set(re.findall(r'data-chart="([a-z0-9-]+)"', page(tmp_path / "out")))
    assert (tmp_path / "out" / "truth.parquet").exists()
    record = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    assert record["seconds"]["report"] > 0
    assert record["output"] == {"format": "parquet", "escaped": False}


def test_it_can_be_left_out(veracity: Command, claims: Path, tmp_path: Path) -> None:
    done = veracity("discover", claims, "-o", tmp_path / "out", "--no-report")
    assert done.code == 0
    assert "Report:" not in done.out
    assert not (tmp_path / "out" / "report.html").exists()
    assert not (tmp_path / "out" / "charts").exists()
    assert veracity("report", tmp_path / "out").code == 0
    assert (tmp_path / "out" / "report.html").exists()


@pytest.mark.parametrize("options", [(), ("--model", "vote"), ("--model", "dawid-skene")])
def test_made_again_it_is_the_same(
    veracity: Command, tmp_path: Path, options: tuple[str, ...]
) -> None:
    data = example.path()
    truth = data.parent / "truth.csv"
    out = tmp_path / "out"
    assert veracity("discover", data, "-o", out, "--truth", truth, *options).code == 0
    first, charts = page(out), everything(out / "charts")
    (out / "report.html").unlink()
    done = veracity("report", out)
    assert (done.code, done.out) == (0, f"Report: {out / 'report.html'}\n")
    assert page(out) == first
    assert everything(out / "charts") == charts


@pytest.mark.parametrize("form", ["parquet", "csv", "csv.gz", "jsonl", "csv --escape-formulas"])
def test_it_is_made_of_any_format(
    veracity: Command, write: Write, tmp_path: Path, form: str
) -> None:
    out = tmp_path / "out"
    asked = ("discover", write("c.csv", FORMULAS), "-o", out, "--model", "vote", "--format")
    assert veracity(*asked, *form.split()).code == 0
    first = page(out)
    assert veracity("report", out).code == 0
    assert page(out) == first
    saved = open_run(out)
    assert set(saved.truths["entity"].to_pylist()) == {"+sky", "-3"}
    assert {"-blue", "=green()", "'=odd", "5"} <= set(saved.statements["value"].to_pylist())
    assert set(saved.sources["source"].to_pylist()) == {"=a()", "@bob", "cy"}


def test_another_file_leaves_the_folder_alone(
    veracity: Command, claims: Path, truth: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    veracity("discover", claims, "-o", out)
    before = everything(out)
    done = veracity("report", out, "-o", tmp_path / "page.html", "--truth", truth)
    assert (done.code, done.out) == (0, f"Report: {tmp_path / 'page.html'}\n")
    assert everything(out) == before
    made = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Against known truth" in made
    assert "<dd>0.6667</dd>" in made
    assert "truth.csv" in made


def test_truth_that_was_known_to_the_fit_is_not_measured(
    veracity: Command, claims: Path, write: Write, tmp_path: Path
) -> None:
    known = write("known.csv", "entity,value\nrose,white\n")
    veracity("discover", claims, "-o", tmp_path / "out", "--known-truth", known)
    truth = write("t.csv", "entity,value\nsky,blue\nrose,white\n")
    assert veracity("report", tmp_path / "out", "--truth", truth).code == 0
    assert "right, of 1 item<" in page(tmp_path / "out")


def test_truth_is_compared_as_the_claims_were(
    veracity: Command, write: Write, truth: Path, tmp_path: Path
) -> None:
    loud = write("c.csv", "source,entity,value\nann,sky,BLUE \nbob,sky,Blue\ncy,sky,red\n")
    out = tmp_path / "out"
    asked = ("discover", loud, "-o", out, "--truth", truth, "--casefold", "--strip")
    assert veracity(*asked, "--model", "vote").code == 0
    first = page(out)
    assert "<dd>1.0000</dd>" in first
    assert veracity("report", out, "--truth", truth).code == 0
    assert page(out) == first


def test_quiet_says_nothing(veracity: Command, claims: Path, tmp_path: Path) -> None:
    veracity("discover", claims, "-o", tmp_path / "out", "-q")
    done = veracity("report", tmp_path / "out", "-q")
    assert (done.code, done.out, done.err) == (0, "", "")


# What can go wrong


def test_a_folder_that_is_no_run(veracity: Command, tmp_path: Path) -> None:
    done = veracity("report", tmp_path)
    assert done.code == 2
    assert done.err.startswith(f"Error: {tmp_path} is not the folder of a run: it has no run.json.")
    assert "veracity discover" in done.err


@pytest.mark.parametrize(
    ("table", "form"),
    [("truths", "parquet"), ("truths", "csv"), ("statements", "csv.gz"), ("sources", "jsonl")],
)
def test_a_damaged_table_is_named(
    veracity: Command, claims: Path, tmp_path: Path, table: str, form: str
) -> None:
    out = tmp_path / "out"
    veracity("discover", claims, "-o", out, "--format", form, "--model", "vote")
    before = page(out)
    path = out / f"{table}.{form}"
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", b"a,b\n1,2\n"):
        path.write_bytes(damaged)
        done = veracity("report", out)
        assert done.code == 2
        assert str(path) in done.err
        assert page(out) == before
    path.unlink()
    done = veracity("report", out)
    assert done.code == 2
    assert f"it has no table of {table}" in done.err


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"features": {}, "attributes": 5, "settings": {}}']
)
def test_a_damaged_description_is_named(
    veracity: Command, claims: Path, tmp_path: Path, content: str
) -> None:
    veracity("discover", claims, "-o", tmp_path / "out", "--no-report")
    (tmp_path / "out" / "run.json").write_text(content, encoding="utf-8")
    done = veracity("report", tmp_path / "out")
    assert done.code == 2
    assert "run.json is damaged" in done.err


def test_a_file_that_cannot_be_written(veracity: Command, claims: Path, tmp_path: Path) -> None:
    veracity("discover", claims, "-o", tmp_path / "out", "--no-report")
    done = veracity("report", tmp_path / "out", "-o", tmp_path / "no" / "page.html")
    assert done.code == 2
    assert "there is no folder" in done.err


def test_what_fails_leaves_the_earlier_report(
    veracity: Command, claims: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    out = tmp_path / "out"
    veracity("discover", claims, "-o", out)
    before = everything(out)
    request.getfixturevalue("broken")
    done = veracity("report", out)
    assert done.code == 1
    assert "a fault of ours" in done.err
    assert everything(out) == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.usefixtures("broken")
def test_results_are_kept_when_the_report_fails(
    veracity: Command, claims: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = veracity("discover", claims, "-o", out)
    assert done.code == 1
    assert f"The results in {out} are complete; `veracity report {out}` tries" in done.err
    assert "Most contested" in done.out
    assert (out / "truths.parquet").exists()
    assert not (out / "report.html").exists()
    notes = json.loads((out / "run.json").read_text(encoding="utf-8"))["notes"]
    (note,) = [note for note in notes if note["subject"] == "report"]
    assert "ZeroDivisionError: a fault of ours" in note["text"]


@pytest.mark.usefixtures("broken")
def test_in_python_it_warns_and_keeps_the_reason(claims: Path, tmp_path: Path) -> None:
    run = discover(claims, model="vote")
    with pytest.warns(ReportWarning, match="The results are complete"):
        folder = run.save(tmp_path / "out")
    assert isinstance(run.report_error, ZeroDivisionError)
    assert len(open_run(folder).truths) == 3
    assert run.save(tmp_path / "plain", report=False).exists()
    assert [note.subject for note in run.notes].count("report") == 0


# What stays when a run is replaced


def test_review_marks_stay(veracity: Command, claims: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    veracity("discover", claims, "-o", out)
    with sqlite3.connect(out / "marks.sqlite") as marks:
        marks.execute("CREATE TABLE marks (entity TEXT)")
        marks.execute("INSERT INTO marks VALUES ('sky')")
    marks.close()
    done = veracity("discover", claims, "-o", out, "--overwrite")
    assert done.code == 0
    assert "The review marks of the replaced run are kept" in done.out
    kept = sqlite3.connect(out / "marks.sqlite")
    assert kept.execute("SELECT * FROM marks").fetchall() == [("sky",)]
    kept.close()
    assert "review marks" in page(out)


def test_marks_that_are_damaged_stay_as_they_are(
    veracity: Command, claims: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    veracity("discover", claims, "-o", out)
    (out / "marks.sqlite").write_bytes(b"not a database" * 100)
    assert veracity("discover", claims, "-o", out, "--overwrite").code == 0
    assert (out / "marks.sqlite").read_bytes() == b"not a database" * 100


def test_a_folder_with_other_things_in_charts_is_not_replaced(
    veracity: Command, claims: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    veracity("discover", claims, "-o", out)
    (out / "charts" / "mine.png").write_bytes(b"a picture")
    done = veracity("discover", claims, "-o", out, "--overwrite")
    assert done.code == 2
    assert "also holds charts" in done.err
    assert veracity("report", out).code == 2
    assert (out / "charts" / "mine.png").exists()
