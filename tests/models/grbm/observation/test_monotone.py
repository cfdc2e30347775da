"""At fixed parameters, one more claim for a value never makes it less plausible."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.observations import EVERY_FORM, Row, item_of, judged, read

from veracity import Claims
from veracity.data.arrays import Floats
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.observation.class_tables import ClassTables
from veracity.models.grbm.observation.confusion import Confusion
from veracity.models.grbm.observation.lures import RELIABLE, Lures
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.plausibility import plausibilities

N_PAIRS = 12


def pairs_of_items(name: str, seed: int) -> tuple[list[Row], list[Row]]:
    """Draw pairs of items that are alike, but for one claim more about the second.

    Return all rows, and the rows that the second items have more. The value of each is claimed of
    the first items, too.
    """
    rng = np.random.default_rng(seed)
    classes = EVERY_FORM[name].classes
    rows = [Row(f"s{place}", f"is {value}", name, value) for place, value in enumerate(classes)]
    added = []
    for number in range(N_PAIRS):
        n_sources = int(rng.integers(1, 9))
        said = [str(rng.choice(classes)) for _ in range(n_sources)]
        weights = [float(rng.choice([0.5, 1.0])) for _ in range(n_sources)]
        for side in ("before", "after"):
            for source, (value, weight) in enumerate(zip(said, weights, strict=True)):
                rows.append(Row(f"s{source}", f"{side} {number:02d}", name, value, 1, weight))
        value = said[int(rng.integers(n_sources))]
        added.append(Row("s9", f"after {number:02d}", name, value))
    return rows + added, added


def claim_of(claims: Claims, row: Row) -> int:
    """Return the claim that a row became."""
    matrix = claims.matrix
    item = item_of(claims, row.entity, row.attribute)
    sources = np.array(matrix.sources.to_pylist())[matrix.source_index]
    (claim,) = np.flatnonzero((matrix.item_of_claim == item) & (sources == row.source))
    return int(claim)


def is_fit_to_speak(block: BlockObjective, own: ParameterVector, claim: int) -> bool:
    """Whether a claim is not below chance, or in open domains not that of a weak source."""
    ((model, parameters, eta),) = block.models(own)
    if isinstance(model, Lures):
        level = model.tables(parameters, eta).level[model.arrays.row[claim]]
        return bool(level >= RELIABLE)
    if isinstance(model, Confusion):
        says = model.log_says(ClassTables.of(model, parameters, eta), np.array([claim]))[0]
        middling = says[:, says.shape[1] // 2]
        said = model.said_class[claim]
        return bool(middling[said] >= np.delete(middling, said).max())
    return True


def plausibility_of(claims: Claims, shown: Floats, row: Row, entity: str) -> float:
    """Return how plausible what a row says is, of an entity."""
    matrix = claims.matrix
    item = item_of(claims, entity, row.attribute)
    values = matrix.values.to_pylist()
    statements = range(*matrix.statement_start[item : item + 2])
    if matrix.kind_is("boolean")[item]:
        p = float(shown[statements[0]])
        return p if row.value == "yes" else 1.0 - p
    (own,) = [one for one in statements if values[matrix.value_index[one]] == row.value]
    return float(shown[own])


def changes(name: str, seed: int, tau: float, size: float) -> Iterator[tuple[float, float]]:
    """Yield the plausibility of a value before and after one more claim for it."""
    rows, added = pairs_of_items(name, seed)
    claims = read(rows)
    block, own = judged(claims, hardness=tau, size=size, seed=seed)
    shown = plausibilities(claims.matrix, block.scores(own), block.data.weight, block.domain_size)
    for row in added:
        if is_fit_to_speak(block, own, claim_of(claims, row)):
            before = row.entity.replace("after", "before")
            yield (
                plausibility_of(claims, shown, row, before),
                plausibility_of(claims, shown, row, row.entity),
            )


@pytest.mark.parametrize("tau", [0.0, 0.5, 1.5])
@pytest.mark.parametrize("name", EVERY_FORM)
@settings(max_examples=12)
@given(seed=st.integers(0, 2**20), size=st.sampled_from([0.2, 0.7, 1.5]))
def test_a_claim_never_lowers_the_plausibility_of_its_value(
    name: str, tau: float, seed: int, size: float
) -> None:
    for before, after in changes(name, seed, tau, size):
        assert after >= before - 1e-9


@pytest.mark.parametrize("name", EVERY_FORM)
def test_most_claims_are_fit_to_speak_and_raise_it(name: str) -> None:
    """So that the property above is about something."""
    found = [pair for seed in range(4) for pair in changes(name, seed, 0.5, 0.3)]
    assert len(found) > N_PAIRS
    assert np.mean([after > before + 1e-6 for before, after in found]) > 0.8
