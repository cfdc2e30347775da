"""Labels as numbers: in the order of the labels, different where they are, and text again."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from veracity.data.labels import short
from veracity.data.labels.short import ShortLabels, label_order

SIGNS = st.sampled_from("ab1-ä日\x01😀")
TEXTS = st.builds(str.__add__, st.sampled_from(["", "x", "task-", "ä" * 9]), st.text(SIGNS))
KINDS = st.sampled_from([pa.string(), pa.large_string()])


@given(texts=st.lists(TEXTS, min_size=1), kind=KINDS, cut=st.integers(0, 5))
def test_numbers_are_labels_in_their_order(texts: list[str], kind: pa.DataType, cut: int) -> None:
    array = pa.array(texts, kind)
    found = ShortLabels.of([array[:cut], array[cut:]])
    encoded = [text.encode() for text in texts]
    n_after = max(map(len, encoded)) - 8
    beginnings = {text[:n_after] for text in encoded}
    if n_after > 0 and (len(beginnings) > 1 or n_after > min(map(len, encoded))):
        assert found is None
        return
    assert found is not None
    assert found.labels().to_pylist() == texts
    by_number = np.argsort(found.numbers, kind="stable").tolist()
    assert by_number == sorted(range(len(texts)), key=lambda place: encoded[place])


@pytest.mark.parametrize(
    "texts",
    [[], ["a", None], ["a", "a\0"], ["123456789", "223456789"], ["abcdefghij", "a"]],
    ids=["none", "missing", "zero", "long", "short beside long"],
)
def test_what_does_not_fit_stays_text(texts: list[str | None]) -> None:
    assert ShortLabels.of([pa.array(texts, pa.string())]) is None


def test_labels_that_share_much_stay_text() -> None:
    # Each shared byte is compared on its own, so that a cell of megabytes would take seconds.
    for n_shared, is_short in ((short.MOST_SHARED, True), (short.MOST_SHARED + 1, False)):
        found = ShortLabels.of([pa.array(["a" * n_shared + "12345678"])])
        assert (found is not None) == is_short


def test_a_late_label_may_begin_otherwise() -> None:
    texts = [f"task-{number:06}" for number in range(2 * short.FEW)]
    assert ShortLabels.of([pa.array(texts)]) is not None
    assert ShortLabels.of([pa.array([*texts, "desk-000001"])]) is None


@pytest.mark.parametrize("begin", ["task-", "a long beginning that all share/"])
@pytest.mark.parametrize("odd", ["zebra", "", "a\0"])
def test_many_labels_are_sorted_as_text_is(begin: str, odd: str) -> None:
    draw = np.random.default_rng(0)
    numbers = draw.permutation(2 * short.MANY)
    texts = [f"{begin}{number}" for number in numbers.tolist()]
    for labels in (texts, [*texts, odd]):
        expected = sorted(range(len(labels)), key=lambda place: labels[place].encode())
        assert label_order(pa.array(labels)).tolist() == expected


@pytest.mark.parametrize("n_labels", [3, 2 * short.MANY])
def test_every_second_label_is_sorted(n_labels: int) -> None:
    numbers = np.random.default_rng(0).permutation(n_labels).tolist()
    texts = [text for number in numbers for text in (f"task-{number}", "between")]
    expected = sorted(range(0, len(texts), 2), key=lambda place: texts[place])
    assert label_order(pa.array(texts), 2).tolist() == expected
