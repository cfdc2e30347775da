"""History: claims and results by item, changed as a whole or not at all."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from veracity.errors import InputError, OutputError
from veracity.streaming.history import History

FEATURES = {"Age": "number", "age": "category", "is it": "boolean"}


def filled(history: History) -> History:
    """Keep two claims about an item, and what was made of them."""
    history.make({"time": False, "weight": True}, FEATURES, ["agrees"])
    history.items_of(["colour"], ["sky"], add=True)
    claims = pa.table(
        {
            "source": ["ann", "bob"],
            "entity": ["sky"] * 2,
            "attribute": ["colour"] * 2,
            "value": ["blue", "green"],
            "weight": [1.0, None],
            "Age": [1.5, None],
            "age": ["old", None],
            "is it": [True, None],
        }
    )
    item = {"entity": ["sky"], "attribute": ["colour"]}
    truths = pa.table(
        {
            **item,
            "value": ["blue"],
            "plausibility": [0.75],
            "margin": [0.5],
            "n_sources": [2],
            "n_values": [2],
            "tie": [False],
        }
    )
    statements = pa.table(
        {
            "entity": ["sky"] * 2,
            "attribute": ["colour"] * 2,
            "value": ["blue", "green"],
            "plausibility": [0.75, 0.25],
            "supporters": [1, 1],
            "deniers": [1, 1],
        }
    )
    history.replace(
        None,
        claims,
        {"agrees": np.array([1.0, 0.0])},
        {"truths": truths, "statements": statements},
    )
    return history


def test_what_was_kept_comes_back() -> None:
    history = pickle.loads(pickle.dumps(filled(History())))
    item = history.items_of(["colour", "colour"], ["sky", "sea"])
    assert item.tolist() == [1, -1]
    claims, recorded = history.claims_about(item[:1])
    assert recorded["agrees"].tolist() == [1.0, 0.0]
    assert claims.drop_columns(["claim", "asserts"]).to_pylist() == [
        {
            "entity": "sky",
            "attribute": "colour",
            "source": "ann",
            "value": "blue",
            "weight": 1.0,
            "Age": 1.5,
            "age": "old",
            "is it": True,
        },
        {
            "entity": "sky",
            "attribute": "colour",
            "source": "bob",
            "value": "green",
            "weight": None,
            "Age": None,
            "age": None,
            "is it": None,
        },
    ]
    assert history.plausibility_of(item[:1])["plausibility"].to_pylist() == [0.75, 0.25]
    (part,) = history.all_results("truths")
    assert part["tie"].to_pylist() == [False]
    assert history.summary()["n_contested"] == 1
    assert history.values_by_attribute() == {"colour": (1, 2)}


def test_a_change_that_fails_is_no_change(tmp_path: Path) -> None:
    history = History(tmp_path / "history.sqlite")
    assert history.is_empty
    with history.change():
        filled(history)

    def fail() -> None:
        with history.change():
            history["version"] = 7
            history.items_of(["colour"], ["sea"], add=True)
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        fail()
    assert "version" not in history
    assert history.count("items") == 1
    history.close()
    again = History(tmp_path / "history.sqlite")
    assert not again.is_empty
    assert again.count("claims") == 2
    again.close()


def test_a_history_of_a_later_version_is_refused() -> None:
    history = filled(History())
    history["format"] = 99
    with pytest.raises(InputError, match="has format 99"):
        history.is_empty  # noqa: B018


def test_a_history_of_an_earlier_version_is_refused() -> None:
    history = filled(History())
    history["format"] = 1
    with pytest.raises(InputError, match="an earlier version of veracity"):
        history.is_empty  # noqa: B018


def test_a_history_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"history\.sqlite cannot be opened: unable to open"):
        History(tmp_path / "missing" / "history.sqlite")
