"""The benchmark of labels judges as the library does, and its page says what was counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from guarantee import labelled, repeat_all
from guarantee_page import labelled_page
from labels_draws import run
from labels_figures import AUDIT, LABELLED, PEER, REPAIR, UNLABELLED, VOTE, Figures, read, write
from labels_fit import FittedOnce
from labels_page import page
from labels_picture import specification

from veracity import GRBM, GroundTruth
from veracity.datasets import synthetic
from veracity.evaluation.guarantee import MODEST, Limit
from veracity.evaluation.metrics import evaluate

DRAWN = synthetic.draw(n_sources=4, n_entities=60, random_state=1)


@pytest.fixture(scope="module")
def base() -> FittedOnce:
    return FittedOnce.of(DRAWN.claims, DRAWN.truth, "drawn")


def test_labels_added_to_a_fit_do_what_a_fit_with_labels_does(base: FittedOnce) -> None:
    items = np.arange(12)
    matrix = base.judged.data.matrix
    entities = matrix.entities.take(matrix.entity_index).to_pylist()
    known = {entities[item] for item in items.tolist()}
    truth = DRAWN.truth.to_arrow()
    some = truth.filter([entity in known for entity in truth["entity"].to_pylist()])
    model = GRBM().fit(DRAWN.claims, known_truth=GroundTruth.from_frame(some))
    rest = np.setdiff1d(np.arange(base.n_items), items)
    shown = model.truths_.to_arrow()
    place = dict(zip(shown["entity"].to_pylist(), shown["plausibility"].to_pylist(), strict=True))
    expected = [place[entities[item]] for item in rest.tolist()]
    judged = base.labelled(base.learn(items))
    np.testing.assert_allclose(judged.plausibility[rest], expected, atol=1e-6)


def test_without_labels_verdicts_are_those_of_the_default(base: FittedOnce) -> None:
    model = GRBM().fit(DRAWN.claims)
    judged = base.unlabelled()
    shown = np.sort(model.truths_.to_arrow()["plausibility"].to_numpy())
    np.testing.assert_allclose(np.sort(judged.plausibility), shown, atol=1e-9)
    expected = evaluate(model.truths_, DRAWN.truth, DRAWN.claims).accuracy
    assert judged.right.mean() == pytest.approx(expected)


def test_all_methods_judge_the_rest(base: FittedOnce) -> None:
    found = {one.key[1:]: one for one in run(base, "drawn", n_draws=2, n_peer_draws=1)}
    assert {key[1] for key in found if key[0] == AUDIT} == {0, 5, 10, 20}
    without, own = found[AUDIT, 0, UNLABELLED], found[AUDIT, 0, LABELLED]
    assert (own.accuracy, own.log_loss, own.accepted) == (
        without.accuracy,
        without.log_loss,
        without.accepted,
    )
    repaired, audited = found[REPAIR, 20, LABELLED], found[AUDIT, 20, LABELLED]
    assert repaired.accuracy_of_all is not None
    assert audited.accuracy_of_all is not None
    assert repaired.accuracy_of_all >= audited.accuracy_of_all - 0.05
    assert (audited.n_draws, repaired.n_draws, audited.n_items) == (2, 1, 60)
    assert found[AUDIT, 20, VOTE].accuracy is not None


def test_lists_are_made_from_rankings_that_learned_from_the_audit(base: FittedOnce) -> None:
    (found,) = repeat_all(labelled(base), 30, [MODEST], 3, "drawn")
    assert (found.n_draws, found.n_items, found.n_audits) == (3, 60, 30)
    assert 0.0 <= found.accepted <= 1.0
    assert found.accuracy > 0.5
    strict = replace(found, part="set", case="drawn", error_rate=Limit().error_rate)
    text = labelled_page([strict, replace(found, part="set", case="drawn")])
    assert f"| drawn | 60 | 30 | 3 | {found.accuracy:.3f} |" in text


def figures() -> list[Figures]:
    """Return figures of two sets; crowd-kit's method applies to one of them."""
    one = Figures(
        "dog", AUDIT, 50, LABELLED, 800, 5, 0.85, 0.4, 0.5, 0.02, 0.86, 0.84, 0.4, 0.2, 0.0
    )
    found = [
        one,
        replace(one, method=UNLABELLED, accuracy=0.8, under_better=None, under_default=None),
        replace(one, method=VOTE, accuracy=0.86, under_better=None, under_default=None),
        replace(one, method=PEER, accuracy=0.81, under_better=None, under_default=None),
    ]
    other = [replace(each, case="cat", accuracy=0.7) for each in found if each.method != PEER]
    left_out = Figures("cat", AUDIT, 0, PEER, 500, 0, left_out="an open domain")
    return [*found, *other, left_out]


def test_the_page_shows_means_losses_and_what_was_left_out() -> None:
    text = page(figures())
    row = "| 50 | default with labels | 2 | .775 | .750 | .400 | 50.0 % | 4.0 % | 20.0 % | 0.0 % |"
    assert row in text
    assert "| 50 | crowd-kit's DawidSkene | 1 | .810 | .800 |" in text
    assert "- cat: an open domain." in text
    assert "| dog | 800 | .800 | .850 | +5.0 | .860 | .810 | 5 |" in text


def test_the_picture_shows_sets_that_all_methods_apply_to() -> None:
    found = [one for one in figures() if one.n_labels]
    rows = specification(found)["data"]["values"]
    assert rows[0]["errors"] == pytest.approx(4.0)
    own = {row["method"]: row["accuracy"] for row in rows}
    assert own == pytest.approx({LABELLED: 85.0, UNLABELLED: 80.0, VOTE: 86.0, PEER: 81.0})


def test_figures_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    assert read(path) == []
    write(figures(), path)
    assert sorted(read(path), key=str) == sorted(figures(), key=str)
