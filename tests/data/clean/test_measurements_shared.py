"""Of the shared data sets, those whose truth is a number are recognised, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import shared_data

from veracity.data.clean.checks import count_values
from veracity.data.clean.measurements import find_measurements
from veracity.data.read.settings import Settings
from veracity.data.read.workbench import Workbench

NUMERIC = {
    "coin_estimates",
    "dot_guesses",
    "election_polls_margin",
    "gdp_germany",
    "m3_forecasts",
    "temperature_ensemble",
}
#: All claims, every other item, and three claims of ten.
COPIES = ("true", "hash(entity) % 2 = 0", "hash(source || '|' || entity) % 10 < 3")
FOLDER = shared_data()
NAMES = sorted(path.parent.name for path in FOLDER.glob("*/claims.csv.gz")) if FOLDER else []


@pytest.mark.parametrize("name", NAMES)
def test_recognition_on_shared_data(name: str, data_folder: Path) -> None:
    path = data_folder / name / "claims.csv.gz"
    for copy in COPIES:
        with Workbench() as workbench:
            workbench.step(
                "typed",
                "SELECT source, entity, attribute, value "
                f"FROM read_csv('{path}', all_varchar = true, quote = '\"') WHERE {copy}",
            )
            count_values(workbench)
            found = find_measurements(workbench, Settings()).found
        assert bool(found) == (name in NUMERIC), copy
