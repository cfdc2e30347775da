"""Audits are drawn at random, go on where they were, and count only what was chosen at random."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import chisquare
from tests.cli.damaged import unsealed
from tests.workflow.audited import colours, mark_open, saved

from veracity import Attribute
from veracity.errors import InputError, InvalidParameter
from veracity.evaluation.guarantee import MODEST, Limit
from veracity.workflow import open_run, update
from veracity.workflow.acceptance import accept
from veracity.workflow.audits import Audit
from veracity.workflow.marks import MarkBook
from veracity.workflow.promises import headline, reasons

LOOSE = Limit(0.2, 0.8)


def test_the_next_hundred_continue_the_first(tmp_path: Path) -> None:
    claims, truth = colours()
    audit = saved(tmp_path / "run", claims)
    assert audit.state().seed is None
    state = audit.draw(30)
    first = [(one.number, one.entity) for one in audit.open_items()]
    assert (state.n_drawn, state.seed, [number for number, _ in first]) == (30, 0, [*range(1, 31)])
    assert audit.draw(10) == audit.draw(30) == state  # what is drawn stays so
    audit.draw(50)
    assert [(one.number, one.entity) for one in audit.open_items()][:30] == first
    again = saved(tmp_path / "again", claims)
    again.draw(50)
    assert again.open_items() == audit.open_items()
    other = saved(tmp_path / "other", claims)
    other.draw(50, seed=7)
    assert {one.entity for one in other.open_items()} != {one.entity for one in audit.open_items()}
    assert audit.draw(10_000).n_drawn == len(truth)


def test_a_sample_has_one_seed(tmp_path: Path) -> None:
    audit = saved(tmp_path / "run", colours(20)[0])
    audit.draw(5, seed=3)
    with pytest.raises(InvalidParameter, match="drawn with seed 3"):
        audit.draw(8, seed=4)
    assert audit.draw(8).seed == 3
    for size, seed in ((0, 3), (5, -1), (5, 2**63)):
        with pytest.raises(InvalidParameter, match="must be"):
            audit.draw(size, seed)


def test_every_item_is_as_likely_to_be_drawn(tmp_path: Path) -> None:
    audit = saved(tmp_path / "run", colours(40)[0])
    counts = np.zeros(40)
    for seed in range(2000):
        counts[audit.order(seed)[:10]] += 1
    assert chisquare(counts).pvalue > 1e-4
    # and independently of its place in the ranking, where ties are broken by another hash
    together = [
        np.corrcoef(np.argsort(audit.order(seed)), np.argsort(audit.ranking))[0, 1]
        for seed in range(200)
    ]
    assert abs(np.mean(together)) < 0.05


def test_progress_and_what_counts(tmp_path: Path) -> None:
    claims, truth = colours()
    audit = saved(tmp_path / "run", claims)
    audit.draw(20)
    first, second, third, *_ = audit.open_items()
    audit.book.put(third.entity, third.attribute, [truth[third.entity]])
    state = audit.state()
    assert (state.n_marked, state.n_counted, state.n_open, state.next) == (1, 0, 19, first)
    assert "1 audit does not count yet" in " ".join(reasons(accept(audit, LOOSE)))
    audit.book.put(first.entity, first.attribute, ["violet"])
    audit.book.skip(second.entity, second.attribute)
    state = audit.state()
    assert (state.n_marked, state.n_skipped, state.n_wrong, state.n_counted) == (2, 1, 1, 3)
    assert audit.guarantee(LOOSE).n_audits == 3
    assert audit.guarantee(LOOSE).n_wrong == 2  # the skipped one counts as wrong
    audit.book.remove(second.entity, second.attribute)
    assert audit.state().n_counted == 1


def test_repairs_stay_out_of_the_guarantee(tmp_path: Path) -> None:
    claims, truth = colours()
    audit = saved(tmp_path / "run", claims)
    audit.draw(30)
    mark_open(audit, truth)
    before = audit.guarantee(LOOSE)
    drawn = set(audit.book.draw().numbers)
    others = [(entity, "value") for entity in truth if (entity, "value") not in drawn]
    audit.book.put_all({item: ["violet"] for item in others[:60]})
    assert audit.guarantee(LOOSE) == before
    listed = accept(audit, LOOSE).table.to_arrow().to_pylist()
    violet = [row for row in listed if row["value"] == "violet"]
    assert len(violet) == 60
    assert all(row["marked"] and not row["audited"] for row in violet)


def test_a_list_is_guaranteed(tmp_path: Path) -> None:
    claims, truth = colours(400)
    audit = saved(tmp_path / "run", claims)
    expected = accept(audit, Limit())
    assert expected.basis == "expected"
    assert headline(expected).startswith("Expected: ")
    assert "not guaranteed" in reasons(expected)[0]
    audit.draw(120)
    mark_open(audit, truth)
    found = accept(audit, MODEST)
    assert found.basis == "guaranteed"
    assert found.guarantee.listed is not None
    assert headline(found).startswith("Guaranteed: ")
    rows = found.table.to_pylist()
    assert found.n_accepted == len(rows) > 250
    assert sum(truth[row["entity"]] != row["value"] for row in rows) <= 0.1 * len(rows)
    assert sum(row["audited"] for row in rows) == 120
    assert all(truth[row["entity"]] == row["value"] for row in rows if row["audited"])


def test_too_few_audits_are_said_to_be_so(tmp_path: Path) -> None:
    claims, truth = colours(2000)
    audit = saved(tmp_path / "run", claims)
    audit.draw(30)
    mark_open(audit, truth)
    found = accept(audit, Limit())
    assert (found.n_accepted, found.guarantee.n_more) == (0, 27)
    assert headline(found) == "No verdict can be guaranteed at 5 % and 95 % yet."
    assert "27 more audits." in " ".join(reasons(found))
    assert "At 10 % and 90 %" in " ".join(reasons(found))
    assert accept(audit, MODEST).modest is None


def test_skipped_items_are_not_listed(tmp_path: Path) -> None:
    claims, truth = colours(300)
    audit = saved(tmp_path / "run", claims)
    audit.draw(100)
    skipped = audit.open_items()[0]
    mark_open(audit, truth)
    audit.book.skip(skipped.entity, skipped.attribute)
    found = accept(audit, LOOSE)
    assert found.n_accepted > 0
    assert skipped.entity not in found.table["entity"].to_pylist()
    assert "1 skipped audit counts as wrong" in " ".join(reasons(found))


def test_new_items_take_their_place_in_the_order(tmp_path: Path) -> None:
    claims, truth = colours(100)
    folder = tmp_path / "run"
    audit = saved(folder, claims, model="grbm")
    audit.draw(50)
    mark_open(audit, truth)
    assert audit.state().n_counted == 50
    more, new_truth = colours(100, seed=1, first=100)
    update(folder, more, refit=False)
    audit = Audit(open_run(folder))
    state = audit.state()
    assert state.n_new > 10
    assert state.n_counted < 50
    assert "new since the draw" in " ".join(reasons(accept(audit, LOOSE)))
    assert audit.draw(120).n_drawn == 120
    mark_open(audit, truth | new_truth)
    state = audit.state()
    assert (state.n_counted, state.n_new) == (120, 0)
    order = audit.order(0)[:120].tolist()
    assert {audit.labels(item) for item in order} == set(audit.book.draw().numbers)


def test_marks_and_draw_outlive_a_run_that_is_made_again(tmp_path: Path) -> None:
    claims, truth = colours(100)
    audit = saved(tmp_path / "run", claims)
    audit.draw(40)
    mark_open(audit, truth)
    fewer = {name: column[100:] for name, column in claims.items()}  # without the first 20 things
    audit = saved(tmp_path / "run", fewer, overwrite=True)
    state = audit.state()
    assert state.n_items == 80
    assert 25 < state.n_drawn == state.n_marked == state.n_counted < 40
    assert (state.n_new, state.n_open) == (0, 0)


def test_known_truth_without_crossfit_is_left_out(tmp_path: Path) -> None:
    claims, truth = colours(100)
    audit = saved(tmp_path / "run", claims)
    audit.draw(40)
    mark_open(audit, truth)
    known: dict[str, list[str]] = {"entity": [], "attribute": [], "value": []}
    for mark in audit.book.read():
        for name, cell in zip(known, (mark.entity, mark.attribute, mark.values[0]), strict=True):
            known[name].append(cell)
    audit = saved(tmp_path / "run", claims, overwrite=True, known_truth=known, model="dawid-skene")
    state = audit.state()
    assert (state.n_items, state.n_drawn, state.n_counted) == (60, 0, 0)
    assert audit.draw(10).n_drawn == 10
    mark_open(audit, truth)
    found = accept(audit, LOOSE)
    assert found.guarantee.n_audits == 10
    assert found.guarantee.n_items == 60


def crossfitted(folder: Path, change: Callable[[list[dict[str, Any]]], None]) -> Audit:
    """Give a run the table of verdicts without own labels, changed."""
    rows = open_run(folder).truths.to_arrow()
    names = ["entity", "attribute", "value", "plausibility"]
    plain = rows.select(names).to_pylist()
    change(plain)
    pq.write_table(pa.Table.from_pylist(plain), folder / "crossfit.parquet")
    unsealed(folder)
    return Audit(open_run(folder))


def test_crossfitted_verdicts_are_judged_and_known_truth_marks_them(tmp_path: Path) -> None:
    claims, truth = colours(100)
    known = {"entity": list(truth), "value": list(truth.values())}
    saved(tmp_path / "run", claims, known_truth=known, model="grbm")

    def change(rows: list[dict[str, Any]]) -> None:
        for row in rows[:10]:
            row["value"], row["plausibility"] = "violet", 0.4

    audit = crossfitted(tmp_path / "run", change)
    state = audit.draw(100)
    assert (state.n_marked, state.n_wrong, state.n_counted) == (100, 10, 100)
    found = audit.guarantee(LOOSE)
    assert (found.n_audits, found.n_wrong) == (100, 10)
    assert found.n_listed == 90  # those that change are left out
    accepted = accept(audit, LOOSE)
    assert accepted.n_accepted == 100  # but all of them are known
    assert "left out" in " ".join(reasons(accepted))


def test_a_crossfit_that_is_incomplete_is_refused(tmp_path: Path) -> None:
    saved(tmp_path / "run", colours(20)[0])
    with pytest.raises(InputError, match="nothing about 5 of 20 items"):
        crossfitted(tmp_path / "run", lambda rows: rows.__delitem__(slice(5)))


@pytest.mark.parametrize("format", ["csv", "csv.gz", "jsonl"])
def test_tables_of_any_format(tmp_path: Path, format: str) -> None:
    claims, truth = colours(60)
    claims["entity"] = [f"={name}" for name in claims["entity"]]
    options = {"escape": True} if format.startswith("csv") else {}
    audit = saved(tmp_path / "run", claims, format=format, **options)
    audit.draw(60)
    mark_open(audit, {f"={name}": value for name, value in truth.items()})
    assert audit.state().n_counted == 60
    assert audit.state().n_wrong < 10


def test_several_true_values_and_yes_or_no(tmp_path: Path) -> None:
    claims = {
        "source": ["ann", "ann", "bob", "bob", "cat", "ann", "bob", "cat"],
        "entity": ["book"] * 5 + ["shop"] * 3,
        "attribute": ["author"] * 5 + ["open"] * 3,
        "value": ["Kim", "Lee", "Kim", "Lee", "Poe", "no", "no", "yes"],
    }
    audit = saved(tmp_path / "run", claims, attributes={"author": "multiple"})
    audit.draw(5)
    for values, wrong in ((["Kim", "Lee"], 0), (["Kim"], 1), (["Kim", "Lee", "Poe"], 1)):
        audit.book.put("book", "author", values)
        assert audit.state().n_wrong == wrong, values
    audit.book.put("book", "author", ["Lee", "Kim"])
    for value, wrong in (("no", 0), ("yes", 1)):
        audit.book.put("shop", "open", [value])
        assert audit.state().n_wrong == wrong
    audit.book.put("shop", "open", ["no"])
    rows = accept(audit, Limit(0.05, 0.5)).table.to_pylist()
    assert {(row["entity"], row["value"]) for row in rows} == {
        ("book", "Kim"),
        ("book", "Lee"),
        ("shop", "no"),
    }


def test_numbers_within_the_tolerance_are_right(tmp_path: Path) -> None:
    claims = {"source": ["a", "b", "c"], "entity": ["sea"] * 3, "value": ["10", "10", "12"]}
    number = {"value": Attribute(values="number", tolerance=0.5)}
    audit = saved(tmp_path / "run", claims, attributes=number)
    audit.draw(1)
    for value, wrong in (("10.0", 0), ("10.4", 0), ("11", 1), ("deep", 1)):
        audit.book.put("sea", "value", [value])
        assert audit.state().n_wrong == wrong, value


def test_nothing_is_left_to_audit(tmp_path: Path) -> None:
    claims, truth = colours(10)
    known = {"entity": list(truth), "value": list(truth.values())}
    audit = saved(tmp_path / "run", claims, known_truth=known, model="dawid-skene")
    state = audit.draw(5)
    assert (state.n_items, state.n_drawn, state.next) == (0, 0, None)
    found = accept(audit, Limit())
    assert (found.basis, found.n_accepted) == ("expected", 10)
    assert reasons(found)


def test_the_file_is_brought_up_to_date(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    audit = saved(folder, colours(20)[0])
    with closing(sqlite3.connect(folder / "marks.sqlite")) as connection:
        connection.executescript(
            "CREATE TABLE marks (entity TEXT NOT NULL, attribute TEXT NOT NULL, value TEXT NOT "
            "NULL, updated TEXT NOT NULL, PRIMARY KEY (entity, attribute, value)) WITHOUT ROWID;"
            "CREATE TABLE history (number INTEGER PRIMARY KEY, entity TEXT NOT NULL, attribute "
            "TEXT NOT NULL, value TEXT, updated TEXT NOT NULL);"
            "INSERT INTO marks VALUES ('thing 3', 'value', 'red', '2026-01-01');"
            "PRAGMA user_version = 1;"
        )
    assert (audit.state().n_drawn, audit.book.skipped()) == (0, {})
    audit.draw(20)
    assert (audit.state().n_marked, audit.state().n_drawn) == (1, 20)
    audit.book.skip("thing 4", "value")
    assert list(MarkBook(folder).skipped()) == [("thing 4", "value")]
    with closing(sqlite3.connect(folder / "marks.sqlite")) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)
        connection.execute("PRAGMA user_version = 9")
    with pytest.raises(InputError, match="later version"):
        audit.book.skip("thing 5", "value")


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    audit = saved(folder, colours(20)[0])
    (folder / "marks.sqlite").mkdir()
    with pytest.raises(InputError, match="cannot be kept"):
        audit.draw(5)
    shutil.rmtree(folder / "marks.sqlite")
    assert audit.draw(5).n_drawn == 5


def test_draw_and_skips_survive_a_kill(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    audit = saved(folder, colours(20)[0])
    script = (
        "import os, sys\nfrom pathlib import Path\nfrom veracity.workflow.marks import MarkBook\n"
        "book = MarkBook(Path(sys.argv[1]))\n"
        "book.extend_draw(0, [(f'thing {i}', 'value') for i in range(5)])\n"
        "book.skip('thing 3', 'value')\nos.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(folder)], check=False)
    assert done.returncode == -9
    state = audit.state()
    assert (state.n_drawn, state.n_skipped) == (5, 1)
