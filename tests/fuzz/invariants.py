"""What holds of every model on every table."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from tests.fuzz.recipes import Recipe

from veracity import Attribute, Claims
from veracity.data.read.formats import locate
from veracity.data.read.settings import Settings
from veracity.data.read.tables import FileOptions
from veracity.engines.read import read_in_blocks
from veracity.errors import ConvergenceWarning, InvalidParameter
from veracity.models import MODELS, make_model
from veracity.models.base import TruthModel
from veracity.models.persistence import load
from veracity.testing.check import SAMPLED_AT_MOST, by_statement, require_equal
from veracity.testing.outcome import require_sound

#: The models that judge values of any kind.
NAMES = tuple(name for name in MODELS if name not in ("gtm", "mean", "median"))
#: The methods whose plausibilities are probabilities under a model of how sources speak. Scores of
#: others are averages, which one more source of less weight lowers.
PROBABILISTIC = (
    *("vote", "mle", "ltm", "rbm", "grbm", "grbm-paper", "accu", "accu-copy"),
    *("dawid-skene", "one-coin", "glad", "mace"),
)
#: So many statements of a table are confirmed, one after the other.
MOST_CONFIRMED = 3
Invariant = Callable[[str, Recipe], None]


#: How far results may be apart that ought to be equal: fits end at a tolerance, and sums of weights
#: of different size depend on their order.
NEAR = 1e-4


def require_close(model: TruthModel, first: Any, second: Any, expected: str) -> None:
    """Require that two tables of statements give the same plausibilities, as near as may be."""
    mine, theirs = by_statement(first), by_statement(second)
    assert mine.keys() == theirs.keys(), expected
    worst = max(mine, key=lambda key: abs(mine[key] - theirs[key]))
    apart = abs(mine[worst] - theirs[worst])
    limit = SAMPLED_AT_MOST if model.is_sampled else NEAR
    assert apart <= limit, f"{expected}: {mine[worst]} and {theirs[worst]} for {worst}"


def fitted(name: str, claims: Any) -> TruthModel:
    """Fit a model; any warning but that it has not converged is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        return make_model(name).fit(claims)


def is_sound(name: str, recipe: Recipe) -> None:
    """All numbers are finite and in range, and tables have their rows."""
    claims = recipe.claims()
    model = fitted(name, claims)
    require_sound(model, claims)
    for column in ("reliability", "agreement"):
        rates = np.array(model.sources_[column].to_pylist(), float)
        assert np.isfinite(rates).all(), f"{column}: {rates}"


def ignores_the_order_of_rows(name: str, recipe: Recipe) -> None:
    """Rows in another order give the same plausibilities."""
    if recipe.order_matters:
        return
    first = fitted(name, recipe.claims())
    second = fitted(name, recipe.claims(**recipe.reordered()))
    require_close(first, first.statements_, second.statements_, "the same in another order")


def ignores_the_names_of_sources(name: str, recipe: Recipe) -> None:
    """Sources under other names, in another order, give the same plausibilities."""
    first = fitted(name, recipe.claims())
    second = fitted(name, recipe.claims(**recipe.renamed()[0]))
    require_close(first, first.statements_, second.statements_, "the same under other names")


def depends_on_the_seed_alone(name: str, recipe: Recipe) -> None:
    """Two fits with one seed agree to the bit."""
    first, second = fitted(name, recipe.claims()), fitted(name, recipe.claims())
    for table in ("statements_", "truths_", "sources_"):
        require_equal(getattr(first, table), getattr(second, table), "the same from one seed")


def predicts_what_it_fitted(name: str, recipe: Recipe) -> None:
    """A model judges the claims that it was fitted to as in the fit, saved or not."""
    claims = recipe.claims()
    model = fitted(name, claims)
    again = model.predict_plausibility(claims)
    require_close(model, model.statements_, again, "what the fit said")
    with tempfile.TemporaryDirectory() as folder:
        loaded = load(model.save(Path(folder) / "model"))
    require_equal(again, loaded.predict_plausibility(claims), "the same after saving")


def judges_blocks_like_the_whole(name: str, recipe: Recipe) -> None:
    """Claims in blocks are judged like claims in memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "claims.parquet"
        pq.write_table(pa.table(recipe.columns), path)
        whole, parts = Claims.read(path, **recipe.reading), _in_blocks(path, recipe)
        try:
            second = fitted(name, parts)
        except InvalidParameter:  # works on whole tables only, and says so
            return
        first = fitted(name, whole)
        require_close(first, first.statements_, second.statements_, "the same in blocks")


def _in_blocks(path: Path, recipe: Recipe) -> Any:
    settings, files = Settings.of(recipe.reading), FileOptions()
    size = max(1, recipe.n_claims // 3)
    return read_in_blocks(
        locate(path), files, settings, "1GB", 1, claims_per_block=size, in_memory=True
    )


def never_lowers_what_is_confirmed(name: str, recipe: Recipe) -> None:
    """One more claim for a value, by a source not below chance, does not make it less plausible."""
    if name not in PROBABILISTIC or recipe.kind == "multiple":
        return
    claims = recipe.claims()
    model = fitted(name, claims)
    columns = recipe.columns
    said = {
        (source, entity, attribute)
        for source, entity, attribute in zip(
            columns["source"], columns["entity"], columns["attribute"], strict=True
        )
    }
    before = by_statement(model.predict_plausibility(claims))
    sources = [row["source"] for row in model.sources_.to_pylist() if _not_below_chance(row)]
    for key in sorted(before)[:MOST_CONFIRMED]:
        entity, attribute, value = key
        new = next((name for name in sources if (name, entity, attribute) not in said), None)
        if new is None:
            continue
        row = {"source": new, "entity": entity, "attribute": attribute, "value": value}
        more = {
            column: [*cells, {**row, "asserts": 1, "weight": 1.0, "time": 9}[column]]
            for column, cells in columns.items()
        }
        kinds = {
            each.name: Attribute(each.kind, each.domain, positive=each.positive)
            for each in claims.attributes
        }
        confirmed = Claims.from_frame(more, **{**recipe.reading, "attributes": kinds})
        after = by_statement(model.predict_plausibility(confirmed))
        assert after[key] >= before[key] - NEAR, f"{before[key]} falls to {after[key]}: {row}"


def _not_below_chance(row: dict[str, Any]) -> bool:
    return bool((row["tpr"] or 0.0) > (row["fpr"] or 0.0))


INVARIANTS: dict[str, Invariant] = {
    check.__name__: check
    for check in (
        is_sound,
        ignores_the_order_of_rows,
        ignores_the_names_of_sources,
        depends_on_the_seed_alone,
        predicts_what_it_fitted,
        judges_blocks_like_the_whole,
        never_lowers_what_is_confirmed,
    )
}
