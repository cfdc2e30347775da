"""The benchmark of unseen data: cells are kept as long as they hold, and the page shows them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from unseen_cells import Case, Cell, Kept, code_of, modules_behind, parse_method
from unseen_judge import judge
from unseen_page import SMOOTHED, constants, page
from unseen_picture import specification
from unseen_results import Results
from unseen_worlds import make

from veracity.models import MODELS

DOG, RTE = Case("set", "dog"), Case("set", "rte")
COPIES = [Case("copy", "dog", "half the sources", number) for number in range(2)]
WORLD = Case("world", "clones, 2 values", "", 0)


def results() -> Results:
    """Return figures of the vote, of the default and of a method that did not finish."""
    found = Results()
    for case, vote, own in ((DOG, 0.8, 0.85), (RTE, 0.9, 0.87), *((c, 0.8, 0.77) for c in COPIES)):
        found.add(case, "vote", Cell(vote, 0.5, 0.1, 0.01, 100, 50))
        found.add(case, "grbm", Cell(own, 0.4, 0.05, 1.0, 100, 50))
    found.add(DOG, SMOOTHED, Cell(0.8, 0.45, 0.09, 0.01, 100, 50))
    found.add(DOG, "mace", Cell(error="over 5 s of CPU time", limit=5))
    found.add(WORLD, "vote", Cell(0.6, 0.5, 0.1, 0.01, 100, 50, 0.9))
    found.add(WORLD, "grbm", Cell(0.7, 0.5, 0.1, 0.01, 100, 50, 0.9))
    return found


def test_the_page_shows_means_losses_and_what_is_missing() -> None:
    text = page(results())
    assert "| default | 2 | .860 | .850 | 1 | 1 | 1 | 1 | -3.0 (rte) | .400 | .050 | 1.00 |" in text
    assert "| vote, smoothed by .5 | 1 | .800 |" in text
    assert "- mace on dog: over 5 s of CPU time" in text
    assert "on 2 (100.0%)" in text
    assert "| half the sources | dog | 2 of 2 | -3.0 | -3.0 |" in text
    assert "| clones, 2 values | 1 | .900 | .600 | .700 | +10.0 | -20.0 |" in text


def test_the_page_shows_constants_that_were_learned() -> None:
    unseen = {"log_loss": 0.44, "accuracy": 0.8, "sets": {"dog": {}, "rte": {}}}
    study = {
        "constants": {"mix": 0.6, "temper": 0.7, "shape": 2.0},
        "log_loss": 0.43,
        "accuracy": 0.81,
        "present": {**unseen, "log_loss": 0.4369},
        "without_set": unseen,
        "without_family": {**unseen, "log_loss": 0.45},
    }
    text = constants(results().part("set"), study)
    assert "Of all 2 sets: mix 0.60, temper 0.70, shape 2.00." in text
    assert "| as they are in the library | .4369 | .8000 |" in text
    assert "| learned on all sets, these among them | .4300 | .8100 |" in text
    assert "| learned without its family of sets | .4500 | .8000 |" in text


def test_every_row_of_a_table_has_the_columns_of_its_header() -> None:
    lines = page(results()).splitlines()
    for above, below in pairwise(lines):
        if above.startswith("|") and below.startswith("|"):
            assert above.count("|") == below.count("|")


def test_the_picture_has_a_mark_for_each_set_and_method() -> None:
    drawn = specification(results())
    assert drawn["title"]["text"].startswith("The default is right on 0.860, the vote on 0.850")
    (marks,) = drawn["layer"][1:]
    assert [row["set"] for row in marks["data"]["values"]] == ["dog", "rte"]


def test_results_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "unseen.csv"
    results().write(path)
    again = Results.read(path)
    assert page(again) == page(results())
    again.write(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text() == path.read_text()


def test_a_cell_is_kept_until_something_changes(tmp_path: Path) -> None:
    for name in ("claims", "truth"):
        (tmp_path / "dog").mkdir(exist_ok=True)
        (tmp_path / "dog" / f"{name}.csv.gz").write_text(name)
    kept = Kept(tmp_path / "cache", tmp_path)
    assert kept.get(DOG, "vote", 10) is None
    kept.put(DOG, "vote", Cell(0.5))
    assert kept.get(DOG, "vote", 10) == Cell(0.5)
    assert kept.get(DOG, "vote:smoothing=0.5", 10) is None
    kept.put(DOG, "mace", Cell(error="over 5 s", limit=5))
    assert kept.get(DOG, "mace", 5) is not None
    assert kept.get(DOG, "mace", 10) is None  # with more time it may finish


def test_a_cell_depends_on_the_code_of_its_method_only() -> None:
    vote, grbm = (modules_behind(MODELS[name][0]) for name in ("vote", "grbm"))
    assert "veracity.models.base" in vote
    assert "veracity.data.claims" in vote
    assert not any(name.startswith("veracity.models.grbm") for name in vote)
    assert "veracity.models.grbm.objective" in grbm
    assert code_of("vote") != code_of("grbm")


def test_methods_take_parameters() -> None:
    assert parse_method("default") == ("grbm", {})
    assert parse_method("grbm:features=never:correlation=0.5") == (
        "grbm",
        {"features": "never", "correlation": 0.5},
    )


@pytest.mark.parametrize("method", ["vote", SMOOTHED])
def test_a_method_is_judged_after_its_fit(method: str) -> None:
    made = make("independent, 2 values", 0)
    cell = judge(method, made.claims, made.truth, made.oracle)
    assert cell.error is None
    assert 390 < (cell.n_items or 0) <= 400
    assert 0.8 < (cell.accuracy or 0) <= 1
    assert cell.oracle == made.oracle
