"""Bad input: one clear message, exit code 2, no traceback, nothing written."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

Command = Callable[..., Any]
Write = Callable[[str, str | bytes], Path]

HEADER = "source,entity,value\n"
GOOD = HEADER + "ann,sky,blue\nbob,sky,green\n"


@pytest.fixture
def refused(veracity: Command, tmp_path: Path) -> Callable[..., str]:
    """Run ``discover``, see that it refuses in the way it should, and return what it said."""

    def call(path: object, *options: object) -> str:
        before = sorted(tmp_path.iterdir())
        done = veracity("discover", path, "-o", tmp_path / "out", *options)
        assert done.code == 2, done.err
        assert done.out == ""
        assert done.err.startswith("Error: ")
        assert done.err.count("\n") == 1
        assert "Traceback" not in done.err
        assert sorted(tmp_path.iterdir()) == before
        return str(done.err)

    return call


@pytest.fixture
def accepted(veracity: Command, tmp_path: Path) -> Callable[..., str]:
    """Run ``discover``, see that it succeeds, and return what it printed."""

    def call(path: object, *options: object) -> str:
        done = veracity("discover", path, "-o", tmp_path / "out", "--overwrite", *options)
        assert (done.code, done.err) == (0, "")
        return str(done.out)

    return call


Outcome = Callable[..., str]


# Files that are no tables


def test_missing_file(refused: Outcome, claims: Path) -> None:
    said = refused(claims.with_name("clams.csv"))
    assert "There is no file" in said
    assert "claims.csv" in said


def test_empty_path(refused: Outcome) -> None:
    assert "The path is empty" in refused("")


@pytest.mark.parametrize("content", ["", "\n\n \n"])
def test_empty_file(refused: Outcome, write: Write, content: str) -> None:
    assert "c.csv is empty" in refused(write("c.csv", content))


def test_header_only(refused: Outcome, write: Write) -> None:
    assert "a header but no claims" in refused(write("c.csv", HEADER))


def test_empty_line_before_the_header(refused: Outcome, write: Write) -> None:
    assert "begins with an empty line" in refused(write("c.csv", "\n" + GOOD))


def test_folder_without_tables(refused: Outcome, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert "has no table in it" in refused(tmp_path / "folder")


def test_pattern_without_files(refused: Outcome, tmp_path: Path) -> None:
    assert "No file matches the pattern" in refused(tmp_path / "*.parquet")


def test_unknown_ending(refused: Outcome, write: Write) -> None:
    said = refused(write("claims.docx", GOOD))
    assert "claims.docx" in said
    assert ".csv" in said


def test_spreadsheets(refused: Outcome, write: Write) -> None:
    said = refused(write("claims.xlsm", GOOD))
    assert "claims.xlsm is a spreadsheet" in said
    assert "Save its sheet as CSV" in said


def test_address_that_is_not_read(refused: Outcome) -> None:
    assert "Copy the data to a local file" in refused("https://example.org/claims.csv")


def test_name_that_is_not_text(refused: Outcome, tmp_path: Path) -> None:
    path = tmp_path / "by\udcffte.csv"
    try:
        path.write_text(GOOD)
    except (OSError, UnicodeError):
        pytest.skip("the file system takes no such name")
    assert "is not UTF-8. Rename the file" in refused(path)


def test_truncated_gzip_is_named(refused: Outcome, write: Write) -> None:
    packed = gzip.compress((HEADER + "".join(f"s{i},e,{i * i}\n" for i in range(9999))).encode())
    assert "cut.csv.gz" in refused(write("cut.csv.gz", packed[: len(packed) // 2]))


def test_plain_text_named_gz_is_named(refused: Outcome, write: Write) -> None:
    assert "plain.csv.gz" in refused(write("plain.csv.gz", GOOD))


def test_truncated_parquet_is_named(refused: Outcome, tmp_path: Path) -> None:
    path = tmp_path / "cut.parquet"
    pq.write_table(pa.table({"source": ["a"], "entity": ["b"], "value": ["c"]}), path)
    path.write_bytes(path.read_bytes()[:-40])
    assert "cut.parquet could not be read as Parquet" in refused(path)


def test_csv_named_parquet(refused: Outcome, write: Write) -> None:
    assert "c.parquet could not be read as Parquet" in refused(write("c.parquet", GOOD))


@pytest.mark.parametrize("name", ["c.sqlite", "c.duckdb", "c.arrow", "c.jsonl"])
def test_csv_named_something_else(refused: Outcome, write: Write, name: str) -> None:
    assert name in refused(write(name, GOOD))


def test_json_that_is_not_json_lines(refused: Outcome, write: Write) -> None:
    assert "one object per line" in refused(write("c.json", "[1, 2]"))


# Columns


def test_missing_column_suggests_near_names(refused: Outcome, write: Write) -> None:
    said = refused(write("c.csv", "sorce,entity,value\na,b,c\n"))
    assert "No source column was found" in said
    assert "Did you mean 'sorce'?" in said
    assert "--source COLUMN" in said


def test_one_column(refused: Outcome, write: Write) -> None:
    assert "No entity column" in refused(write("c.csv", "source\na\n"))


def test_given_column_is_not_there(refused: Outcome, claims: Path) -> None:
    said = refused(claims, "--source", "sorce")
    assert "Did you mean 'source'?" in said


def test_two_candidates(refused: Outcome, accepted: Outcome, write: Write) -> None:
    path = write("c.csv", "source,worker,entity,value\na,x,b,c\n")
    said = refused(path)
    assert "'source' or 'worker'" in said
    assert "--source worker" in said
    accepted(path, "--source", "worker")


def test_one_column_in_two_roles(refused: Outcome, claims: Path) -> None:
    said = refused(claims, "--source", "entity", "--entity", "entity")
    assert "'entity' was given as source and as entity" in said


def test_repeated_and_nameless_columns(refused: Outcome, write: Write) -> None:
    assert "several columns named value" in refused(write("c.csv", "source,entity,value,value\n"))
    assert "column 4 of the header has no name" in refused(
        write("d.csv", "source,entity,value,\na,b,c,\n")
    )


# Encodings


def test_header_that_is_not_utf8(refused: Outcome, write: Write) -> None:
    said = refused(write("c.csv", b"source,entity,val\xe9\na,b,c\n"))
    assert "line 1: byte 0xe9 at position 17" in said
    assert "--encoding latin-1" in said


def test_row_that_is_not_utf8(refused: Outcome, accepted: Outcome, write: Write) -> None:
    rows = [f"s{i % 7},e{i % 900},v{i % 3}" for i in range(8000)]
    rows[4999] = "s1,e1,caf\xe9"
    path = write("c.csv", (HEADER + "\n".join(rows) + "\n").encode("latin-1"))
    assert "line 5001: bytes that are not utf-8 text" in refused(path)
    accepted(path, "--encoding", "latin-1")


@pytest.mark.parametrize(
    ("encoding", "value"), [("latin-1", "café"), ("cp1252", "€"), ("utf-16", "😀"), ("utf-8", "😀")]
)
def test_other_encodings(
    accepted: Outcome, write: Write, tmp_path: Path, encoding: str, value: str
) -> None:
    path = write("c.csv", f"{HEADER}ann,sky,{value}\n".encode(encoding))
    accepted(path, "--encoding", encoding)
    assert pq.read_table(tmp_path / "out" / "truths.parquet")["value"].to_pylist() == [value]


def test_wrong_and_unknown_encodings(refused: Outcome, write: Write) -> None:
    path = write("c.csv", GOOD)
    assert "not utf-16 text" in refused(path, "--encoding", "utf-16")
    assert "There is no encoding 'latin-one'" in refused(path, "--encoding", "latin-one")
    assert "--encoding utf-16" in refused(write("u.csv", GOOD.encode("utf-16")))


def test_ragged_rows_of_another_encoding_name_the_users_file(
    refused: Outcome, write: Write
) -> None:
    path = write("mine.csv", (GOOD + "x,y\n").encode("utf-16"))
    assert "mine.csv line 4: 'x,y'" in refused(path, "--encoding", "utf-16")


# Rows


def test_ragged_rows(refused: Outcome, accepted: Outcome, write: Write) -> None:
    path = write("c.csv", GOOD + "cy,sky\ncy,sky,blue,really\n")
    said = refused(path)
    assert "2 rows without exactly 3 cells" in said
    assert "c.csv line 4: 'cy,sky'" in said
    assert "--ragged skip" in said
    out = accepted(path, "--ragged", "skip")
    assert "Left out 2 rows" in out
    assert out.startswith("2 sources make 2 claims")


def test_a_long_ragged_row_is_cut(refused: Outcome, write: Write) -> None:
    assert len(refused(write("c.csv", GOOD + "x" * 100_000 + "\n"))) < 1000


def test_missing_labels(refused: Outcome, accepted: Outcome, write: Write) -> None:
    path = write("c.csv", GOOD + ",sky,blue\ncy,,blue\ncy,sky,\n")
    out = accepted(path)
    assert "Dropped 3 claims of 5" in out
    assert "1 without source, 1 without entity, 1 without value" in out


def test_missing_labels_may_be_an_error(refused: Outcome, write: Write) -> None:
    said = refused(write("c.csv", GOOD + ",sky,blue\n"), "--nulls", "error")
    assert "the first is row 3" in said
    assert "--nulls drop" in said


def test_nothing_but_missing_labels(refused: Outcome, write: Write) -> None:
    assert "no claim is left" in refused(write("c.csv", HEADER + ",a,b\n"))


@pytest.mark.parametrize("cell", ["2", "-1", "yes", ""])
def test_asserts_other_than_0_and_1(refused: Outcome, write: Write, cell: str) -> None:
    path = write("c.csv", f"source,entity,value,asserts\na,b,c,1\na,b,d,{cell}\n")
    said = refused(path)
    assert "in row 2. Expected 1" in said


def test_times(refused: Outcome, accepted: Outcome, write: Write) -> None:
    path = write("c.csv", "source,entity,value,time\na,b,c,31/12/2020\na,b,d,01/01/2021\n")
    said = refused(path)
    assert "'31/12/2020' in row 1 and 1 more" in said
    assert "--time-format" in said
    assert "Expected times written as '%Y'" in refused(path, "--time-format", "%Y")
    assert "%Q" in refused(path, "--time-format", "%Q")
    accepted(path, "--time-format", "%d/%m/%Y")


def test_the_later_time_wins(accepted: Outcome, write: Write, tmp_path: Path) -> None:
    path = write("c.csv", "source,entity,value,time\na,b,new,01/01/2021\na,b,old,31/12/2020\n")
    accepted(path, "--time-format", "%d/%m/%Y")
    assert pq.read_table(tmp_path / "out" / "truths.parquet")["value"].to_pylist() == ["new"]


def test_infinite_feature(refused: Outcome, write: Write) -> None:
    said = refused(write("c.csv", "source,entity,value,claim_x\na,b,c,1\na,b,d,inf\n"))
    assert "'claim_x' is infinite in row 2" in said


def test_text_in_a_numeric_feature(refused: Outcome, accepted: Outcome, write: Write) -> None:
    rows = "".join(f"a,e{i},c,{i}\n" for i in range(300))
    path = write("c.csv", f"source,entity,value,claim_x\n{rows}a,f,c,oops\n")
    said = refused(path)
    assert "'oops' in row 301" in said
    assert "--category claim_x" in said
    accepted(path, "--category", "claim_x")


# Truth


def test_truth_that_shares_no_item(refused: Outcome, claims: Path, write: Write) -> None:
    said = refused(claims, "--truth", write("t.csv", "entity,value\nmars,red\n"))
    assert "shares no item" in said
    assert "'mars'" in said


@pytest.mark.parametrize(
    "content", ["", "entity,value\n", "entity,valeu\na,b\n", "entity,value\nx\n"]
)
def test_truth_that_cannot_be_read(
    refused: Outcome, claims: Path, write: Write, content: str
) -> None:
    assert "In the truth: " in refused(claims, "--truth", write("t.csv", content))


def test_truth_that_is_not_there(refused: Outcome, claims: Path, tmp_path: Path) -> None:
    assert "no file" in refused(claims, "--truth", tmp_path / "no.csv")


# Options


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--model", "vot"), "Did you mean 'vote'?"),
        (("--format", "parqet"), "Did you mean 'parquet'?"),
        (("--duplicates", "lastest"), "Did you mean 'latest'?"),
        (("--nulls", "eror"), "Did you mean 'error'?"),
        (("--ragged", "skp"), "strict or skip"),
        (("--unicode", "NFX"), "NFC"),
        (("--kind", "value"), "ATTRIBUTE=VALUE"),
        (("--kind", "value=singel"), "Did you mean 'single'?"),
        (("--kind", "vlaue=single"), "Did you mean 'value'?"),
        (("--domain", "value=opne"), "Did you mean 'open'?"),
        (("--compare", "value=numbr"), "Did you mean 'number'?"),
        (("--number", "claim_word"), "Did you mean 'claim_words'?"),
        (("--delimiter", "::"), "one character"),
        (("--table", "x"), "database only"),
        (("--seed", "x"), "--seed"),
        (("--seed", "-1"), "--seed"),
        (("--modle", "vote"), "--model"),
        (("more",), "more"),
    ],
)
def test_wrong_options(refused: Outcome, claims: Path, options: tuple[str, ...], said: str) -> None:
    assert said in refused(claims, *options)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["discver"], "Did you mean 'discover'?"),
        (["--hlp"], "--help"),
        (["discover"], "CLAIMS"),
        (["discover", "claims.csv"], "--output"),
    ],
)
def test_wrong_commands(veracity: Command, arguments: list[str], said: str) -> None:
    done = veracity(*arguments)
    assert done.code == 2
    assert done.err.startswith("Error: ")
    assert said in done.err
    assert "--help` lists the options" in done.err


# Where to write


def test_a_folder_that_exists_is_refused(veracity: Command, claims: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    veracity("discover", claims, "-o", out)
    before = (out / "run.json").read_bytes()
    done = veracity("discover", claims, "-o", out)
    assert done.code == 2
    assert "--overwrite" in done.err
    assert (out / "run.json").read_bytes() == before


def test_a_folder_of_the_users_is_never_replaced(
    veracity: Command, claims: Path, tmp_path: Path
) -> None:
    out = tmp_path / "mine"
    out.mkdir()
    (out / "thesis.txt").write_text("years of work")
    done = veracity("discover", claims, "-o", out, "--overwrite")
    assert done.code == 2
    assert "not written by veracity" in done.err
    assert [path.name for path in out.iterdir()] == ["thesis.txt"]


def test_a_users_file_among_the_results_is_kept(
    veracity: Command, claims: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    veracity("discover", claims, "-o", out)
    (out / "notes.txt").write_text("remember this")
    done = veracity("discover", claims, "-o", out, "--overwrite")
    assert done.code == 2
    assert "also holds notes.txt" in done.err
    assert (out / "notes.txt").exists()


def test_an_empty_folder_is_used(veracity: Command, claims: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert veracity("discover", claims, "-o", tmp_path / "out").code == 0


def test_a_file_is_no_folder(veracity: Command, claims: Path) -> None:
    assert "is a file" in veracity("discover", claims, "-o", claims).err
    below = veracity("discover", claims, "-o", claims / "out")
    assert below.code == 2
    assert f"{claims} is a file, not a folder" in below.err


def test_where_a_disk_is_mounted(
    veracity: Command, claims: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "disk").mkdir()
    monkeypatch.setattr(Path, "is_mount", lambda path: path.name == "disk")
    done = veracity("discover", claims, "-o", tmp_path / "disk")
    assert done.code == 2
    assert "Name a folder inside it" in done.err


# A fault of ours


def test_a_fault_of_ours_says_so(
    veracity: Command, claims: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("veracity.workflow.discovery.summarise_claims", lambda claims: 1 / 0)
    done = veracity("discover", claims, "-o", tmp_path / "out")
    assert done.code == 1
    assert "ZeroDivisionError" in done.err
    assert "fault of veracity" in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "out").exists()
    monkeypatch.setenv("VERACITY_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        veracity("discover", claims, "-o", tmp_path / "out")
