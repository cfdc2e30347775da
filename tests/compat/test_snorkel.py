"""LabelModel and LFAnalysis take what Snorkel takes, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from veracity.compat import snorkel
from veracity.compat.snorkel import LabelModel, LFAnalysis
from veracity.data.arrays import Floats, Indices
from veracity.errors import InputError, InvalidParameter, NotFitted, OutputError

#: Rows: agreement, nobody, conflict, one vote, three votes.
SMALL = np.array([[-1, 0, 0], [-1, -1, -1], [1, 0, -1], [-1, 0, -1], [0, 0, 0]])


def drawn_votes(n_rows: int = 300, n_classes: int = 2, seed: int = 0) -> tuple[Indices, Indices]:
    """Draw votes of five functions, which abstain in 40 % of cases, and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_classes, size=n_rows)
    right = rng.random((n_rows, 5)) < rng.uniform(0.65, 0.95, 5)
    other = (truth[:, None] + rng.integers(1, n_classes, (n_rows, 5))) % n_classes
    votes = np.where(right, truth[:, None], other)
    votes[rng.random((n_rows, 5)) < 0.4] = -1
    votes[0] = -1
    return votes, truth


@pytest.fixture(scope="module")
def votes() -> tuple[Indices, Indices]:
    return drawn_votes()


@pytest.fixture(scope="module")
def probabilities(votes: tuple[Indices, Indices]) -> Floats:
    return LabelModel(verbose=False).fit(votes[0]).predict_proba(votes[0])


def test_probabilities_are_probabilities_and_good(
    votes: tuple[Indices, Indices], probabilities: Floats
) -> None:
    assert probabilities.shape == (300, 2)
    assert np.allclose(probabilities.sum(axis=1), 1.0)
    assert (probabilities.argmax(axis=1) == votes[1]).mean() > 0.8


def test_all_shapes_of_a_label_matrix_give_the_same(
    votes: tuple[Indices, Indices], probabilities: Floats
) -> None:
    pandas = pytest.importorskip("pandas")
    matrix = votes[0]
    where = np.nonzero(matrix != -1)
    sparse = scipy.sparse.coo_matrix((matrix[where], where), shape=matrix.shape).tocsr()
    triples = [(i, j, int(matrix[i, j])) for i in range(300) for j in range(5)]
    long = pandas.DataFrame(triples, columns=["item", "source", "label"])
    frame = pandas.DataFrame(matrix, columns=["a", "b", "c", "d", "e"])
    for shape in (sparse, triples, long, frame, frame.replace(-1, np.nan), matrix.tolist()):
        found = LabelModel().fit(shape).predict_proba(shape)
        assert np.allclose(found, probabilities, atol=1e-9)


def test_labels_may_be_texts(votes: tuple[Indices, Indices], probabilities: Floats) -> None:
    words = np.array(["ham", "spam", None], object)[votes[0]]
    model = LabelModel().fit(words)
    assert model.classes_ == ["ham", "spam"]
    assert np.allclose(model.predict_proba(words), probabilities, atol=1e-9)
    truth = np.array(["ham", "spam"], object)[votes[1]]
    assert set(model.predict(words)) <= {"ham", "spam", None}
    assert model.score(words, truth)["accuracy"] > 0.8


def test_rows_without_votes_get_the_class_balance(votes: tuple[Indices, Indices]) -> None:
    matrix = votes[0]
    model = LabelModel().fit(matrix, class_balance=[0.7, 0.3])
    assert np.allclose(model.predict_proba(matrix)[0], [0.7, 0.3])
    assert np.allclose(model.predict_proba(np.full((2, 5), -1)), [0.7, 0.3])
    learned = LabelModel().fit(matrix)
    assert np.allclose(learned.predict_proba(matrix)[0], learned.class_balance_)
    counted = LabelModel().fit(matrix, Y_dev=np.array([0, 0, 0, 1]))
    assert np.allclose(counted.class_balance_, [0.75, 0.25])


def test_a_class_balance_moves_probabilities(votes: tuple[Indices, Indices]) -> None:
    matrix = votes[0][1:]
    low, high = (LabelModel().fit(matrix, class_balance=[1 - p, p]) for p in (0.2, 0.8))
    difference = high.predict_proba(matrix)[:, 1] - low.predict_proba(matrix)[:, 1]
    assert difference.mean() > 0.05


