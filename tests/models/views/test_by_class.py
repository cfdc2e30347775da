"""Votes on questions with classes: what the crowd-label methods share."""

from __future__ import annotations

import numpy as np
import pytest
from tests.claim_rows import ATTRIBUTES
from tests.crowd_peers import CLOSED, columns_of, drawn_labels

from veracity import GLAD, MACE, Attribute, Claims, DawidSkene, OneCoin
from veracity.data.arrays import Floats
from veracity.data.encode.denials import implied_denials
from veracity.data.threads import use_threads
from veracity.models.base import TruthModel
from veracity.models.views.by_class import Ballots
from veracity.models.views.classes import Scales


def every_kind(n_rows: int = 400) -> Claims:
    """Return claims of every kind, with denials and weights."""
    rng = np.random.default_rng(2)
    rows = []
    for _ in range(n_rows):
        attribute = str(rng.choice(["closed", "open", "boolean", "multiple"]))
        words = ["yes", "no"] if attribute == "boolean" else ["1", "2", "3", "4"]
        source, entity = f"s{rng.integers(8)}", f"e{rng.integers(15)}"
        asserts = int(rng.random() < 0.8)
        weight = float(rng.uniform(0.2, 2))
        rows.append((source, entity, attribute, str(rng.choice(words)), asserts, weight))
    names = "source entity attribute value asserts weight"
    told = {name: ATTRIBUTES[name] for name in ("closed", "open", "boolean", "multiple")}
    return Claims.from_frame(columns_of(rows, names), attributes=told)


def test_scales_hold_the_classes_of_attributes() -> None:
    scales = Scales.of(every_kind().matrix)
    assert scales.names == ("boolean", "closed", "multiple")
    assert scales.labels == (("yes", "no"), ("1", "2", "3", "4"), ("yes", "no"))
    assert scales.first.tolist() == [0, 2, 6, 8]
    assert Scales.from_dict(scales.as_dict()) == scales


def test_cells_are_only_what_sources_say() -> None:
    rows = [("a", "x", "1"), ("a", "y", "1"), ("b", "x", "2"), ("b", "y", "3")]
    matrix = Claims.from_frame(columns_of(rows), attributes=CLOSED).matrix
    cells = Ballots.of(matrix, Scales.of(matrix)).cells
    assert list(zip(cells.source.tolist(), cells.said.tolist(), strict=True)) == [
        (0, 0), (1, 1), (1, 2),
    ]  # fmt: skip
    assert cells.width.tolist() == [3, 3, 3]
    assert cells.find(np.array([1, 0]), np.array([0, 0]), np.array([2, 2])).tolist() == [2, -1]


def test_every_claim_counts_once_for_its_source() -> None:
    # A source that speaks of a list of values answers as many questions as there are values.
    claims = every_kind()
    matrix = claims.matrix
    found = Ballots.of(matrix, Scales.of(matrix))
    single = ~matrix.kind_is("multiple")[matrix.item_of_claim] & ~implied_denials(matrix)
    expected = matrix.sum_by_source(np.where(single, matrix.claim_weight, 0.0))
    names = [profile.name for profile in matrix.profiles]
    lists = Scales.of(matrix).names.index("multiple")
    assert "multiple" in names
    cells = found.cells
    given = found.sum_by_source(np.where(cells.scale == lists, 0.0, found.cell_weight))
    assert given == pytest.approx(expected)


@pytest.mark.parametrize(
    "model",
    [
        DawidSkene(max_iter=8, tol=None),
        OneCoin(max_iter=8, tol=None),
        GLAD(max_iter=8, tol=None),
        MACE(n_restarts=1, max_iter=8),
    ],
    ids=lambda model: type(model).__name__,
)
def test_threads_change_nothing(model: TruthModel, monkeypatch: pytest.MonkeyPatch) -> None:
    claims = every_kind()

    def fitted(threads: int) -> Floats:
        with use_threads(threads):
            return model.fit(claims).plausibility_

    alone = fitted(1)
    monkeypatch.setattr("veracity.engines.threads.CLAIMS_PER_THREAD", 13)
    several = fitted(3)
    assert several == pytest.approx(alone, abs=1e-9)
    assert (fitted(3) == several).all()


def test_a_closed_domain_of_very_many_values_gets_no_confusion_matrix() -> None:
    rows = [(s, f"e{i}", f"v{i}") for i in range(300) for s in "abc"]
    model = DawidSkene().fit(Claims.from_frame(columns_of(rows), attributes=CLOSED))
    assert len(model.confusion_) == 0
    assert any("No confusion matrix" in note.text for note in model.notes_)
    assert (model.plausibility_ > 0.9).all()


def test_an_attribute_of_another_kind_than_in_the_fit_is_judged_without_its_classes() -> None:
    rows = drawn_labels()
    model = DawidSkene(prior=0.1).fit(Claims.from_frame(columns_of(rows), attributes=CLOSED))
    lists = Claims.from_frame(columns_of(rows), attributes={"*": Attribute("multiple")})
    found = model.predict_plausibility(lists)["plausibility"].to_numpy()
    assert ((found >= 0) & (found <= 1)).all()
    assert np.ptp(found) > 0.5
