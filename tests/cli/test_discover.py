"""``veracity discover``: what it writes, what it prints, and that it can be repeated."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import veracity as library
from veracity.data.notes import Importance, importance_of
from veracity.data.output.write import TABLE_FORMATS
from veracity.data.read.workbench import Workbench, quoted_path
from veracity.datasets import example

Command = Callable[..., Any]
Write = Callable[[str, str | bytes], Path]

TABLES = ("truths", "statements", "sources")
READERS = {
    "parquet": "read_parquet",
    "csv": "read_csv",
    "csv.gz": "read_csv",
    "jsonl": "read_json",
}


def _run_json(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    return content


def _read(folder: Path, name: str, form: str) -> pa.Table:
    with Workbench() as workbench:
        path = quoted_path(folder / f"{name}.{form}")
        return workbench.arrow(f"SELECT * FROM {READERS[form]}({path}) ORDER BY ALL")


def test_it_believes_the_majority(veracity: Command, claims: Path, tmp_path: Path) -> None:
    assert veracity("discover", claims, "-o", tmp_path / "out").code == 0
    truths = pq.read_table(tmp_path / "out" / "truths.parquet").to_pylist()
    assert {row["entity"]: row["value"] for row in truths} == {
        "sky": "blue",
        "grass": "green",
        "rose": "red",
    }


def test_the_summary_says_what_a_person_wants_to_know(
    veracity: Command, claims: Path, truth: Path, tmp_path: Path
) -> None:
    done = veracity("discover", claims, "-o", tmp_path / "out", "--truth", truth)
    assert done.out.startswith("4 sources make 6 claims about 3 items; 1 item is contested")
    assert "Most contested" in done.out
    assert "Sources by reliability" in done.out
    assert "Accuracy 0.6667" in done.out
    assert "1 truth item has no claim" in done.out
    assert str(tmp_path / "out") in done.out
    assert done.err == ""


def test_many_sources_are_shown_from_both_ends(
    veracity: Command, write: Write, tmp_path: Path
) -> None:
    # So many claims of each, of both values, that sources are told apart.
    said = ((i, item, (item + (i == 0)) % 2) for i in range(30) for item in range(20))
    rows = "".join(f"s{i},e{item},v{value}\n" for i, item, value in said)
    done = veracity(
        "discover", write("c.csv", "source,entity,value\n" + rows), "-o", tmp_path / "o"
    )
    assert "Most reliable sources" in done.out
    assert "Least reliable sources" in done.out
    assert done.out.rindex("s0 ") > done.out.index("Least reliable sources")


def test_run_json_tells_the_whole_run(
    veracity: Command, claims: Path, truth: Path, tmp_path: Path
) -> None:
    veracity("discover", claims, "-o", tmp_path / "out", "--truth", truth, "--seed", 7)
    told = _run_json(tmp_path / "out")
    assert set(told) == {
        "format",
        "findings",
        "created",
        "versions",
        "inputs",
        "settings",
        "columns",
        "features",
        "model",
        "choice",
        "error_rate",
        "attributes",
        "counts",
        "evaluation",
        "seconds",
        "notes",
        "output",
        "dated",
        "files",
        "sha256",
    }
    for role, path in (("claims", claims), ("truth", truth)):
        (described,) = told["inputs"][role]
        assert described == {
            "path": str(path),
            "bytes": path.stat().st_size,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
    assert told["versions"]["veracity"] == library.__version__
    assert {"python", "numpy", "pyarrow", "duckdb"} <= set(told["versions"])
    assert told["columns"] == {"source": "source", "entity": "entity", "value": "value"}
    assert told["features"] == {"claim_words": "number"}
    assert told["model"]["name"] == "grbm"
    assert told["model"]["parameters"]["random_state"] == 7
    assert told["counts"]["n_claims"] == 6
    assert told["counts"]["n_contested"] == 1
    assert told["evaluation"]["n_right"] == 2
    stages = {"reading", "encoding", "fitting", "evaluating", "writing", "report"}
    assert set(told["seconds"]) == stages
    assert all(seconds >= 0 for seconds in told["seconds"].values())


def test_run_json_keeps_the_settings_that_repeat_the_run(
    veracity: Command, write: Write, tmp_path: Path
) -> None:
    path = write("c.csv", "who;what;says\nann;sky;Blue\nbob;sky;blue \nann;sky;green\n")
    given = ["--source", "who", "--entity", "what", "--value", "says", "--delimiter", ";"]
    given += ["--encoding", "latin-1", "--strip", "--casefold", "--unicode", "NFC"]
    given += ["--duplicates", "all", "--nulls", "error", "--ragged", "skip"]
    given += ["--kind", "value=multiple", "--domain", "*=closed"]
    assert veracity("discover", path, "-o", tmp_path / "out", *given).code == 0
    settings = _run_json(tmp_path / "out")["settings"]
    assert settings["columns"] == {"source": "who", "entity": "what", "value": "says"}
    assert settings["attributes"]["value"]["kind"] == "multiple"
    assert settings["attributes"]["*"]["domain"] == "closed"
    expected = {
        "duplicates": "all",
        "nulls": "error",
        "strip": True,
        "casefold": True,
        "unicode": "NFC",
        "encoding": "latin-1",
        "delimiter": ";",
        "ragged": "skip",
        "table": None,
        "query": None,
        "time_format": None,
    }
    assert {name: settings[name] for name in expected} == expected
    options = {**settings, **settings.pop("columns")}
    options.pop("columns", None)
    options["attributes"] = {
        name: library.Attribute(**known) for name, known in settings["attributes"].items()
    }
    again = library.discover(path, **options)
    assert again.claims.describe_settings() == _run_json(tmp_path / "out")["settings"] | {
        "numbers": (),
        "categories": (),
    }


def test_a_function_among_the_settings_goes_by_its_name() -> None:
    def shout(text: str) -> str:
        return text.upper()

    told = library.Claims.from_triples([("ann", "sky", "blue")], canonical=shout)
    name = told.describe_settings()["canonical"]
    assert isinstance(name, str)
    assert name.endswith("shout")


@pytest.mark.parametrize("form", TABLE_FORMATS)
def test_every_format_holds_the_same_tables(
    veracity: Command, claims: Path, tmp_path: Path, form: str
) -> None:
    for name in ("parquet", form):
        veracity("discover", claims, "-o", tmp_path / name, "--format", name, "-q", "--overwrite")
    assert {path.name for path in (tmp_path / form).iterdir()} == {
        "run.json",
        "report.html",
        "charts",
        "claims.parquet",
        "model.json",
        "model.safetensors",
        *(f"{name}.{form}" for name in TABLES),
    }
    for name in TABLES:
        assert (
            _read(tmp_path / form, name, form).to_pylist()
            == _read(tmp_path / "parquet", name, "parquet").to_pylist()
        )


def test_the_same_seed_gives_the_same_files(
    veracity: Command, write: Write, tmp_path: Path
) -> None:
    rows = "".join(f"s{i},e{i // 2},v{i % 2}\n" for i in range(400))  # nothing but ties
    path = write("c.csv", "source,entity,value\n" + rows)
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        veracity("discover", path, "-o", tmp_path / name, "--seed", seed, "--format", "csv", "-q")
    first, second, other = (
        [(tmp_path / name / f"{table}.csv").read_bytes() for table in TABLES] for name in "abc"
    )
    assert first == second
    assert first[0] != other[0]


def test_json_is_alone_on_standard_output(veracity: Command, claims: Path, tmp_path: Path) -> None:
    done = veracity("discover", claims, "-o", tmp_path / "out", "--json")
    assert json.loads(done.out) == _run_json(tmp_path / "out")
    assert done.err == ""


def test_quiet_prints_nothing(veracity: Command, claims: Path, tmp_path: Path) -> None:
    done = veracity("discover", claims, "-o", tmp_path / "out", "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_truth_is_read_in_the_words_of_the_claims(
    veracity: Command, write: Write, tmp_path: Path
) -> None:
    path = write("c.csv", "who,what,says\nann,café,yes\n".encode("latin-1"))
    truth = write("t.csv", "what,says\ncafé,yes\n".encode("latin-1"))
    columns = ["--source", "who", "--entity", "what", "--value", "says", "--encoding", "latin-1"]
    done = veracity("discover", path, "-o", tmp_path / "out", "--truth", truth, *columns, "--json")
    assert json.loads(done.out)["evaluation"]["accuracy"] == 1


def test_overwrite_replaces_an_earlier_run(veracity: Command, claims: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert veracity("discover", claims, "-o", out, "--format", "csv").code == 0
    assert veracity("discover", claims, "-o", out, "--overwrite").code == 0
    assert (out / "truths.parquet").exists()
    assert not (out / "truths.csv").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_overwriting_through_a_link_keeps_the_link(
    veracity: Command, claims: Path, tmp_path: Path
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert veracity("discover", claims, "-o", tmp_path / "link").code == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "run.json").exists()


def test_formulas_are_counted_or_escaped(veracity: Command, write: Write, tmp_path: Path) -> None:
    path = write("c.csv", "source,entity,value\nann,a,=1+1\nann,b,-5\nann,c,@x\n")
    plain = veracity("discover", path, "-o", tmp_path / "plain", "--format", "csv")
    assert "look like formulas" in plain.out
    assert ",=1+1," in (tmp_path / "plain" / "truths.csv").read_text()
    escaped = veracity(
        "discover", path, "-o", tmp_path / "safe", "--format", "csv", "--escape-formulas"
    )
    assert "spreadsheet" not in escaped.out
    text = (tmp_path / "safe" / "truths.csv").read_text()
    assert ",'=1+1," in text
    assert ",'@x," in text
    assert ",-5," in text
    parquet = veracity("discover", path, "-o", tmp_path / "typed")
    assert "spreadsheet" not in parquet.out


def test_data_do_not_steer_the_terminal(veracity: Command, write: Write, tmp_path: Path) -> None:
    path = write("c.csv", "source,entity,value\nann,[red]x,\x1b[31mred\nbob,[red]x,b\n")
    done = veracity("discover", path, "-o", tmp_path / "out")
    assert "\x1b" not in done.out
    assert "[red]x" in done.out


def test_it_runs_as_a_module(shell: Command, claims: Path, tmp_path: Path) -> None:
    done = shell("discover", claims, "-o", tmp_path / "out")
    assert done.code == 0
    assert done.out.startswith("4 sources make 6 claims")
    assert done.err == ""


def test_the_hardest_items_are_listed(veracity: Command, tmp_path: Path) -> None:
    done = veracity("discover", example.path(), "-o", tmp_path / "out", "--no-report")
    assert "\nHardest items\n" in done.out
    listed = done.out.split("Hardest items\n")[1].splitlines()[1:6]
    truths = pq.read_table(tmp_path / "out" / "truths.parquet").to_pylist()
    hard = sorted((row for row in truths if row["hardness"]), key=lambda row: -row["hardness"])
    assert [line.split("  ")[0] for line in listed] == [row["entity"] for row in hard[:5]]
    vote = veracity("discover", example.path(), "-o", tmp_path / "b", "--model", "vote")
    assert "Hardest items" not in vote.out


def test_what_matters_is_never_cut_off_only_information_is(
    veracity: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("veracity.cli.console.NOTES_SHOWN", 1)
    done = veracity("discover", example.path(), "-o", tmp_path / "out", "--no-report")
    notes = done.out.split("\nNotes\n")[1].split("\n\n")[0].splitlines()
    told = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))["notes"]
    important = [note for note in told if importance_of(note["subject"]) != Importance.INFORMATION]
    assert notes[:-1] == [f"- {note['text']}" for note in important]
    assert any("verdicts can be accepted" in note for note in notes)
    assert notes[-1] == f"- and {len(told) - len(important)} more on features, in run.json"
    assert told[0]["subject"] == "trust"


def test_the_first_lines_are_the_findings_of_run_json(veracity: Command, tmp_path: Path) -> None:
    done = veracity("discover", example.path(), "-o", tmp_path / "out", "--no-report")
    told = _run_json(tmp_path / "out")["findings"]
    assert done.out.splitlines()[:3] == [told["found"], told["to_do"], told["trust"]]
