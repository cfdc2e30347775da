"""What tests of engines share: a file of claims of every kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engines.worlds import write_world


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_world(tmp_path_factory.mktemp("world") / "claims.parquet")
