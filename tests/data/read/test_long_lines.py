"""Lines that are too long are found wherever they stand, in plain and in compressed files."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from veracity.data.read import delimited
from veracity.errors import InputError

LONGEST = 6
LINES = st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["\n", "\r", "\r\n"])), max_size=12)


def first_long_line(text: str) -> int | None:
    """Return where the first line that is too long begins."""
    found = (line for line in re.finditer(r"[^\r\n]+", text) if len(line.group()) > LONGEST)
    return next((line.start() for line in found), None)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(lines=LINES, rest=st.integers(0, 9), at_once=st.integers(1, 9))
def test_the_first_long_line_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    lines: list[tuple[int, str]],
    rest: int,
    at_once: int,
) -> None:
    monkeypatch.setattr(delimited, "LONGEST_ROW", LONGEST)
    monkeypatch.setattr(delimited, "CHUNK_BYTES", at_once)
    text = "".join("x" * length + end for length, end in lines) + "x" * rest
    plain, packed = tmp_path / "claims.csv", tmp_path / "claims.csv.gz"
    plain.write_bytes(text.encode())
    packed.write_bytes(gzip.compress(text.encode()))
    begun = first_long_line(text)
    for path in (plain, packed):
        if begun is None:
            delimited._check_lines(path, path)
        else:
            with pytest.raises(InputError, match=f"after the first {begun} bytes is longer"):
                delimited._check_lines(path, path)
