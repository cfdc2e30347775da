"""Claims whose labels are read as dictionaries are those that are read row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from veracity import Claims
from veracity.data.read.dictionaries import Cells, LabelSql, no_cells
from veracity.data.read.ingest import ingest
from veracity.data.read.settings import Settings
from veracity.data.read.tables import open_frame
from veracity.data.read.workbench import Workbench
from veracity.errors import InputError

TEXTS = ["", " ", "a", "A", "ä", "1", "1.0", "1.50", "01", "-0", "nan", "日本", "x" * 99]
CELLS = {
    pa.string(): st.sampled_from([None, *TEXTS]),
    pa.large_string(): st.sampled_from([None, *TEXTS]),
    pa.dictionary(pa.int8(), pa.string()): st.sampled_from([None, *TEXTS]),
    pa.int64(): st.sampled_from([None, 0, 1, -1, 10, 9, 2**62]),
    pa.uint8(): st.sampled_from([None, 0, 9, 10, 255]),
    pa.float64(): st.sampled_from([None, 0.0, -0.0, 1.0, 1.5, float("nan"), float("inf"), 1e300]),
    pa.bool_(): st.sampled_from([None, True, False]),
    pa.decimal128(9, 2): st.sampled_from([None, Decimal("1.00"), Decimal("1.50")]),
}


class RowByRow(Workbench):
    """Keeps labels as text, in a table."""

    def keep_claims(
        self,
        labels: Mapping[str, LabelSql],
        others: Sequence[str],
        relation: str,
        cells: Cells = no_cells,
    ) -> None:
        """Keep labels as text."""
        chosen = [*(f"{label.text} AS {role}" for role, label in labels.items()), *others]
        self.step("typed", f"SELECT {', '.join(chosen)} FROM ({relation})")


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Draw a table of claims with cells of all kinds, in one chunk or two."""
    n_rows = draw(st.integers(1, 12))
    names = ["source", "entity", "value", *draw(st.sampled_from([[], ["attribute"]]))]
    columns = {}
    for name in names:
        kind = draw(st.sampled_from(list(CELLS)))
        cells = draw(st.lists(CELLS[kind], min_size=n_rows, max_size=n_rows))
        columns[name] = pa.array(cells, kind)
    table = pa.table(columns)
    cut = draw(st.integers(0, n_rows))
    return pa.concat_tables([table.slice(0, cut), table.slice(cut)]) if cut else table


def read(workbench: Workbench, table: pa.Table, options: Settings) -> Claims | str:
    """Return the claims of a table, or what is wrong with it."""
    with workbench:
        try:
            return Claims(ingest(workbench, open_frame(workbench, table), options))
        except InputError as error:
            return str(error)


def assert_same(one: Any, other: Any) -> None:
    """Compare claims in all that can be seen of them."""
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
        return
    assert one.notes == other.notes
    assert one.attributes == other.attributes
    assert one.to_arrow().equals(other.to_arrow())
    assert one.value_labels.equals(other.value_labels)
    for column in fields(one.matrix):
        mine, theirs = getattr(one.matrix, column.name), getattr(other.matrix, column.name)
        if isinstance(mine, pa.Array):
            assert mine.equals(theirs)
        else:
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize(
    "options", [Settings(), Settings(strip=True, casefold=True), Settings(nulls="error")]
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(table=tables())
def test_dictionaries_change_nothing(table: pa.Table, options: Settings) -> None:
    assert_same(read(Workbench(), table, options), read(RowByRow(), table, options))


def test_unused_words_of_a_dictionary_are_no_labels() -> None:
    words = pa.DictionaryArray.from_arrays(
        pa.array([2, 0, None], pa.int8()), pa.array(["b", "unused", "a", "b"])
    )
    claims = Claims.from_frame({"source": words, "entity": ["x", "x", "x"], "value": ["1"] * 3})
    assert claims.matrix.sources.to_pylist() == ["a", "b"]
    assert any("1 without source" in note.text for note in claims.notes)


def test_words_that_come_twice_in_a_dictionary_are_one_label() -> None:
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(["a", "a"]))
    claims = Claims.from_frame({"source": words, "entity": ["x", "y"], "value": ["1", "2"]})
    assert claims.matrix.sources.to_pylist() == ["a"]


@pytest.mark.parametrize("odd", [None, "", "a name that is longer than eight bytes", "e\0"])
@pytest.mark.parametrize("n_chunks", [1, 3])
def test_many_labels_are_told_apart_as_text_is(odd: str | None, n_chunks: int) -> None:
    draw = np.random.default_rng(0)
    entity = [f"e{number}" for number in draw.integers(0, 40_000, 20_000).tolist()]
    entity[7] = odd if odd is not None else entity[7]
    cells = {"source": [f"s{number % 9}" for number in range(20_000)], "entity": entity}
    whole = pa.table({**cells, "value": [f"v{number % 5}" for number in range(20_000)]})
    size = -(-len(whole) // n_chunks)
    table = pa.concat_tables([whole.slice(first, size) for first in range(0, len(whole), size)])
    assert_same(
        read(Workbench(), table, Settings()), read(RowByRow(), table.combine_chunks(), Settings())
    )


@pytest.mark.parametrize("missing", [False, True])
def test_claims_are_counted_as_rows_are(missing: bool) -> None:
    draw = np.random.default_rng(1)
    cells: dict[str, Any] = {
        role: [f"{role}{number}" for number in draw.integers(0, size, 300).tolist()]
        for role, size in {"source": 5, "entity": 40, "attribute": 30, "value": 50}.items()
    }
    if missing:
        cells |= {
            role: [None if k % 7 == 0 else cell for k, cell in enumerate(cells[role])]
            for role in ("source", "value")
        }
    found: list[Any] = []
    for workbench in (Workbench(), RowByRow()):
        with workbench:
            ingest(workbench, open_frame(workbench, pa.table(cells)), Settings())
            for roles in (["attribute"], ["attribute", "value"], ["value", "entity", "source"]):
                workbench.count_claims("counted", roles)
                named = ", ".join(roles)
                found.append(workbench.rows(f"SELECT {named}, n_claims FROM counted ORDER BY ALL"))
            found.append(workbench.n_filled(["source", "entity", "attribute", "value"]))
    assert found[: len(found) // 2] == found[len(found) // 2 :]
