"""Plain CSV files are cut up as DuckDB reads them, and all others are left to it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from veracity import Claims
from veracity.data.read import file_lines, plain_cells
from veracity.data.read.coded_column import CodedColumn
from veracity.data.read.delimited import open_delimited
from veracity.data.read.dictionaries import Column
from veracity.data.read.workbench import Workbench
from veracity.errors import InputError

PIECES = ["a", "1", " ", "é", "\\", "\0", ",", '"', "\n", "\r", '""', '","', '"\n"']
TEXT = st.text("ab1 é", max_size=3)
CELLS = st.one_of(
    TEXT, TEXT.map('"{}"'.format), TEXT.map('{}"'.format), TEXT.map('"{}"x'.format), st.just("a,b")
)
ROWS = st.lists(st.lists(CELLS, min_size=2, max_size=2).map(",".join), max_size=4)
BODIES = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.builds(str.__add__, ROWS.map("\n".join), st.sampled_from(["", "\n", "\n\n"])),
)
#: Files from so many bytes on are large: all, and none.
SIZES = {"large": 0, "small": 1 << 40}
HEADERS = st.sampled_from(["x,y\n", '"x","y"\n', '"x\n",y\n', '"x,y\nz",y\n', "\ufeffx,y\n"])


def cut_out(paths: list[Path], names: list[str], wanted: list[str]) -> pa.Table | None:
    """Return columns of plain files."""
    found = plain_cells.read_plain(paths, names, ",", wanted)
    return None if found is None else as_table(found)


def as_table(columns: Mapping[str, Column]) -> pa.Table:
    """Return columns as text."""
    return pa.table(
        {
            name: column.cells().cast(pa.string()) if isinstance(column, CodedColumn) else column
            for name, column in columns.items()
        }
    )


def read_both(path: Path) -> tuple[pa.Table | None, pa.Table | str]:
    """Return the cells of a file of two columns, and what DuckDB reads or says about it."""
    with Workbench() as workbench:
        names, relation, check, cells = open_delimited(workbench, [path], "utf-8", ",", "strict")
        columns = cells([f"c{place}" for place in range(len(names))])
        found = None if columns is None else as_table(columns)
        try:
            read = workbench.arrow(relation)
            assert check() == []
        except (duckdb.Error, InputError) as error:
            return found, str(error)
        return found, read


def filled(table: pa.Table) -> list[list[str | None]]:
    """Return the cells of a table, row by row; empty ones are missing."""
    return [[cell or None for cell in row.values()] for row in table.to_pylist()]


@pytest.fixture(params=list(SIZES.values()), ids=list(SIZES))
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take all files for large ones, or for small ones."""
    monkeypatch.setattr(plain_cells, "LARGE", request.param)


@pytest.mark.parametrize("large", SIZES.values(), ids=SIZES)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    header=HEADERS,
    body=BODIES,
    at_once=st.sampled_from([1, 2, 3, 7, 1 << 19]),
    ending=st.sampled_from(["\n", "\r\n"]),
)
def test_what_is_cut_out_is_what_duckdb_reads(
    tmp_path: Path, large: int, header: str, body: str, at_once: int, ending: str
) -> None:
    path = tmp_path / "claims.csv"
    text = (header + body).replace("\n", ending)
    path.write_text(text, encoding="utf-8", newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_lines, "AT_ONCE", at_once)
        patch.setattr(plain_cells, "LARGE", large)
        found, read = read_both(path)
    if found is not None:
        assert not isinstance(read, str), read
        assert filled(found) == filled(read)


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize(
    "text",
    [
        "x,y\na,b\nc,d\n",
        "x,y\na,b",
        "x,y\n\na,b\n\n",
        "x,y\r\na,b\r\n",
        "x,y\r\n\r\na,b\r\n\r\n\r\nc,d",
        '"x","y"\r\n"a","b"\r\n',
        '"x","y"\n"a","b"\n',
        'x,y\n"a",b\nc,"d"\n',
        'x,y\n"",b\n',
        'x,y\n\n"a",b\n\n\n"c","d"\n',
        'x,y\na,"' + 2000 * "b" + '"\n',
        "x,y\né,日本\n",
    ],
)
def test_plain_files_need_no_sql(tmp_path: Path, text: str) -> None:
    path = tmp_path / "claims.csv"
    path.write_text(text, encoding="utf-8", newline="")
    found, read = read_both(path)
    assert found is not None
    assert not isinstance(read, str)
    assert filled(found) == filled(read)


