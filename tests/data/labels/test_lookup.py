"""Labels are decoded one at a time, found and searched, whatever is in them."""

from __future__ import annotations

import pyarrow as pa
import pytest

from veracity.data.labels.lookup import Labels, bits

WORDS = ["", "plain", "Zoë", "100%", "a_b", "日本", "a\nb", "[x]*", "ÀÉ"]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_labels_are_decoded_also_of_a_slice(kind: pa.DataType) -> None:
    whole = pa.array(WORDS, kind)
    labels = Labels(whole)
    assert [labels[place] for place in range(len(labels))] == WORDS
    part = Labels(whole.slice(2, 4))
    assert [part[place] for place in range(len(part))] == WORDS[2:6]


def test_labels_are_found() -> None:
    labels = Labels(pa.array(WORDS))
    assert [labels.index_of(word) for word in WORDS] == list(range(len(WORDS)))
    assert labels.index_of("nothing of the sort") == -1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%", ["100%"]),
        ("_", ["a_b"]),
        ("ZOË", ["Zoë"]),
        ("àé", ["ÀÉ"]),
        ("[x]*", ["[x]*"]),
        (".", []),
        ("本", ["日本"]),
        ("", WORDS),
    ],
)
def test_a_text_is_searched_as_it_is(text: str, expected: list[str]) -> None:
    found = Labels(pa.array(WORDS)).contain(text)
    assert [word for word, hit in zip(WORDS, found, strict=True) if hit] == expected


def test_bits_of_a_slice() -> None:
    column = pa.array([True, False, True, True] * 5)
    assert bits(column.slice(3, 9)).tolist() == column.slice(3, 9).to_pylist()


def test_labels_in_order_are_found_by_their_places() -> None:
    labels = Labels(pa.array(sorted([*WORDS, "x", "\N{GRINNING FACE}"])))
    wanted = [*WORDS, "nobody", "x", "", "\N{GRINNING FACE}", "zzz", "x"]
    places = labels.places_of(wanted).tolist()
    known = {labels[place]: place for place in range(len(labels))}
    assert places == [known.get(label, -1) for label in wanted]
    assert Labels(pa.array([], pa.string())).places_of(["x"]).tolist() == [-1]
