"""The picture: what it says, and that it can be drawn."""

from __future__ import annotations

import json
from typing import Any

import pytest

from veracity.errors import InputError, MissingDependency
from veracity.scoreboard import picture
from veracity.scoreboard.cells import Cell
from veracity.scoreboard.labels import place_labels
from veracity.scoreboard.scoreboard import Scoreboard


def board(n_sets: int = 3) -> Scoreboard:
    """Return a board on which "good" is better than the vote and "bad" does not finish."""
    cells = []
    for place in range(n_sets):
        for model, accuracy, seconds in (("vote", 0.7, 0.01), ("good", 0.8, 2.0)):
            cells.append(Cell(f"s{place}", model, 0, accuracy=accuracy, seconds=seconds))
    cells += [Cell("s0", "bad", 0, accuracy=0.1, seconds=1.0)]
    return Scoreboard(tuple(cells))


def test_titles_say_the_finding() -> None:
    left, right = board().picture()["hconcat"]
    assert left["title"]["text"] == "good has the best mean rank, 1.0 of 3"
    assert right["title"]["text"] == "good is the most accurate"
    assert right["title"]["subtitle"] == [
        "0.800 over 3 data sets, in 2 s",
        "no cheaper model comes within 0.01 of it",
        "1 model did not finish on all",
    ]


def test_data_and_axes_are_inside() -> None:
    left, right = board().picture()["hconcat"]
    rows: list[dict[str, Any]] = left["layer"][1]["data"]["values"]
    assert [row["model"] for row in rows] == ["good", "vote", "bad"]
    x = right["layer"][0]["encoding"]["x"]
    assert (x["scale"]["type"], "seconds" in x["axis"]["title"]) == ("log", True)
    assert json.loads(json.dumps(board().picture())) == board().picture()


def test_one_set_has_no_ranks_to_draw() -> None:
    assert len(board(1).picture()["hconcat"]) == 1


def test_it_can_be_drawn() -> None:
    drawn = board().to_svg()
    assert drawn.startswith("<svg")
    assert "good has the best mean rank" in drawn
    assert "<image" not in drawn


def test_nothing_to_draw() -> None:
    with pytest.raises(InputError, match="nothing to draw"):
        Scoreboard((Cell("s", "m", 0, error="no"),)).picture()


def test_missing_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=r"pip install 'veracity\[charts\]'"):
        board().to_svg()


def test_labels_without_room_are_left_out() -> None:
    placed = place_labels([(5, 5), (5, 5)], ["a long label"] * 2, 20, 20)
    assert placed == [None, None]
