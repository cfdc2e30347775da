"""Measurements are recognised in blocks as they are in memory."""

from __future__ import annotations

from pathlib import Path

from pyarrow.csv import write_csv
from tests.engines.repeats import check_like_memory
from tests.thermometers import thermometers, with_colours

from veracity import Claims
from veracity.data.read.formats import locate
from veracity.data.read.settings import Settings
from veracity.data.read.tables import FileOptions
from veracity.engines.read import read_in_blocks


def test_measurements_in_blocks_are_those_of_memory(tmp_path: Path) -> None:
    path = tmp_path / "claims.csv"
    write_csv(with_colours(thermometers()[0]), path)
    there = read_in_blocks(
        locate(path), FileOptions(), Settings(), "256MB", claims_per_block=100, in_memory=True
    )
    here = Claims.read(path)
    assert len(there.blocks) > 3
    check_like_memory(there, here)
    assert {profile.name: profile.form for profile in there.attributes} == {
        "sky": "value",
        "warm": "number",
    }
    assert there.attributes == here.attributes
