"""Case: one drawn table, its variants, and the fits to them; each made once, for all invariants."""

from __future__ import annotations

import random
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from tests.fuzz.recipes import Columns, Recipe

from veracity import Claims
from veracity.data.matrix import ClaimMatrix
from veracity.errors import ConvergenceWarning, InputError
from veracity.models import make_model
from veracity.models.base import TruthModel

Numbers = npt.NDArray[np.float64]
Key = tuple[str, str, str]


@dataclass
class Tally:
    """How much was tried."""

    cases: int = 0
    fits: int = 0
    predictions: int = 0

    def add(self, other: Tally) -> None:
        """Add what was tried elsewhere."""
        self.cases += other.cases
        self.fits += other.fits
        self.predictions += other.predictions

    def __str__(self) -> str:
        return f"{self.cases:,} tables, {self.fits:,} fits, {self.predictions:,} predictions"


@dataclass(frozen=True)
class Variant:
    """Claims, and which statements they are about, in the order of their plausibilities."""

    claims: Claims
    keys: list[Key]

    @classmethod
    def of(cls, claims: Claims) -> Variant:
        """Look up the statements of claims."""
        return cls(claims, statement_keys(claims.matrix))


def statement_keys(matrix: ClaimMatrix) -> list[Key]:
    """Return entity, attribute and value of each statement of a matrix."""
    item = matrix.item_of_statement
    entities, attributes = matrix.entities.to_pylist(), matrix.attributes.to_pylist()
    values = matrix.values.to_pylist()
    return [
        (entities[entity], attributes[attribute], values[value])
        for entity, attribute, value in zip(
            matrix.entity_index[item].tolist(),
            matrix.attribute_index[item].tolist(),
            matrix.value_index.tolist(),
            strict=True,
        )
    ]


class Case:
    """One table for all models and invariants.

    Parameters
    ----------
    recipe
        How the table is drawn.
    tally
        Where fits and predictions are counted.
    """

    def __init__(self, recipe: Recipe, tally: Tally | None = None) -> None:
        self.recipe, self.tally = recipe, tally or Tally()
        self.tally.cases += 1
        self._fits: dict[str, TruthModel] = {}

    @cached_property
    def given(self) -> Variant:
        """The table as it was drawn."""
        return Variant.of(self.recipe.claims())

    @cached_property
    def is_refused(self) -> bool:
        """Whether the table has what its reader was told to forbid: repeats."""
        if self.recipe.duplicates != "error" or not self.recipe.repeats_itself:
            return False
        try:
            self.given  # noqa: B018  read now
        except InputError:
            return True
        return False

    @cached_property
    def reordered(self) -> Variant:
        """The same rows in another order."""
        return Variant.of(self.recipe.claims(**self.recipe.reordered()))

    @cached_property
    def renamed(self) -> Variant:
        """The same rows with other names of sources."""
        return Variant.of(self.recipe.claims(**self.recipe.renamed()))

    @cached_property
    def confirmations(self) -> dict[Key, str]:
        """One statement of each item, and a source that has not spoken about the item.

        Items of which all sources speak are left out.
        """
        columns, draw = self.recipe.columns, random.Random(self.recipe.seed)
        items = zip(columns["entity"], columns["attribute"], strict=True)
        spoken = set(zip(columns["source"], items, strict=True))
        sources, chosen = sorted(set(columns["source"])), dict[Key, str]()
        for item, keys in _by_item(self.given.keys).items():
            silent = [name for name in sources if (name, item) not in spoken]
            if silent:
                chosen[draw.choice(keys)] = draw.choice(silent)
        return chosen

    @cached_property
    def confirmed(self) -> Variant:
        """The table with one more claim about each item, for one of its values."""
        added: Columns = {name: list(cells) for name, cells in self.recipe.columns.items()}
        now = max(added.get("time", [0]))  # later, a value that changes may be another
        for (entity, attribute, value), source in self.confirmations.items():
            row = {"source": source, "entity": entity, "attribute": attribute, "value": value}
            for name, cells in added.items():
                cells.append({**row, "asserts": 1, "weight": 1.0, "time": now}[name])
        return Variant.of(Claims.from_frame(added, **self.settled))

    @property
    def settled(self) -> Any:
        """How the table is read, with attributes as they were found to be."""
        kinds = {
            each.name: self.recipe.said(kind=each.kind, domain=each.domain, positive=each.positive)
            for each in self.given.claims.attributes
        }
        return {**self.recipe.reading, "attributes": kinds}

    def fitted(self, name: str) -> TruthModel:
        """Return a model fitted to the table as it was drawn; made once."""
        if name not in self._fits:
            self._fits[name] = self.fit(name, self.given.claims)
        return self._fits[name]

    def fit(self, name: str, claims: Any) -> TruthModel:
        """Fit a model; any warning but that it has not converged is an error."""
        self.tally.fits += 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", ConvergenceWarning)
            return make_model(name).fit(claims)

    def predict(self, model: TruthModel, claims: Claims) -> Numbers:
        """Return the plausibility of each statement of claims."""
        self.tally.predictions += 1
        return np.array(model.predict_plausibility(claims)["plausibility"].to_pylist(), float)


def _by_item(keys: list[Key]) -> dict[tuple[str, str], list[Key]]:
    found: dict[tuple[str, str], list[Key]] = {}
    for key in keys:
        found.setdefault(key[:2], []).append(key)
    return found
