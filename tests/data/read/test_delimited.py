"""CSV in all its forms, and what is said about those that cannot be read."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import Row, as_columns, labels, rows

from veracity import Claims
from veracity.errors import InputError, InvalidParameter

HEADER = "source,entity,value\n"


def _write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def _rows(claims: Claims) -> list[tuple[str, str, str]]:
    table = claims.to_arrow()
    roles = ("source", "entity", "value")
    return list(zip(*(table[role].to_pylist() for role in roles), strict=True))


@given(claims=rows(), newline=st.sampled_from(["\n", "\r\n"]))
def test_csv_round_trip_equals_frame(
    tmp_path_factory: pytest.TempPathFactory, claims: list[Row], newline: str
) -> None:
    path = tmp_path_factory.mktemp("csv") / "claims.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator=newline, quoting=csv.QUOTE_ALL)
        writer.writerow(as_columns(claims))
        writer.writerows(claims)
    assert Claims.read(path).to_arrow() == Claims.from_frame(as_columns(claims)).to_arrow()


@given(claims=rows(values=labels), data=st.data())
def test_several_files_equal_one(
    tmp_path_factory: pytest.TempPathFactory, claims: list[Row], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(1, len(claims)))
    folder = tmp_path_factory.mktemp("csv")
    for name, part in (("a.csv", claims[:cut]), ("b.csv", claims[cut:])):
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL)
            writer.writerow(as_columns(claims))
            writer.writerows(part)
    assert Claims.read(folder).to_arrow() == Claims.from_frame(as_columns(claims)).to_arrow()


def test_values_are_text_as_given(tmp_path: Path) -> None:
    cells = ["007", "1.0", "1", "NA", "null", "true", "1e3", "+5", " x "]
    text = HEADER + "".join(f"s{i},e,{cell}\n" for i, cell in enumerate(cells))
    claims = Claims.read(_write(tmp_path / "claims.csv", text))
    assert claims.to_arrow()["value"].to_pylist() == cells


def test_blank_lines_and_a_missing_last_newline(tmp_path: Path) -> None:
    path = _write(tmp_path / "claims.csv", HEADER + "a,x,1\n\nb,x,2")
    assert _rows(Claims.read(path)) == [("a", "x", "1"), ("b", "x", "2")]


@pytest.mark.parametrize("delimiter", [";", "|", "\t", ","])
def test_delimiter_is_found_in_the_header(tmp_path: Path, delimiter: str) -> None:
    text = (HEADER + 'a,x,"1"\n').replace(",", delimiter)
    assert _rows(Claims.read(_write(tmp_path / "c.csv", text))) == [("a", "x", "1")]


def test_delimiter_may_be_given(tmp_path: Path) -> None:
    path = _write(tmp_path / "claims.csv", "source^entity^value\na,b^x^1\n")
    assert _rows(Claims.read(path, delimiter="^")) == [("a,b", "x", "1")]
    with pytest.raises(InvalidParameter, match="one character"):
        Claims.read(path, delimiter="^^")


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16"])
def test_other_encodings_can_be_chosen(tmp_path: Path, encoding: str) -> None:
    path = _write(tmp_path / "claims.csv", (HEADER + "zoë,café,naïve\n").encode(encoding))
    assert _rows(Claims.read(path, encoding=encoding)) == [("zoë", "café", "naïve")]


def test_bytes_that_are_not_utf8_are_shown_with_their_line(tmp_path: Path) -> None:
    path = _write(tmp_path / "claims.csv", HEADER.encode() + b"a,x,1\nb,x,caf\xe9\n")
    with pytest.raises(InputError, match=r"claims.csv, line 3: .*--encoding latin-1"):
        Claims.read(path)


def test_header_that_is_not_utf8(tmp_path: Path) -> None:
    path = _write(tmp_path / "claims.csv", b"source,entity,valu\xe9\na,x,1\n")
    with pytest.raises(InputError, match="line 1: byte 0xe9 at position 18 is not UTF-8"):
        Claims.read(path)


def test_wrong_encodings_are_refused(tmp_path: Path) -> None:
    path = _write(tmp_path / "claims.csv", HEADER + "a,x,é\n")
    with pytest.raises(InvalidParameter, match="no encoding 'utf-9'"):
        Claims.read(path, encoding="utf-9")
    with pytest.raises(InputError, match=r"not utf-16 text|is empty"):
        Claims.read(_write(tmp_path / "odd.csv", HEADER + "a,x,éé\n"), encoding="utf-16")


RAGGED = HEADER + "a,x,1\nb,x\nc,x,1,2\nd,x,2\n"


def test_ragged_rows_are_counted_and_shown(tmp_path: Path) -> None:
    path = _write(tmp_path / "claims.csv", RAGGED)
    with pytest.raises(
        InputError, match=r"2 rows without exactly 3 cells \(claims.csv line 3: 'b,x.*line 4"
    ):
        Claims.read(path)


def test_ragged_rows_may_be_skipped(tmp_path: Path) -> None:
    claims = Claims.read(_write(tmp_path / "claims.csv", RAGGED), ragged="skip")
    assert _rows(claims) == [("a", "x", "1"), ("d", "x", "2")]
    (note,) = [note for note in claims.notes if note.subject == "ragged"]
    assert note.count == 2


def test_ragged_has_two_values(tmp_path: Path) -> None:
    path = _write(tmp_path / "claims.csv", RAGGED)
    with pytest.raises(InvalidParameter, match="strict or skip"):
        Claims.read(path, ragged="maybe")  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        (HEADER, "header but no claims"),
        ("source,entity,value,\na,x,1,\n", "column 4 of the header has no name"),
        ("source,entity,value,value\na,x,1,2\n", "several columns named value"),
        (HEADER + ",x,1\n", "no claim is left"),
    ],
)
def test_files_without_claims(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Claims.read(_write(tmp_path / "claims.csv", text))


def test_files_read_together_need_the_same_header(tmp_path: Path) -> None:
    _write(tmp_path / "a.csv", HEADER + "a,x,1\n")
    _write(tmp_path / "b.csv", "source,entity,label\na,x,1\n")
    with pytest.raises(InputError, match="need the same header"):
        Claims.read(tmp_path)


def test_a_long_cell_is_read(tmp_path: Path) -> None:
    value = "long " * 600_000
    claims = Claims.read(_write(tmp_path / "claims.csv", HEADER + f"a,x,{value}\n"))
    assert claims.to_arrow()["value"].to_pylist() == [value]
