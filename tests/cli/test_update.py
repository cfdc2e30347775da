"""``veracity update``: new claims for a run that was saved."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest
from tests.cli.conftest import CLAIMS, Command, Write

from veracity.errors import ConvergenceWarning
from veracity.models import make_model
from veracity.streaming import history as keeping
from veracity.streaming.history import History
from veracity.workflow import open_run, update
from veracity.workflow import publication as publishing

MORE = "source,entity,value,claim_words\nbob,sky,blue,5\neve,sky,blue,1\neve,moon,grey,2\n"


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def truths(folder: Path) -> dict[str, tuple[str, float]]:
    rows = pq.read_table(folder / "truths.parquet").to_pylist()
    return {row["entity"]: (row["value"], row["plausibility"]) for row in rows}


def claims_of(n_items: int, seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(n_items), 4)
    right = rng.random(len(item)) < 0.7
    value = np.where(right, 0, rng.integers(1, 4, len(item)))
    return pa.table(
        {
            "source": [f"s{number}" for number in rng.integers(0, 12, len(item))],
            "entity": [f"e{number}" for number in item],
            "value": [f"{i}-{v}" for i, v in zip(item, value, strict=True)],
        }
    )


@pytest.fixture
def run(veracity: Command, write: Write, tmp_path: Path) -> Path:
    claims = write("claims.csv", CLAIMS)
    done = veracity("discover", claims, "-o", tmp_path / "run", "-q", "--model", "vote")
    assert done.code == 0
    return tmp_path / "run"


@pytest.fixture
def larger(veracity: Command, tmp_path: Path) -> Path:
    csv.write_csv(claims_of(200), tmp_path / "all.csv")
    assert veracity("discover", tmp_path / "all.csv", "-o", tmp_path / "run", "-q").code == 0
    return tmp_path / "run"


def test_the_results_are_those_of_all_claims(
    veracity: Command, write: Write, run: Path, tmp_path: Path
) -> None:
    done = veracity("update", run, write("more.csv", MORE), "--no-refit", "--json")
    assert done.code == 0, done.err
    said = json.loads(done.out)
    assert (said["new_claims"], said["items"], said["new_items"], said["new_sources"]) == (
        3,
        2,
        1,
        1,
    )
    assert (said["claims"], said["update"], said["fitted_anew"]) == (9, 1, False)
    together = write("all.csv", CLAIMS + MORE.partition("\n")[2])
    whole = tmp_path / "whole"
    assert veracity("discover", together, "-o", whole, "-q", "--model", "vote").code == 0
    for name in ("truths", "statements", "sources"):
        ours, theirs = (pq.read_table(place / f"{name}.parquet") for place in (run, whole))
        if name == "sources":  # nobody is named a spammer before the next whole fit
            theirs = theirs.drop_columns(["pattern", "pattern_of"])
        assert ours.column_names == theirs.column_names
        for column in ours.column_names:
            cells = theirs[column].to_pylist()
            is_float = pa.types.is_floating(theirs[column].type)
            expected = pytest.approx(cells, rel=1e-12) if is_float else cells
            assert ours[column].to_pylist() == expected, (name, column)
    ours, theirs = (json.loads((place / "run.json").read_text()) for place in (run, whole))
    for name in ("counts", "features"):
        assert ours[name] == theirs[name], name


def test_a_person_sees_what_changed(veracity: Command, write: Write, run: Path) -> None:
    more = "source,entity,value\nx,sky,green\ny,sky,green\nz,sky,green\n"
    done = veracity("update", run, write("more.csv", more), "--no-refit")
    assert done.code == 0, done.err
    assert "3 new claims about 1 item (0 of them new), 3 new sources; 1 verdict changed" in done.out
    assert "sky" in done.out
    assert "blue" in done.out
    again = veracity("update", run, write("more.csv", more))
    assert "Nothing new; 3 claims already known." in again.out
    assert veracity("update", run, write("other.csv", MORE), "-q").out == ""


def test_the_same_claims_twice_leave_the_folder_as_it_is(
    veracity: Command, write: Write, run: Path
) -> None:
    more = write("more.csv", MORE)
    assert veracity("update", run, more, "-q", "--no-refit").code == 0
    before = files(run)
    assert veracity("update", run, more, "-q", "--no-refit").code == 0
    after = files(run)
    assert {name: text for name, text in after.items() if name != "history.sqlite"} == {
        name: text for name, text in before.items() if name != "history.sqlite"
    }


def test_a_run_of_the_default_model_goes_on(larger: Path, veracity: Command) -> None:
    before = truths(larger)
    more = claims_of(220, seed=1).slice(760)
    csv.write_csv(more, larger.parent / "more.csv")
    options = ("--no-refit", "--json")
    done = veracity("update", larger, larger.parent / "more.csv", *options)
    assert done.code == 0, done.err
    assert json.loads(done.out)["new_items"] == 20
    after = truths(larger)
    assert len(after) == len(before) + 20
    assert after["e0"] == before["e0"]  # no new claim is about it
    assert after["e199"] != before["e199"]
    saved = open_run(larger)
    assert saved.claims.matrix.n_items == 220
    assert len(saved.truths) == len(after)
    description = json.loads((larger / "run.json").read_text())
    assert description["updates"]["number"] == 1
    assert not (larger / "report.html").exists()
    assert veracity("report", larger).code == 0
    assert (larger / "report.html").exists()
    assert veracity("explain", larger, "e199").code == 0
    assert veracity("score", larger, larger.parent / "more.csv", "-q").code == 0


@pytest.mark.parametrize("name", ["rbm", "grbm-paper"])
def test_a_run_of_the_papers_machine_goes_on(name: str, veracity: Command, tmp_path: Path) -> None:
    """Update after update, each from what the one before kept."""
    run, model = tmp_path / "run", make_model(name)
    options = ["--model", name]
    if name == "grbm-paper":  # how much sources claim changes with each update
        model.set_params(statistics=["sources of item"])
        options += ["--set", 'statistics=["sources of item"]']
    words = pa.array([float(number % 7) for number in range(880)])
    table = claims_of(220).append_column("claim_words", words)
    for number, (first, n) in enumerate([(0, 700), (700, 90), (790, 90)]):
        path = tmp_path / f"{number}.csv"
        csv.write_csv(table.slice(first, n), path)
        if number == 0:
            done = veracity("discover", path, "-o", run, "-q", *options)
        else:
            done = veracity("update", run, path, "--no-refit", "-q")
        assert done.code == 0, done.err
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.partial_fit(path, refit=False)
    rows = model.truths_.to_pylist()
    expected = {row["entity"]: (row["value"], row["plausibility"]) for row in rows}
    assert len(expected) == 220
    assert truths(run) == expected
    assert pq.read_table(run / "sources.parquet").to_pylist() == model.sources_.to_pylist()
    assert veracity("explain", run, "e219").code == 0


def test_few_claims_are_fitted_anew(larger: Path, veracity: Command, tmp_path: Path) -> None:
    all_claims, more = claims_of(200), claims_of(220, seed=1).slice(800)
    csv.write_csv(more, tmp_path / "more.csv")
    done = veracity("update", larger, tmp_path / "more.csv", "--json")
    assert json.loads(done.out)["fitted_anew"] is True
    csv.write_csv(pa.concat_tables([all_claims, more]), tmp_path / "both.csv")
    assert veracity("discover", tmp_path / "both.csv", "-o", tmp_path / "whole", "-q").code == 0
    ours, theirs = truths(larger), truths(tmp_path / "whole")
    assert ours.keys() == theirs.keys()
    assert all(ours[key][1] == pytest.approx(theirs[key][1], abs=2e-3) for key in ours)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("source,entity,value\n", "no claims"),
        ("a,b\n1,2\n", "column"),
        ("source,entity,value,asserts\nann,sky,blue,maybe\n", "asserts"),
    ],
)
def test_claims_that_cannot_be_read_leave_everything_as_it_was(
    veracity: Command, write: Write, run: Path, content: str, message: str
) -> None:
    assert veracity("update", run, write("first.csv", MORE), "-q").code == 0
    before = files(run)
    done = veracity("update", run, write("bad.csv", content))
    assert done.code == 2
    assert message in done.err
    assert files(run) == before


def test_what_cannot_be_updated_says_so(
    veracity: Command, write: Write, run: Path, tmp_path: Path
) -> None:
    more = write("more.csv", MORE)
    assert "is not the folder of a run" in veracity("update", tmp_path, more).err
    assert "nothing to do" in veracity("update", run).err
    claims = write("claims.csv", CLAIMS)
    other = tmp_path / "ds"
    assert veracity("discover", claims, "-o", other, "-q", "--model", "dawid-skene").code == 0
    done = veracity("update", other, more)
    assert done.code == 2
    assert "DawidSkene cannot learn from new claims" in done.err
    assert not (other / "history.sqlite").exists()
    told = tmp_path / "told"
    truth = write("truth.csv", "entity,value\nsky,blue\n")
    options = ("-q", "--known-truth", truth, "--model", "rbm")
    assert veracity("discover", claims, "-o", told, *options).code == 0
    assert "RBM uses known truth in whole fits only" in veracity("update", told, more).err
    assert "cannot change in an update" in veracity("update", run, more, "--casefold").err


def test_a_damaged_history_is_named(veracity: Command, write: Write, run: Path) -> None:
    (run / "history.sqlite").write_bytes(b"no database" * 100)
    done = veracity("update", run, write("more.csv", MORE))
    assert done.code == 2
    assert "history.sqlite is damaged" in done.err


def test_two_updates_do_not_get_in_each_others_way(
    veracity: Command, write: Write, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "PATIENCE", 0.1)
    assert veracity("update", run, write("more.csv", MORE), "-q").code == 0
    other = sqlite3.connect(run / "history.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    done = veracity("update", run, write("next.csv", CLAIMS.replace("ann", "zoe")))
    other.close()
    assert done.code == 2
    assert "another update is running" in done.err


def test_tables_that_were_not_written_are_made_up_for(
    write: Write, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a crash between the update and its tables."""

    def fails(*given: Any) -> None:
        raise RuntimeError("power cut")

    with monkeypatch.context() as patch:
        patch.setattr("veracity.workflow.updates.put_in_place", fails)
        with pytest.raises(RuntimeError, match="power cut"):
            update(run, write("more.csv", MORE), refit=False)
    assert "moon" not in truths(run)
    assert "moon" in open_run(run).truths["entity"].to_pylist()
    assert "moon" in truths(run)


