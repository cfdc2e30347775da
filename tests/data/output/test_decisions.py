"""Which verdicts to accept, at a chosen rate of errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.worlds import world

from veracity import GRBM, Claims, MajorityVote
from veracity.data.output.decisions import ACCEPT, REVIEW, UNDECIDED, Decisions, check_error_rate
from veracity.errors import InvalidParameter


def decisions(plausibility: list[float], error_rate: float, ties: list[int] | None = None) -> Any:
    """Decide on verdicts; `ties` are the places of those that are tied."""
    tie = np.zeros(len(plausibility), np.bool_)
    tie[ties or []] = True
    return Decisions.of(np.array(plausibility), tie, error_rate)


def test_as_many_as_can_be_are_accepted_the_most_plausible_first() -> None:
    # Errors to expect of the first so many: 0.01, 0.05, 0.15, 0.35, and 0.05 of each are allowed:
    # 0.05, 0.10, 0.15, 0.20.
    found = decisions([0.8, 0.99, 0.9, 0.96], 0.05)
    assert found.word.tolist() == [REVIEW, ACCEPT, ACCEPT, ACCEPT]
    assert found.expected_errors == pytest.approx(0.15)


def test_less_plausible_than_not_is_undecided_at_any_rate() -> None:
    found = decisions([1.0, 0.49, 0.5], 0.49)
    assert found.word.tolist() == [ACCEPT, UNDECIDED, ACCEPT]


def test_rounding_does_not_decide_on_what_is_as_plausible_as_not() -> None:
    found = decisions([0.5, 0.5 - 1e-16, 0.5 + 1e-16, 0.5 - 1e-6], 0.05)
    assert found.word.tolist() == [REVIEW, REVIEW, REVIEW, UNDECIDED]


def test_a_tie_is_undecided_however_plausible() -> None:
    found = decisions([0.99, 0.99], 0.4, ties=[1])
    assert found.word.tolist() == [ACCEPT, UNDECIDED]
    assert found.expected_errors == pytest.approx(0.01)


def test_equally_plausible_verdicts_are_treated_alike() -> None:
    # At 0.9 one of the three could be accepted beside 0.99 and 0.97, but none has a better claim.
    found = decisions([0.99, 0.9, 0.97, 0.9, 0.9], 0.05)
    assert found.word.tolist() == [ACCEPT, REVIEW, ACCEPT, REVIEW, REVIEW]
    assert found.expected_errors == pytest.approx(0.04)


def test_where_nothing_can_be_accepted_no_errors_are_expected() -> None:
    found = decisions([0.9, 0.3], 0.05)
    assert found.word.tolist() == [REVIEW, UNDECIDED]
    assert found.expected_errors == 0.0
    assert decisions([], 0.05).word.tolist() == []


def test_the_note_counts_what_the_words_say() -> None:
    text = str(decisions([0.99, 0.97, 0.8, 0.2], 0.05).note)
    assert (
        "expected error rate of 5 %, 2 verdicts can be accepted, with 0.0 expected errors" in text
    )
    assert "1 is for review and 1 is undecided" in text


@given(
    st.lists(st.sampled_from([0.1, 0.5, 0.6, 0.8, 0.9, 0.95, 0.99, 1.0]), max_size=20),
    st.sampled_from([0.01, 0.05, 0.2, 0.49]),
    st.randoms(use_true_random=False),
)
def test_rates_are_kept_and_order_plays_no_part(
    plausibility: list[float], error_rate: float, random: Any
) -> None:
    found = decisions(plausibility, error_rate)
    accepted = [p for p, word in zip(plausibility, found.word, strict=True) if word == ACCEPT]
    assert found.expected_errors == pytest.approx(sum(1 - p for p in accepted))
    assert found.expected_errors <= error_rate * len(accepted) + 1e-9
    words = dict(zip(plausibility, found.word.tolist(), strict=True))
    assert all(words[p] == word for p, word in zip(plausibility, found.word, strict=True))
    shuffled = random.sample(plausibility, len(plausibility))
    again = decisions(shuffled, error_rate)
    assert all(words[p] == word for p, word in zip(shuffled, again.word, strict=True))
    stricter = decisions(plausibility, error_rate / 2)
    assert set(np.flatnonzero(stricter.word == ACCEPT)) <= set(np.flatnonzero(found.word == ACCEPT))


@pytest.mark.parametrize("error_rate", [0.0, 0.5, -0.1, 1.0, float("nan")])
def test_an_error_rate_that_makes_no_sense_is_refused(error_rate: float) -> None:
    with pytest.raises(InvalidParameter, match=r"error_rate must be more than 0 and less than 0.5"):
        check_error_rate(error_rate)
    drawn = world([0.8] * 4, 5)
    with pytest.raises(InvalidParameter, match="error_rate"):
        GRBM(error_rate=error_rate).fit(drawn.claims)


def test_every_truth_has_a_decision_that_follows_the_error_rate() -> None:
    drawn = world([0.75] * 6 + [0.4] * 4, 120, share=0.5)
    strict, loose = (GRBM(error_rate=rate).fit(drawn.claims) for rate in (0.1, 0.3))
    counts = []
    for model in (strict, loose):
        rows = model.truths_.to_pylist()
        assert {row["decision"] for row in rows} <= {ACCEPT, REVIEW, UNDECIDED}
        assert all(row["decision"] == UNDECIDED for row in rows if row["plausibility"] < 0.5)
        accepted = [row for row in rows if row["decision"] == ACCEPT]
        counts.append(len(accepted))
        expected = sum(1 - row["plausibility"] for row in accepted)
        (note,) = [note for note in model.notes_ if note.subject == "decisions"]
        assert f"{len(accepted):,} verdicts can be accepted" in note.text
        assert f"with {expected:,.1f} expected errors" in note.text
    assert 0 < counts[0] < counts[1]


def test_errors_among_the_accepted_are_no_more_than_expected() -> None:
    """Plausibilities are cautious: how far claims err together is not known."""
    drawn = world([0.7] * 5 + [0.5] * 5, 600, share=0.6, seed=3)
    model = GRBM(error_rate=0.3).fit(drawn.claims)
    accepted = [row for row in model.truths_.to_pylist() if row["decision"] == ACCEPT]
    wrong = sum(drawn.truth[row["entity"]] != row["value"] for row in accepted)
    assert len(accepted) > 300
    assert 0 < wrong <= 0.3 * len(accepted)


def test_what_good_sources_agree_on_is_accepted() -> None:
    drawn = world([0.95] * 10, 120)
    model = GRBM(error_rate=0.05).fit(drawn.claims)
    accepted = [row for row in model.truths_.to_pylist() if row["decision"] == ACCEPT]
    assert len(accepted) > 100
    assert all(drawn.truth[row["entity"]] == row["value"] for row in accepted)


def test_models_without_an_error_rate_of_their_own_decide_too() -> None:
    claims = Claims.from_triples([("a", "x", "1"), ("b", "x", "2"), ("a", "y", "1")])
    model = MajorityVote().fit(claims)
    words = {row["entity"]: row["decision"] for row in model.truths_.to_pylist()}
    assert words == {"x": UNDECIDED, "y": REVIEW}  # one voice is little