@pytest.mark.parametrize("n_functions", [1, 2])
def test_few_functions_are_enough(votes: tuple[Indices, Indices], n_functions: int) -> None:
    matrix = votes[0][:, :n_functions]
    found = LabelModel().fit(matrix).predict(matrix)
    agrees = found[matrix[:, 0] != -1] == matrix[matrix[:, 0] != -1, 0]
    assert agrees.mean() > 0.5


def test_new_and_missing_columns_are_judged(votes: tuple[Indices, Indices]) -> None:
    pandas = pytest.importorskip("pandas")
    model = LabelModel().fit(pandas.DataFrame(votes[0], columns=list("abcde")))
    assert model.predict_proba(pandas.DataFrame({"new": [1, 0], "a": [1, -1]})).shape == (2, 2)
    assert model.predict(np.array([[1, 1, 1, 1, 1, 1, 1]])).tolist() == [1]
    assert model.predict(np.array([[0, 0]])).tolist() == [0]


def test_more_classes_than_anybody_votes_for() -> None:
    matrix, _ = drawn_votes(100)
    found = LabelModel(cardinality=4).fit(matrix).predict_proba(matrix)
    assert found.shape == (100, 4)
    assert np.allclose(found.sum(axis=1), 1.0)


def test_weights_and_conditional_probabilities(votes: tuple[Indices, Indices]) -> None:
    matrix, truth = votes
    silent = np.column_stack([matrix, np.full(300, -1)])
    model = LabelModel().fit(silent)
    weights, tables = model.get_weights(), model.get_conditional_probs()
    assert weights[5] == 0.5
    actual = LFAnalysis(matrix).lf_empirical_accuracies(truth)
    assert np.corrcoef(weights[:5], actual)[0, 1] > 0.8
    assert tables.shape == (6, 3, 2)
    assert np.allclose(tables.sum(axis=1), 1.0)
    assert np.allclose(tables[5, 0], 1.0)
    assert np.allclose(tables[:5], LFAnalysis(matrix).lf_empirical_probs(truth, 2), atol=0.15)


def test_ties_are_broken_as_asked() -> None:
    model = LabelModel().fit(drawn_votes(60)[0], class_balance=[0.5, 0.5])
    nobody = np.full((200, 5), -1)
    assert set(model.predict(nobody)) == {-1}
    first = model.predict(nobody, tie_break_policy="random")
    assert set(first) == {0, 1}
    assert (first == model.predict(nobody, tie_break_policy="random")).all()
    assert set(model.predict(nobody, tie_break_policy="true-random")) == {0, 1}
    labels, probabilities = model.predict(nobody, return_probs=True)
    assert len(labels) == len(probabilities)


