"""What the others say, against counting one by one."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from veracity.data.clashes.other_numbers import median_of_others
from veracity.data.clashes.others import most_others
from veracity.data.clashes.readings import plain_numbers, read_plain

ANSWERS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=25)


@given(ANSWERS)
def test_most_others_is_the_strict_plurality_without_oneself(
    answers: list[tuple[int, int]],
) -> None:
    answers = sorted(answers, key=lambda answer: answer[0])
    item, value = (np.array(column, np.int64) for column in zip(*answers, strict=True))
    for place, found in enumerate(most_others(item, value)):
        rest = [v for other, (i, v) in enumerate(answers) if i == item[place] and other != place]
        ranked = Counter(rest).most_common(2)
        is_clear = ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1])
        assert found == (ranked[0][0] if is_clear else -1)


def test_median_of_others_leaves_out_oneself_and_what_is_no_number() -> None:
    item = np.array([0, 0, 0, 0, 1, 1])
    number = np.array([5.0, 5.0, 5.0, np.nan, 7.0, np.nan])
    median, spread = median_of_others(item, number)
    np.testing.assert_array_equal(median, [5.0, 5.0, 5.0, 5.0, np.nan, 7.0])
    assert spread.size == 0


def test_many_numbers_are_read_as_one_by_one() -> None:
    texts = ["12", " 1.50 ", "+3", "-4e2", "1,000", "", "abc", "1e999"]
    one_by_one = [np.nan if (read := read_plain(text)) is None else read[0] for text in texts]
    np.testing.assert_array_equal(plain_numbers(texts), one_by_one)