def test_large_tables_are_written_when_asked_for(
    veracity: Command, write: Write, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "SMALL", 1)
    monkeypatch.setattr(publishing, "CHANGED_PART", 10.0)
    done = veracity("update", run, write("more.csv", MORE), "--no-refit")
    assert "--write-tables" in done.out
    assert "moon" not in truths(run)
    assert veracity("update", run, "--write-tables", "-q").code == 0
    assert "moon" in truths(run)


def test_a_full_disk_is_named_and_nothing_is_lost(
    veracity: Command, write: Write, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(publishing, "write_parts", full)
        done = veracity("update", run, write("more.csv", MORE), "--no-refit")
    assert done.code == 2
    assert "the disk is full. Nothing was changed" in done.err
    assert "moon" not in open_run(run).truths["entity"].to_pylist()
    assert veracity("update", run, write("more.csv", MORE), "--no-refit", "-q").code == 0
    assert "moon" in truths(run)
    assert not [name for name in files(run) if name.startswith(".")]


def test_a_run_in_limited_memory_goes_on(veracity: Command, tmp_path: Path) -> None:
    csv.write_csv(claims_of(300), tmp_path / "all.csv")
    options = ("-o", tmp_path / "run", "-q", "--memory", "1GB")
    assert veracity("discover", tmp_path / "all.csv", *options).code == 0
    csv.write_csv(claims_of(310, seed=2).slice(1200), tmp_path / "more.csv")
    done = veracity("update", tmp_path / "run", tmp_path / "more.csv", "--no-refit", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["new_items"] == 10


def test_results_keep_their_format(veracity: Command, write: Write, tmp_path: Path) -> None:
    run = tmp_path / "run"
    claims = write("claims.csv", CLAIMS)
    assert veracity("discover", claims, "-o", run, "-q", "--format", "csv").code == 0
    assert veracity("update", run, write("more.csv", MORE), "-q").code == 0
    assert "moon" in (run / "truths.csv").read_text()
    assert not (run / "truths.parquet").exists()
    assert veracity("discover", claims, "-o", run, "-q", "--overwrite").code == 0
    assert not (run / "history.sqlite").exists()


KILLED = """
import sys, time
from veracity.errors import ConvergenceWarning
from veracity.models import make_model
from veracity.streaming.history import History
from veracity.workflow import update

insert = History._insert_results
def slow(self, *given):
    insert(self, *given)
    print("inserting", flush=True)
    time.sleep(60)
History._insert_results = slow
update(sys.argv[1], sys.argv[2], refit=False)
"""


def test_a_kill_leaves_what_was_before(veracity: Command, write: Write, run: Path) -> None:
    assert veracity("update", run, write("first.csv", MORE), "-q", "--no-refit").code == 0
    before = truths(run)
    said = "".join(f"{source},sky,green\n" for source in "uvwxyz")
    more = write("more.csv", "source,entity,value\n" + said)
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, run, more], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "inserting\n"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert truths(run) == before
    assert History(run / "history.sqlite")["version"] == 1
    assert open_run(run).truths.to_arrow().num_rows == len(before)
    done = veracity("update", run, more, "--no-refit", "--json")
    assert json.loads(done.out)["update"] == 2
    assert truths(run)["sky"][0] == "green"


def test_labels_come_without_a_fit_to_all_claims(
    veracity: Command, write: Write, larger: Path
) -> None:
    labels = [f"e{number},{number}-0" for number in range(30)]
    first = write("first.csv", "\n".join(["entity,value", *labels[:20]]))
    done = veracity("update", larger, "--known-truth", first, "--json")
    assert done.code == 0, done.err
    said = json.loads(done.out)
    assert (said["new_labels"], said["new_claims"], said["fitted_anew"]) == (20, 0, False)
    assert all(truths(larger)[f"e{number}"] == (f"{number}-0", 1.0) for number in range(20))
    more = write("more.csv", "source,entity,value\ns1,e25,25-0\ns2,e900,900-0\n")
    second = write("second.csv", "\n".join(["entity,value", *labels[20:], "e901,901-0"]))
    both = veracity("update", larger, more, "--known-truth", second, "--no-refit")
    assert both.code == 0, both.err
    assert "2 new claims" in both.out
    assert "11 new labels" in both.out
    assert all(truths(larger)[f"e{number}"] == (f"{number}-0", 1.0) for number in range(30))
    assert truths(larger)["e901"] == ("901-0", 1.0)  # nobody speaks about it yet
    saved = open_run(larger)
    assert saved.known_truth is not None
    assert len(saved.known_truth) == 31
    assert saved.crossfit is not None
    assert saved.model.has_labels
    assert "labelled_rate" in saved.sources.column_names


def test_labels_that_match_nothing_leave_the_run_as_it_was(
    veracity: Command, write: Write, larger: Path
) -> None:
    before = files(larger)
    wrong = write("wrong.csv", "entity,value\nE1,1-0\nE2,2-0\nE3,3-0\nE4,4-0\nE5,5-0\n")
    done = veracity("update", larger, "--known-truth", wrong)
    assert done.code == 2
    assert "shares no item with the claims" in done.err
    assert {name: data for name, data in files(larger).items() if "history" not in name} == before
