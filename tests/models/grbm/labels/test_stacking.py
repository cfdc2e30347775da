"""Questions, stacking and recalibration, by themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.worlds import BOOLEAN, CLOSED, world

from veracity.data.arrays import Floats, Mask
from veracity.models.grbm.labels.questions import Answers, Questions
from veracity.models.grbm.labels.recalibration import Recalibration
from veracity.models.grbm.labels.stacking import Stack, likelihood, stack_share


def questions_of(sizes: list[int], two_sided: list[bool] | None = None) -> Questions:
    """Return questions with so many statements each."""
    start = np.cumsum([0, *sizes[:-1]])
    sided = np.array(two_sided or [False] * len(sizes))
    of_statement = np.repeat(np.arange(len(sizes)), sizes)
    return Questions(start, of_statement, np.arange(len(sizes)), sided, np.zeros_like(sided))


def drawn(questions: Questions, seed: int) -> tuple[list[Answers], Mask]:
    rng = np.random.default_rng(seed)
    n, m = len(questions.of_statement), len(questions.start)
    scores = [
        questions.relative(Answers(rng.normal(size=n) * 3, rng.normal(size=m))) for _ in range(3)
    ]
    true = np.zeros(n, np.bool_)
    true[questions.start[: m - m // 4]] = True  # of the others, no claimed value is true
    return scores, true


def test_probabilities_of_answers_add_up_to_one() -> None:
    questions = questions_of([1, 3, 2, 4])
    (scores, *_), _ = drawn(questions, 0)
    p = questions.softmax(scores)
    total = np.add.reduceat(p.statement, questions.start) + p.none
    assert total == pytest.approx(np.ones(4))
    by_hand = np.exp([*scores.statement[1:4], scores.none[1]])
    assert p.statement[1:4] == pytest.approx((by_hand / by_hand.sum())[:3])


def test_claim_matrices_become_questions() -> None:
    closed = Questions.of(world([0.8] * 4, 20, attribute=CLOSED).claims.matrix)
    boolean = Questions.of(world([0.8] * 4, 20, n_values=2, attribute=BOOLEAN).claims.matrix)
    assert len(closed.start) == len(boolean.start) == 20
    assert not closed.is_two_sided.any()
    assert boolean.is_two_sided.all()


def test_weights_are_the_maximum_and_never_negative() -> None:
    questions = questions_of([2, 3, 2, 4] * 10)
    scores, true = drawn(questions, 1)
    stack = Stack.fit(questions, scores, true, 40)
    assert (stack.weights >= 0).all()

    def loss(weights: Floats, bias: float) -> float:
        p = Stack(weights, bias).probabilities(questions, scores)
        away = weights - np.array([0.5, 0.3, 0.2])
        penalty = 0.5 * (5.0 * (away**2).sum() + 4.0 * bias**2)
        return float(penalty - np.log(likelihood(questions, p, true)).sum())

    best = loss(stack.weights, stack.bias)
    rng = np.random.default_rng(2)
    for _ in range(200):
        step = rng.normal(size=4) * 0.02
        near = np.maximum(stack.weights + step[:3], 0.0)
        assert loss(near, stack.bias + step[3]) >= best - 1e-6


def test_a_judge_that_foretells_labels_gets_the_weight() -> None:
    questions = questions_of([3] * 200)
    scores, true = drawn(questions, 3)
    right = Answers(np.where(true, 0.0, -3.0), np.where(np.arange(200) >= 150, 0.0, -3.0))
    stack = Stack.fit(questions, [scores[0], right, scores[2]], true, 200)
    assert stack.weights[1] > 1.0
    assert max(stack.weights[0], stack.weights[2]) < 0.1


def test_labels_say_whom_to_believe() -> None:
    questions = questions_of([2] * 30)
    true = np.zeros(60, np.bool_)
    true[::2] = True
    good = Answers(np.tile([0.8, 0.1], 30), np.full(30, 0.1))
    bad = Answers(np.tile([0.1, 0.8], 30), np.full(30, 0.1))
    for_stack = stack_share(questions, bad, good, true, 30)
    for_default = stack_share(questions, good, bad, true, 30)
    assert for_stack > 0.85
    assert for_default < 0.3
    assert stack_share(questions, good, good, true, 15) == pytest.approx(0.5)


@given(shift=st.floats(-4, 4), scale=st.floats(0, 3), seed=st.integers(0, 99))
def test_recalibration_keeps_the_verdict_and_the_sum(shift: float, scale: float, seed: int) -> None:
    questions = questions_of([1, 2, 3, 1, 1], [False, False, False, True, True])
    (scores, *_), _ = drawn(questions, seed)
    p = questions.softmax(scores)
    after = Recalibration(shift, scale).apply(questions, p)
    total = np.add.reduceat(after.statement, questions.start) + after.none
    assert total == pytest.approx(np.ones(5), abs=1e-5)
    best, _ = questions.believed(p)
    now = np.maximum.reduceat(after.statement, questions.start)
    assert after.statement[best] == pytest.approx(now, abs=1e-9)
    said_no = p.none[3:] > p.statement[questions.start[3:]]
    assert ((after.none[3:] >= after.statement[questions.start[3:]] - 1e-9) | ~said_no).all()


def test_no_recalibration_changes_nothing() -> None:
    questions = questions_of([1, 2, 3])
    (scores, *_), _ = drawn(questions, 5)
    p = questions.softmax(scores)
    after = Recalibration().apply(questions, p)
    assert after.statement == pytest.approx(p.statement)
    assert after.none == pytest.approx(p.none)


def test_three_labels_change_little_and_three_hundred_decide() -> None:
    rng = np.random.default_rng(0)
    sure = np.full(300, 0.95)
    is_right = rng.random(300) < 0.6
    few, many = (Recalibration.fit(sure[:n], is_right[:n]) for n in (3, 300))
    questions = questions_of([1])
    p = Answers(np.array([0.95]), np.array([0.05]))
    assert few.apply(questions, p).statement[0] > 0.85
    assert many.apply(questions, p).statement[0] == pytest.approx(is_right.mean(), abs=0.04)
