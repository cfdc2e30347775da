"""Prevalence or habit: shares of classes as they are claimed, voted and believed."""

from __future__ import annotations

import numpy as np
import pytest
from tests.worlds import BOOLEAN, CLOSED, world

from veracity import GRBM, Claims
from veracity.data.arrays import Floats
from veracity.models.grbm.class_shares import ClassShares, class_shares, labels_to_settle


def shares(claimed: list[float], voted: list[float], believed: list[float]) -> ClassShares:
    numbers: list[Floats] = [np.array(own) for own in (claimed, voted, believed)]
    return ClassShares("word", ("event", "none"), *numbers)


@pytest.mark.parametrize(
    ("claimed", "voted", "believed", "differs"),
    [
        (0.16, 0.06, 0.30, True),  # a habit, or an error
        (0.16, 0.16, 0.16, False),
        (0.30, 0.05, 0.05, False),  # a vote, too, takes the noise away
        (0.16, 0.02, 0.16, False),  # as often as claimed
        (0.16, 0.14, 0.24, False),  # not enough
    ],
)
def test_when_shares_differ_much(
    claimed: float, voted: float, believed: float, differs: bool
) -> None:
    pairs = [[share, 1 - share] for share in (claimed, voted, believed)]
    assert shares(*pairs).differs == differs


def test_the_note_says_both_numbers_and_how_many_labels_would_settle_it() -> None:
    text = shares([0.16, 0.84], [0.06, 0.94], [0.3, 0.7]).note.text
    assert "'event' in 16 % of their claims about 'word', the model believes it for 30 %" in text
    assert "about 43 randomly chosen labels" in text


def test_labels_are_never_very_few() -> None:
    assert labels_to_settle(1.0, 0.5) == 10


def one_sided(n_items: int = 300) -> Claims:
    """Sources who see only part of what is true: it is yes for half, and they say it for less."""
    rng = np.random.default_rng(0)
    truth = rng.random(n_items) < 0.5
    said = truth & (rng.random((8, n_items)) < 0.45)
    return Claims.from_frame(
        {
            "source": [f"s{source}" for source in range(8) for _ in range(n_items)],
            "entity": [f"e{item}" for _ in range(8) for item in range(n_items)],
            "value": np.where(said, "yes", "no").ravel().tolist(),
        },
        attributes={"*": BOOLEAN},
    )


def test_a_habit_is_the_first_thing_that_a_model_notes() -> None:
    model = GRBM(features="never").fit(one_sided())
    first = model.notes_[0]
    assert first.subject == "trust"
    assert first.text.startswith("Sources say ")
    believed = np.mean([row["value"] == "yes" for row in model.truths_.to_pylist()])
    claimed = np.mean([row["value"] == "yes" for row in model.claims_.to_arrow().to_pylist()])
    class_named = "'yes'" if "'yes'" in first.text else "'no'"
    share = believed if class_named == "'yes'" else 1 - believed
    said = claimed if class_named == "'yes'" else 1 - claimed
    assert f"{class_named} in {100 * said:.0f} % of their claims" in first.text
    assert f"for {100 * share:.0f} % of the items" in first.text


def test_claims_that_agree_give_no_reason() -> None:
    model = GRBM(features="never").fit(world([0.85] * 8, 200, n_values=3).claims)
    assert not any("share a habit" in note.text for note in model.notes_)


def test_few_items_are_left_alone() -> None:
    model = GRBM(features="never").fit(world([0.85] * 8, 60, n_values=3, attribute=CLOSED).claims)
    counts = np.array([[5.0, 5, 5], [10, 3, 2], [2, 3, 10]])
    assert not list(class_shares(model.fitted_model.spec.attributes, counts))
    (found,) = class_shares(model.fitted_model.spec.attributes, 10 * counts)
    assert found.believed == pytest.approx(np.array([2, 3, 10]) / 15)
