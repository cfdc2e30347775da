"""A list is stated with too many errors in no more draws than promised, whatever the ranking."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from veracity.data.arrays import Mask
from veracity.errors import InvalidParameter
from veracity.evaluation.guarantee import (
    MODEST,
    Limit,
    certify,
    least_audits,
    least_sample,
    prefix_lengths,
)

STRICT = Limit(0.05, 0.95)


def exceeded(wrong: Mask, n_audits: int, limit: Limit, kept: Mask | None = None) -> float:
    """Return the share of all samples whose list has more errors than promised."""
    count = 0
    for sample in combinations(range(len(wrong)), n_audits):
        audited = np.zeros(len(wrong), np.bool_)
        audited[list(sample)] = True
        found = certify(audited, wrong, limit, kept)
        listed = np.arange(len(wrong)) < found.n_ranked
        listed &= True if kept is None else kept
        assert found.n_listed == listed.sum()
        count += int((wrong & listed).sum()) > limit.most_wrong(int(listed.sum()))
    return count / comb(len(wrong), n_audits)


@settings(max_examples=60, deadline=None)
@given(
    data=st.data(),
    n_items=st.integers(2, 9),
    error_rate=st.sampled_from([0.1, 0.2, 0.3, 0.45]),
    confidence=st.sampled_from([0.5, 0.6, 0.75, 0.9]),
)
def test_no_ranking_breaks_the_promise(
    data: st.DataObject, n_items: int, error_rate: float, confidence: float
) -> None:
    flags = st.lists(st.booleans(), min_size=n_items, max_size=n_items).map(np.array)
    wrong = data.draw(flags)
    kept = data.draw(st.none() | flags)
    n_audits = data.draw(st.integers(1, n_items))
    limit = Limit(error_rate, confidence)
    assert exceeded(wrong, n_audits, limit, kept) <= 1 - confidence + 1e-9


def just_above(n_items: int, limit: Limit) -> Mask:
    """Return verdicts of which every prefix has one error too many."""
    allowed = limit.most_wrong(np.arange(1, n_items + 1))
    return np.diff(np.append(0, allowed + 1)) > 0


def above_in_the_middle(n_items: int, limit: Limit) -> Mask:
    """Return verdicts that are fine at the start and at the end, but not between."""
    wrong = np.zeros(n_items, np.bool_)
    first, last = int(0.4 * n_items), int(0.7 * n_items)
    step = int((last - first) / (limit.error_rate * last))
    wrong[first:last:step] = True
    return wrong


@pytest.mark.parametrize("limit", [STRICT, MODEST])
@pytest.mark.parametrize("n_audits", [59, 100, 200])
@pytest.mark.parametrize("ranking", [just_above, above_in_the_middle])
def test_adversarial_rankings_break_it_no_more_often_than_promised(
    limit: Limit, n_audits: int, ranking: object
) -> None:
    assert callable(ranking)
    n_items, n_draws, count = 600, 600, 0
    wrong = ranking(n_items, limit)
    rng = np.random.default_rng(5)
    for _ in range(n_draws):
        audited = np.zeros(n_items, np.bool_)
        audited[rng.permutation(n_items)[:n_audits]] = True
        length = certify(audited, wrong, limit).n_ranked
        count += int(wrong[:length].sum()) > limit.most_wrong(length)
    assert count <= binom.isf(1e-4, n_draws, 1 - limit.confidence)
    assert count < n_draws


def test_least_numbers_of_audits() -> None:
    assert least_audits(STRICT) == 59
    assert least_audits(MODEST) == 22
    for n_items in (1, 7, 30, 100, 100_000):
        found = least_audits(STRICT, n_items)
        bad = STRICT.most_wrong(n_items) + 1
        chances = [comb(n_items - bad, m) / comb(n_items, m) for m in (found - 1, found)]
        assert chances[1] <= 0.05 < chances[0]
    assert least_audits(STRICT, 10**7) == 59
    assert least_sample(10, 3, 2, 0.05) == 10  # only all of them show the third


def test_prefixes_grow_up_to_all_verdicts() -> None:
    for n_items, n_audits in ((300, 51), (1000, 100), (3000, 200), (100_000, 400)):
        lengths = prefix_lengths(n_items, n_audits, STRICT)
        assert lengths[-1] == n_items
        assert (np.diff(lengths) > 0).all()
    assert prefix_lengths(1000, 50, STRICT) == ()
    assert prefix_lengths(0, 0, STRICT) == ()
    starts = [prefix_lengths(100_000, n, STRICT)[0] for n in (59, 100, 400, 1000)]
    assert starts == sorted(starts, reverse=True)  # more audits tell about shorter lists


def marked(n_items: int, n_audits: int, n_wrong: int) -> tuple[Mask, Mask]:
    """Return audits spread evenly over a ranking, the last of them wrong."""
    audited, wrong = (np.zeros(n_items, np.bool_) for _ in range(2))
    places = np.linspace(0, n_items - 1, n_audits).astype(int)
    audited[places] = True
    wrong[places[n_audits - n_wrong :]] = True
    return audited, wrong


def test_what_a_sample_can_carry() -> None:
    for n_items in (70, 1000, 100_000):  # the least number is enough, if none is wrong
        least = least_audits(STRICT, n_items)
        assert certify(*marked(n_items, least, 0), STRICT).n_listed == n_items
        assert certify(*marked(n_items, least - 1, 0), STRICT).n_listed == 0
    found = certify(*marked(100_000, 59, 0), STRICT)
    assert (found.n_listed, found.share, found.failed, found.n_more) == (100_000, 1.0, None, 0)
    assert found.listed is not None
    assert found.listed.p_value == pytest.approx(0.95**59, rel=1e-2)
    few = certify(*marked(100_000, 50, 0), STRICT)
    assert (few.n_listed, few.n_more, few.failed) == (0, 9, None)
    assert certify(*marked(100_000, 50, 0), MODEST).n_listed == 100_000
    with_errors = certify(*marked(100_000, 59, 1), STRICT)
    assert with_errors.listed is None
    assert with_errors.failed is not None
    assert (with_errors.failed.n_wrong, with_errors.failed.n_allowed) == (1, 0)
    assert with_errors.n_more == 34  # 93 audits may have one error


def test_errors_at_the_end_of_the_ranking_end_the_list_there() -> None:
    audited, wrong = marked(1000, 200, 40)
    found = certify(audited, wrong, STRICT)
    assert found.listed is not None
    assert found.failed is not None
    assert 750 < found.n_listed < found.failed.n_ranked < 900
    assert found.listed.n_wrong <= found.listed.n_allowed
    assert found.failed.n_wrong > found.failed.n_allowed
    assert (found.n_audits, found.n_wrong) == (200, 40)


def test_marks_outside_the_sample_are_not_looked_at() -> None:
    audited, wrong = marked(1000, 100, 2)
    everywhere = wrong | ~audited
    assert certify(audited, wrong, STRICT) == certify(audited, everywhere, STRICT)


def test_nothing_to_audit() -> None:
    nothing = np.zeros(0, np.bool_)
    found = certify(nothing, nothing, STRICT)
    assert (found.n_listed, found.share, found.n_more) == (0, 0.0, 59)


def test_all_of_a_small_set_can_be_audited() -> None:
    everything, none = np.ones(12, np.bool_), np.zeros(12, np.bool_)
    assert certify(everything, none, STRICT).n_listed == 12
    last = np.arange(12) == 11
    assert certify(everything, last, Limit(0.1, 0.9)).n_listed == 12
    assert certify(everything, last, STRICT).n_listed < 12


@pytest.mark.parametrize(("error_rate", "confidence"), [(0, 0.9), (0.5, 0.9), (0.1, 1), (0.1, 0.4)])
def test_limits_that_make_no_sense(error_rate: float, confidence: float) -> None:
    with pytest.raises(InvalidParameter, match="must be"):
        Limit(error_rate, confidence)


def test_rounding_costs_nothing() -> None:
    assert Limit(0.29, 0.9).most_wrong(100) == 29
    assert STRICT.level == 0.05
