"""The guide from Splink's output to PostgreSQL: every block of the page is run, in order."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.postgres import Server

from veracity.cli.app import run

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "golden-records.md"
ADDRESS = "postgresql://me@localhost/shop"
#: Commands that the page only mentions: they wait for a person.
NOT_RUN = ("serve",)


def blocks() -> list[tuple[str, str]]:
    """Return the blocks of the page: their language and what they say."""
    text = PAGE.read_text(encoding="utf-8")
    found = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S)
    return [(language, body) for language, body in found]


def printed_by(language: str, body: str, names: dict[str, Any]) -> str:
    """Run a block and return what it prints."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        if language == "python":
            exec(compile(body, str(PAGE), "exec"), names)
        for line in body.splitlines() if language == "sh" else ():
            _, *arguments = shlex.split(line)
            if arguments[0] not in NOT_RUN:
                assert run(arguments) == 0, line
    return output.getvalue()


@pytest.mark.postgres
def test_the_guide_does_what_it_shows(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("splink")
    monkeypatch.chdir(tmp_path)
    address = postgres.uri()
    names: dict[str, Any] = {}
    printed, compared = "", 0
    try:
        for language, body in blocks():
            if language == "text":
                shown = printed.replace(address.replace("s3cret", "***"), ADDRESS)
                same = doctest.OutputChecker().check_output(
                    body, shown, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
                )
                assert same, f"the page shows\n{body}\nbut this was printed:\n{shown}"
                compared += 1
            else:
                printed = printed_by(language, body.replace(ADDRESS, address), names)
    finally:
        for table in ("golden", "golden_lineage", "checked", "checked_lineage"):
            postgres.run(f"DROP TABLE IF EXISTS {table}")
    assert compared == 6
    assert (tmp_path / "golden" / "golden.csv").is_file()
    assert (tmp_path / "checked" / "lineage.parquet").is_file()
