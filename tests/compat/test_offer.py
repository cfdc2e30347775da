"""Every name on offer is in the reference, and importing it does not load what it may not need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from veracity.compat import crowdkit, snorkel, truthdiscovery

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "python.md"


@pytest.mark.parametrize("module", [crowdkit, snorkel, truthdiscovery], ids=lambda m: m.__name__)
def test_every_name_is_in_the_reference(module: object) -> None:
    lines = REFERENCE.read_text(encoding="utf-8").splitlines()
    name = getattr(module, "__name__", "")
    missing = [one for one in getattr(module, "__all__", []) if f"::: {name}.{one}" not in lines]
    assert missing == []


@pytest.mark.parametrize("module", ["crowdkit", "snorkel", "truthdiscovery"])
def test_importing_loads_neither_pandas_nor_torch(module: str) -> None:
    code = (
        f"import sys, veracity.compat.{module};"
        "print([name for name in ('pandas', 'torch', 'sklearn') if name in sys.modules])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert found.strip() == "[]"