def test_scores_are_those_of_scikit_learn(votes: tuple[Indices, Indices]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    matrix, truth = votes
    model = LabelModel().fit(matrix)
    found, probabilities = model.predict(matrix, return_probs=True, tie_break_policy="random")
    names = ["accuracy", "precision", "recall", "f1", "f1_macro", "f1_micro", "matthews_corrcoef"]
    names += ["roc_auc", "coverage"]
    scores = model.score(matrix, truth, names, tie_break_policy="random")
    assert scores["accuracy"] == pytest.approx(metrics.accuracy_score(truth, found))
    assert scores["precision"] == pytest.approx(metrics.precision_score(truth, found))
    assert scores["recall"] == pytest.approx(metrics.recall_score(truth, found))
    assert scores["f1"] == pytest.approx(metrics.f1_score(truth, found))
    assert scores["f1_macro"] == pytest.approx(metrics.f1_score(truth, found, average="macro"))
    assert scores["f1_micro"] == pytest.approx(metrics.f1_score(truth, found, average="micro"))
    assert scores["matthews_corrcoef"] == pytest.approx(metrics.matthews_corrcoef(truth, found))
    assert scores["roc_auc"] == pytest.approx(metrics.roc_auc_score(truth, probabilities[:, 1]))
    assert scores["coverage"] == 1.0


def test_a_saved_model_judges_as_before(votes: tuple[Indices, Indices], tmp_path: Path) -> None:
    matrix = votes[0]
    model = LabelModel().fit(matrix)
    model.save(tmp_path / "saved")
    model.save(tmp_path / "saved")  # as Snorkel does, without asking
    other = LabelModel(cardinality=7)
    other.load(tmp_path / "saved")
    assert other.cardinality == 2
    assert np.array_equal(other.predict_proba(matrix), model.predict_proba(matrix))
    assert np.array_equal(other.get_weights(), model.get_weights())
    assert np.array_equal(other.get_conditional_probs(), model.get_conditional_probs())


def test_saving_spares_folders_of_others(votes: tuple[Indices, Indices], tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(OutputError):
        LabelModel().fit(votes[0]).save(tmp_path)
    assert (tmp_path / "mine.txt").read_text() == "mine"
    with pytest.raises(InputError, match="no saved label model"):
        LabelModel().load(tmp_path)


def test_analysis_by_hand() -> None:
    found = LFAnalysis(SMALL)
    assert found.label_coverage() == 0.8
    assert found.label_overlap() == 0.6
    assert found.label_conflict() == 0.2
    assert found.lf_polarities() == [[0, 1], [0], [0]]
    assert np.allclose(found.lf_coverages(), [0.4, 0.8, 0.4])
    assert np.allclose(found.lf_overlaps(), [0.4, 0.6, 0.4])
    assert np.allclose(found.lf_overlaps(normalize_by_coverage=True), [1.0, 0.75, 1.0])
    assert np.allclose(found.lf_conflicts(), [0.2, 0.2, 0.0])
    assert np.allclose(found.lf_conflicts(normalize_by_overlaps=True), [0.5, 1 / 3, 0.0])


def test_summary_has_the_columns_of_snorkel() -> None:
    pytest.importorskip("pandas")
    truth = np.array([0, 1, 1, 0, 1])
    found = LFAnalysis(SMALL, lfs=["a", "b", "c"]).lf_summary(truth, est_weights=[0.1, 0.2, 0.3])
    assert found.columns.tolist() == [
        "j", "Polarity", "Coverage", "Overlaps", "Conflicts", "Correct", "Incorrect", "Emp. Acc.",
        "Learned Weight",
    ]  # fmt: skip
    assert found.index.tolist() == ["a", "b", "c"]
    assert found["Correct"].tolist() == [1, 2, 1]
    assert found["Incorrect"].tolist() == [1, 2, 1]
    assert found["Emp. Acc."].tolist() == [0.5, 0.5, 0.5]
    assert LFAnalysis(SMALL).lf_summary().columns.tolist() == [
        "Polarity", "Coverage", "Overlaps", "Conflicts",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: LabelModel(**{"cardinalty": 3}),  # type: ignore[arg-type]
            "did you mean 'cardinality'",
        ),
        (lambda: LabelModel().fit(SMALL, n_epoch=3), "did you mean 'n_epochs'"),
        (lambda: LabelModel().fit(SMALL + 1), "Set cardinality=3"),
        (lambda: LabelModel().fit([["a", "b", "c"]]), "Set cardinality=3"),
        (lambda: LabelModel().fit(np.full((2, 2), -1)), "has no votes"),
        (lambda: LabelModel().fit(np.zeros(3)), "1 dimensions"),
        (lambda: LabelModel().fit(SMALL, class_balance=[1.0]), "2 positive numbers"),
        (lambda: LabelModel().fit(SMALL, Y_dev=[0, 0]), "lacks a class"),
        (lambda: LabelModel().predict(SMALL), "not fitted"),
        (lambda: LabelModel().fit(SMALL).predict(SMALL + 5), "not seen"),
        (lambda: LabelModel().fit(SMALL).score(SMALL, [0]), "must have 5 labels"),
        (lambda: LabelModel().fit(SMALL).score(SMALL, [0] * 5, ["acuracy"]), "'accuracy'"),
        (lambda: LFAnalysis(SMALL, lfs=["a"]), "as many lfs as columns"),
        (lambda: snorkel.MajorityLabelVoter, "does not offer"),
    ],
)
def test_errors_say_what_to_do(call: Any, message: str) -> None:
    with pytest.raises((InputError, InvalidParameter, NotFitted, AttributeError), match=message):
        call()