@pytest.mark.parametrize(
    "text",
    [
        'x,y\n"a,b",c\n',
        'x,y\n"a\nb",c\n',
        'x,y\r\n"a\r\n\nb",c\r\n',
        'x,y\n"a""b",c\n',
        'x,y\n"""a""","c"""\n"""","\n"""\n',
    ],
)
def test_quotation_marks_may_be_needed_in_large_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    path = tmp_path / "claims.csv"
    path.write_text(text, newline="")
    assert read_both(path)[0] is None
    monkeypatch.setattr(plain_cells, "LARGE", 0)
    found, read = read_both(path)
    assert found is not None
    assert not isinstance(read, str)
    assert filled(found) == filled(read)


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize(
    "text",
    [
        b"x,y\ra,b\r",
        b"x,y\r\na,b\n",
        b"x,y\na,b\r\n",
        b"x,y\r\na,b\rc,d\r\n",
        b'x,y\n"a"b,c\n',
        b'x,y\na",b\n"c"d,e\n',
        b'x,y\na","b',
        b'x,y\na"b,c\n',
        b'x,y\n"a,b\n',
        b'x,y\na,"b\n',
        b'x,y\na,"b""\n',
        b"x,y\na\n",
        b"x,y\na,b,c\n",
        b"x,y\na,\xff\n",
        b'"x,y\nz",y\na,b\n',
        b"x\na\n",
        b'x,y\n",b\n"c"d",e\n',
        b'"x\n",y\na,b\n',
    ],
    ids=str,
)
def test_others_are_left_to_sql(
    tmp_path: Path, text: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_lines, "AT_ONCE", 5)  # quotation marks at the edges of chunks
    path = tmp_path / "claims.csv"
    path.write_bytes(text)
    assert read_both(path)[0] is None


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("at_once", [1, 2, 3, 7])
def test_chunks_end_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(file_lines, "AT_ONCE", at_once)
    path = tmp_path / "claims.csv"
    path.write_bytes('x,y\né,"日本"\n\n𝄞,b'.encode())
    found = cut_out([path], ["x", "y"], ["c0", "c1"])
    assert found is not None
    assert found.to_pydict() == {"c0": ["é", "𝄞"], "c1": ["日本", "b"]}
    for bad in ("𝄞".encode()[:3], b"\xc3a\n", b"\xed\xa0\x80\n", b"a,b\r\n"):
        path.write_bytes("x,y\né,日本\na,b\na,".encode() + bad)
        assert cut_out([path], ["x", "y"], ["c0"]) is None


@pytest.mark.usefixtures("size")
def test_columns_that_nobody_wants_are_looked_at_for_bad_bytes(tmp_path: Path) -> None:
    path = tmp_path / "claims.csv"
    path.write_bytes("x,y\né,b\n".encode())
    found = cut_out([path], ["x", "y"], ["c1"])
    assert found is not None
    assert found.to_pydict() == {"c1": ["b"]}
    path.write_bytes(b"x,y\n\xff,b\n")
    assert cut_out([path], ["x", "y"], ["c1"]) is None


@pytest.mark.usefixtures("size")
def test_one_file_of_several_that_is_not_plain_leaves_all_to_sql(tmp_path: Path) -> None:
    rows = ["source,entity,value\nann,sky,blue\n", 'source,entity,value\nbob,sky,"light, blue"\n']
    for place, text in enumerate([rows[0], rows[0].replace("ann", "eve")]):
        (tmp_path / f"{place}.csv").write_text(text)
    assert Claims.read(tmp_path).matrix.sources.to_pylist() == ["ann", "eve"]
    (tmp_path / "2.csv").write_text(rows[1])
    claims = Claims.read(tmp_path)
    assert claims.matrix.sources.to_pylist() == ["ann", "bob", "eve"]
    assert claims.matrix.values.to_pylist() == ["blue", "light, blue"]


def test_a_bad_byte_after_a_header_with_a_mark_is_told(tmp_path: Path) -> None:
    path = tmp_path / "claims.csv"
    path.write_bytes("\ufeffsource,entity,value\nann,é,a".encode() + b"\xff\n")
    with pytest.raises(InputError, match="line 2: bytes that are not utf-8 text"):
        Claims.read(path)
