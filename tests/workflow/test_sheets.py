"""Sheets do not give the verdict away, and are taken as a whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.workflow.audited import colours, saved

from veracity.data.output.write import escape_formulas, table_bytes
from veracity.errors import InputError, InvalidParameter, MissingColumn
from veracity.workflow.audits import Audit
from veracity.workflow.repairs import repair_queue
from veracity.workflow.sheets import nearest, read_sheet, sheet

CLAIMS = {
    "source": ["ann", "bob", "cat", "ann", "ann", "bob", "ann", "bob"],
    "entity": ["=sky"] * 3 + ["book"] * 3 + ["shop"] * 2,
    "attribute": ["colour"] * 3 + ["author"] * 3 + ["open"] * 2,
    "value": ["blue", "blue", "azure", "Kim", "Lee", "=Kim", "yes", "no"],
}


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    """Return the audit of claims of three kinds."""
    return saved(tmp_path / "run", CLAIMS, attributes={"author": "multiple"})


def written(tmp_path: Path, *rows: str) -> Path:
    path = tmp_path / "sheet.csv"
    path.write_text("\n".join(["number,entity,attribute,claimed,value", *rows]), encoding="utf-8")
    return path


def test_a_sheet_lists_the_choices_in_the_order_of_their_text(audit: Audit) -> None:
    items = audit.order(0).tolist()
    rows = sheet(audit.matrix, items, range(1, 4)).to_pylist()
    claimed = {row["entity"]: row["claimed"] for row in rows}
    assert claimed == {"=sky": "azure | blue", "book": "=Kim | Kim | Lee", "shop": "no | yes"}
    assert [row["value"] for row in rows] == [None] * 3
    assert [row["number"] for row in rows] == [1, 2, 3]


def test_marks_skips_and_empty_cells(audit: Audit, tmp_path: Path) -> None:
    path = written(
        tmp_path, "1,=sky,colour,,?", "2,book,author,,Lee", "2,book,author,,Kim", "3,shop,open,,"
    )
    found = read_sheet(path, audit.claims)
    assert found.marks == {("book", "author"): ["Kim", "Lee"]}
    assert found.skips == [("=sky", "colour")]
    assert found.notes == []


def test_escaped_formulas_are_read_as_they_were(audit: Audit, tmp_path: Path) -> None:
    path = written(tmp_path, "1,'=sky,colour,,'=new", "2,book,author,,'=Kim")
    found = read_sheet(path, audit.claims)
    assert found.marks == {("=sky", "colour"): ["=new"], ("book", "author"): ["=Kim"]}


@pytest.mark.parametrize("form", ["csv", "csv.gz", "parquet", "jsonl"])
def test_sheets_of_any_format_come_back(audit: Audit, tmp_path: Path, form: str) -> None:
    import pyarrow as pa

    table = sheet(audit.matrix, [0, 1, 2], [1, 2, 3])
    table = table.set_column(4, "value", pa.array(["?", None, None], pa.string()))
    path = tmp_path / f"sheet.{form}"
    path.write_bytes(table_bytes(escape_formulas(table), form))  # type: ignore[arg-type]
    found = read_sheet(path, audit.claims)
    assert (len(found.skips), found.marks) == (1, {})


def test_values_that_nobody_claims_are_taken_with_a_note(audit: Audit, tmp_path: Path) -> None:
    found = read_sheet(written(tmp_path, "1,=sky,colour,,azur", "2,shop,open,,no"), audit.claims)
    assert found.marks[("=sky", "colour")] == ["azur"]
    (note,) = found.notes
    assert "'azur' for 'colour' of '=sky' (did you mean 'azure'?)" in note.text
    assert note.count == 1


def test_odd_sheets_are_refused_as_a_whole(audit: Audit, tmp_path: Path) -> None:
    for rows, message in (
        (["1,moon,colour,,grey", "2,book,author,,Kim"], "'moon' \\('colour'\\)"),
        (["1,=sky,colour,,blue", "1,=sky,colour,,azure"], "has one true value"),
        (["1,=sky,colour,,blue", "1,=sky,colour,,?"], "nobody can tell"),
        (["1,=sky,colour,,", "2,book,author,,"], "no rows that are filled in"),
    ):
        with pytest.raises(InputError, match=message):
            read_sheet(written(tmp_path, *rows), audit.claims)


def test_a_question_mark_that_is_claimed_is_a_value(tmp_path: Path) -> None:
    claims = {"source": ["a", "b"], "entity": ["x", "x"], "value": ["?", "y"]}
    audit = saved(tmp_path / "run", claims)
    found = read_sheet(written(tmp_path, "1,x,value,,?"), audit.claims)
    assert (found.marks, found.skips) == ({("x", "value"): ["?"]}, [])


def test_nearest() -> None:
    assert nearest("Lodon", ["London", "Paris"]) == "London"
    assert nearest("POSITIVE", ["positive", "negative"]) == "positive"
    assert nearest("18:15", ["17:15"]) == ""
    assert nearest("Rome", ["London"]) == ""


def test_repairs_come_by_what_an_error_costs(tmp_path: Path) -> None:
    claims, truth = colours(60)
    audit = saved(tmp_path / "run", claims)
    plain = repair_queue(audit, 60)
    assert (plain.n_left, plain.n_without_cost, len(plain.items)) == (60, 0, 60)
    assert sorted(plain.expected_cost, reverse=True) == plain.expected_cost.tolist()
    lowest = audit.shown.plausibility[plain.items[0]]
    assert lowest == audit.shown.plausibility.min()
    first = audit.labels(int(plain.items[0]))
    audit.book.put(*first, [truth[first[0]]])
    audit.book.skip(*audit.labels(int(plain.items[1])))
    assert repair_queue(audit, 58).items.tolist() == plain.items[2:].tolist()
    dear = repair_queue(audit, 10, cost="entity_price")
    prices = [int(audit.labels(item)[0].split()[1]) % 7 for item in dear.items.tolist()]
    doubt = 1 - audit.shown.plausibility[dear.items]
    assert dear.expected_cost.tolist() == pytest.approx((doubt * prices).tolist())


def test_items_without_a_cost_come_last(tmp_path: Path) -> None:
    claims, _ = colours(30)
    claims["entity_price"] = [None if price == 6.0 else price for price in claims["entity_price"]]
    audit = saved(tmp_path / "run", claims)
    found = repair_queue(audit, 30, cost="entity_price")
    assert found.n_without_cost == 4
    last = {int(audit.labels(item)[0].split()[1]) % 7 for item in found.items[-4:].tolist()}
    assert last == {6}


def test_costs_that_cannot_be_used(tmp_path: Path) -> None:
    claims, _ = colours(10)
    claims["source_kind"] = ["pro"] * len(claims["source"])
    claims["claim_loss"] = [-1.0] * len(claims["source"])
    audit = saved(tmp_path / "run", claims)
    with pytest.raises(MissingColumn, match="Did you mean 'entity_price'"):
        repair_queue(audit, 5, cost="entity_prize")
    with pytest.raises(InvalidParameter, match="is of type category"):
        repair_queue(audit, 5, cost="source_kind")
    with pytest.raises(InvalidParameter, match="is negative"):
        repair_queue(audit, 5, cost="claim_loss")
    with pytest.raises(InvalidParameter, match="1 or more"):
        repair_queue(audit, 0)
