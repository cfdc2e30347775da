"""The objective equals that of the prototype it was built from, on public sets.

Claims are read as the prototype read them: values as text, one true value each, repeats with the
weight 1/sqrt(m) unless `claim_order` says which claim is the last.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import csv

from veracity import Attribute, Claims
from veracity.engines.local import in_one_block
from veracity.models.grbm.block_data import prepare_block
from veracity.models.grbm.claim_counts import count_claims
from veracity.models.grbm.fitting import fit
from veracity.models.grbm.model_spec import ModelSpec
from veracity.models.grbm.objective import Objective
from veracity.models.grbm.reliability import Linear

NAMES = ("source", "entity", "attribute", "value")


def read(path: Path) -> Claims:
    """Read claims as the prototype does."""
    kept = csv.ConvertOptions(column_types=dict.fromkeys(NAMES, "string"))
    table = csv.read_csv(path / "claims.csv.gz", convert_options=kept)
    columns: dict[str, Any] = {name: table[name] for name in NAMES}
    if "claim_order" in table.column_names:
        columns["time"] = np.asarray(table["claim_order"]).astype("datetime64[s]")
    kinds = {"*": Attribute("single")}
    return Claims.from_frame(columns, attributes=kinds)


def objective_of(claims: Claims) -> Objective:
    """Return the objective without features, families and speaking.

    In the prototype every source has a habit of its own, also one that says one class only, and how
    hard items are is not learned.
    """
    whole = in_one_block(claims)
    counts = count_claims(whole)
    attributes = tuple(
        replace(
            attribute,
            range=replace(attribute.range, learns_hardness=False),
            has_habit=np.arange(len(attribute.sources)),
        )
        for attribute in counts.attributes
    )
    spec = ModelSpec(attributes, counts.log_claim_count, Linear(0), threads=1)
    return Objective(whole.blocks.prepare(prepare_block, None), spec)


@pytest.mark.parametrize(
    ("name", "start", "end"),
    [
        ("rte", 4997.8685, 3855.1571),
        ("dog", 7585.8226, 5162.8005),
        ("birthplaces", 5882.3797, 5310.536),
        ("llm_math_l5", 43604.2904, None),
        ("slr_screening", 875.0089, 635.0313),
    ],
)
def test_the_objective_is_that_of_the_prototype(
    data_folder: Path, name: str, start: float, end: float | None
) -> None:
    objective = objective_of(read(data_folder / name))
    assert objective.evaluate(objective.centre)[0] == pytest.approx(start, rel=1e-6)
    if end is not None:
        assert -fit(objective, 80, 2e-9).objective == pytest.approx(end, rel=1e-3)
