"""Who speaks several times about an item, and whether that is a list: as counted by hand."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from veracity import Claims
from veracity.data.encode.lists import Speakings

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["ann", "bob"]),
        st.sampled_from(["sky", "sea", "sun"]),
        st.sampled_from(["blue", "green", "red"]),
        st.sampled_from([0, 1, 1, 1]),
        st.sampled_from([1.0, 2.0]),
    ),
    min_size=1,
    max_size=20,
)


@given(rows=ROWS, timed=st.booleans())
def test_speakings_are_those_counted_by_hand(rows: list[tuple[Any, ...]], timed: bool) -> None:
    names = ["source", "entity", "value", "asserts", *(["time"] if timed else [])]
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=False))
    speakings = Speakings.of(Claims.from_frame(columns).coded())

    said: dict[tuple[str, str], dict[float, Counter[str]]] = defaultdict(
        lambda: defaultdict(Counter)
    )
    for source, entity, value, asserts, time in rows:
        if asserts:
            said[source, entity][time if timed else 0.0][value] += 1
    expected = Counter(
        (
            source,
            any(counts.total() > 1 for counts in moments.values()),
            any(len(counts) > 1 and len({*counts.values()}) == 1 for counts in moments.values()),
        )
        for (source, _), moments in said.items()
    )
    sources = sorted({row[0] for row in rows})
    found = zip(speakings.source.tolist(), speakings.again, speakings.lists, strict=True)
    assert Counter((sources[s], bool(again), bool(one)) for s, again, one in found) == expected
