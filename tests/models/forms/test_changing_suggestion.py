"""The note that suggests to judge values as changing."""

import numpy as np
import pytest

from veracity import Claims
from veracity.data.notes import Note
from veracity.engines.local import in_one_block
from veracity.models.forms.changing.suggestion import suggest_changing


def notes_on(rate: float, errors: float, seed: int = 0) -> list[Note]:
    """Return the notes on claims about items that change at a rate."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(150):
        changes = np.sort(rng.uniform(0, 1, rng.poisson(rate)))
        for source in range(8):
            time = rng.random()
            value = (item + int(np.searchsorted(changes, time))) % 7
            if rng.random() < errors:
                value = int(rng.integers(7))
            rows.append((f"s{source}", f"e{item}", f"v{value}", time))
    columns = ("source", "entity", "value", "time")
    claims = Claims.from_frame({name: [row[i] for row in rows] for i, name in enumerate(columns)})
    return suggest_changing(in_one_block(claims))


def test_values_that_change_are_suggested() -> None:
    (note,) = notes_on(rate=1.0, errors=0.1)
    assert note.subject == "changing"
    assert "--changing value" in note.text


@pytest.mark.parametrize("errors", [0.1, 0.5])
@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_suggested_where_time_carries_nothing(errors: float, seed: int) -> None:
    assert notes_on(rate=0.0, errors=errors, seed=seed) == []


def test_nothing_is_suggested_without_times() -> None:
    claims = Claims.from_triples([("a", "x", "1"), ("b", "x", "2")])
    assert suggest_changing(in_one_block(claims)) == []
