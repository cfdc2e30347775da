"""What holds of every model on every table."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from tests.fuzz.case import Case, Key, Numbers, Variant
from tests.fuzz.limits import SLACK, limit_of
from tests.fuzz.recipes import SEPARATOR
from tests.fuzz.trust import is_trusted

from veracity.data.read.formats import locate
from veracity.data.read.settings import Settings
from veracity.data.read.tables import FileOptions
from veracity.engines.read import read_in_blocks
from veracity.errors import InputError, InvalidParameter
from veracity.models import MODELS
from veracity.models.explained import ExplainedModel
from veracity.models.explanation import log_odds_of
from veracity.models.persistence import load
from veracity.testing.check import by_statement, require_equal
from veracity.testing.outcome import require_sound

NAMES = tuple(MODELS)
#: The models that judge nothing but numbers.
NUMERIC = ("gtm", "mean", "median")
#: The methods whose plausibilities are probabilities under a model of how sources speak. Scores of
#: others are averages, which one more source of less weight lowers. Two are left out: by
#: `grbm-paper`, rates depend on how many speak about a statement, so that one more changes what all
#: others tell; by `accu-copy`, others may be taken to have copied from it, and then count less.
PROBABILISTIC = (
    "vote",
    "mle",
    "ltm",
    "rbm",
    "grbm",
    "accu",
    "dawid-skene",
    "one-coin",
    "glad",
    "mace",
)
#: The methods by which one value of a single-valued item is true, or none of those claimed.
ONE_TRUE = ("vote", "grbm", "accu", "accu-copy", "dawid-skene", "one-coin", "glad", "mace")


@dataclass(frozen=True)
class Invariant:
    """Something that holds of every model on every table.

    Attributes
    ----------
    check
        Raises an error unless it does.
    one_in
        The campaign tries it on one table in so many, since it takes long.
    """

    check: Callable[[Case, str], None]
    one_in: int = 1

    def holds(self, case: Case, name: str) -> None:
        """Raise an error unless it holds of a model on a table that the model is for."""
        if name in NUMERIC and (case.recipe.form != "number" or case.recipe.changing):
            return
        if not case.is_refused:
            self.check(case, name)


def is_sound(case: Case, name: str) -> None:
    """All numbers are finite and in range."""
    model = case.fitted(name)
    _require_rates("plausibility", np.asarray(model.plausibility_))
    for column in ("reliability", "agreement"):
        _require_rates(column, _numbers(model.sources_[column]))
    for column in ("tpr", "fpr"):
        rates = _numbers(model.sources_[column])
        _require_rates(column, rates[~np.isnan(rates)])


def has_whole_tables(case: Case, name: str) -> None:
    """Tables have their rows, in their order."""
    require_sound(case.fitted(name), case.given.claims)


def adds_up_to_one(case: Case, name: str) -> None:
    """Plausibilities of an item with one true value do not add up to more than 1.

    Those of numbers do where the truth may be within the tolerance of several. Of values that lie
    within others, the narrowest count.
    """
    if name not in ONE_TRUE:
        return
    matrix, near = case.given.claims.matrix, case.recipe.numbers_are_near
    several = {
        each.name
        for each in matrix.profiles
        if each.kind == "multiple" or (near and each.form == "number")
    }
    item = matrix.item_of_statement
    counts = np.array(_narrowest(case.given.keys))
    total = np.bincount(item, counts * case.fitted(name).plausibility_, matrix.n_items)
    for place in np.flatnonzero(total > 1.0 + SLACK):
        attribute = matrix.attributes[int(matrix.attribute_index[place])].as_py()
        keys = [key for key, at in zip(case.given.keys, item, strict=True) if at == place]
        assert attribute in several, f"{total[place]} in all for {keys}"


def _narrowest(keys: list[Key]) -> list[bool]:
    """Mark the values within which no other value of their item lies."""
    wider = {
        (entity, attribute, value[:end])
        for entity, attribute, value in keys
        for end in range(1, len(value))
        if value[end] == SEPARATOR
    }
    return [key not in wider for key in keys]


def ignores_the_order_of_rows(case: Case, name: str) -> None:
    """Rows in another order give the same plausibilities."""
    if case.recipe.order_matters or not case.recipe.adds_up:
        return
    _require_same_fit(case, name, case.reordered, "in another order")


def ignores_the_names_of_sources(case: Case, name: str) -> None:
    """Sources under other names, in another order, give the same plausibilities."""
    if _is_comparable(case, name):
        _require_same_fit(case, name, case.renamed, "under other names")


def depends_on_the_seed_alone(case: Case, name: str) -> None:
    """Two fits with one seed agree to the bit."""
    first, second = case.fitted(name), case.fit(name, case.given.claims)
    for table in ("statements_", "truths_", "sources_"):
        require_equal(getattr(first, table), getattr(second, table), "the same from one seed")


def predicts_what_it_fitted(case: Case, name: str) -> None:
    """A model judges the claims that it was fitted to as in the fit."""
    model = case.fitted(name)
    again = case.predict(model, case.given.claims)
    _require_close(name, case.given.keys, np.asarray(model.plausibility_), again, "predicted")


def is_the_same_when_saved(case: Case, name: str) -> None:
    """A model that was saved and loaded judges like before, to the bit."""
    model = case.fitted(name)
    with tempfile.TemporaryDirectory() as folder:
        loaded = load(model.save(Path(folder) / "model"))
    first, second = (case.predict(each, case.given.claims) for each in (model, loaded))
    assert np.array_equal(first, second), f"{first} before, {second} after it was saved"


def judges_blocks_like_the_whole(case: Case, name: str) -> None:
    """Claims in blocks are judged like claims in memory."""
    if not _is_comparable(case, name):
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "claims.parquet"
        pq.write_table(pa.table(case.recipe.columns), path)
        try:
            parts = case.fit(name, _in_blocks(path, case))
        except InvalidParameter:  # works on whole tables only, and says so
            return
        found = by_statement(parts.statements_)
    _require_same(case, name, found, "in blocks")


def _is_comparable(case: Case, name: str) -> bool:
    """Tell whether sums in another order make little difference to a fit.

    Where a claim counts like a million others, or a number like a thousand, the likelihood of the
    default is so steep that the last digit of a sum matters; see the promises in
    docs/reference/reliability.md.
    """
    recipe = case.recipe
    is_steep = recipe.weights == "heavy" or (recipe.form == "number" and recipe.weights is not None)
    return recipe.adds_up and not (name == "grbm" and is_steep)


def _in_blocks(path: Path, case: Case) -> Any:
    settings, files = Settings.of(case.recipe.reading), FileOptions()
    size = max(1, case.recipe.n_claims // 3)
    return read_in_blocks(
        locate(path), files, settings, "1GB", 1, claims_per_block=size, in_memory=True
    )


def learns_from_a_stream_like_from_the_whole(case: Case, name: str) -> None:
    """Claims in two batches, what a source says about an item in one, are fitted like the whole.

    This is so where no claim replaces another: a stream forgets the values of those replaced. A
    level that the first batch does not show is refused if nobody gave the order of levels.
    """
    if case.given.claims.matrix.n_claims < len(case.recipe.columns["source"]):
        return
    columns, draw = case.recipe.columns, random.Random(case.recipe.seed)
    speakers = case.recipe.speakers
    late = {speaker: draw.random() < 0.5 for speaker in sorted(set(speakers))}
    first, second = (
        {
            key: [cell for cell, at in zip(cells, speakers, strict=True) if late[at] == when]
            for key, cells in columns.items()
        }
        for when in (False, True)
    )
    if not first["source"] or not second["source"] or not case.fitted(name).streams:
        return
    model = case.fit(name, case.recipe.claims(**first))
    case.tally.fits += 1
    try:
        model.partial_fit(second)
    except InputError:
        assert case.recipe.form == "ordered", "only scales refuse claims"
        return
    _require_same(case, name, by_statement(model.statements_), "in two batches")


def explains_what_it_says(case: Case, name: str) -> None:
    """The evidence for a value adds up to the log-odds of its plausibility."""
    model = case.fitted(name)
    if not isinstance(model, ExplainedModel):
        return
    matrix = case.given.claims.matrix
    explainer = model.fit_explainer(case.given.claims)
    expected = dict(zip(case.given.keys, np.asarray(model.plausibility_).tolist(), strict=True))
    for place in range(matrix.n_items):
        found = explainer.item(place)
        for one in found.statements:
            key = (found.entity, found.attribute, one.value)
            apart = abs(one.plausibility - expected[key])
            assert apart <= SLACK, f"{one.plausibility} is explained, not {expected[key]}: {key}"
            claimed = log_odds_of(one.plausibility)
            added = [term.log_odds for term in one.terms]
            added += [step.log_odds for step in one.adjustments]
            steps = sum(map(abs, added))
            apart = abs(one.log_odds - claimed)
            assert apart <= SLACK * (1.0 + steps), f"{one.log_odds}, not {claimed}: {key}"


def never_lowers_what_is_confirmed(case: Case, name: str) -> None:
    """One more claim for a value, by a source not below chance, does not make it less plausible.

    Numbers are no such values: a claim far from where the truth is taken to be moves that place a
    little, and makes it more certain.
    """
    if name not in PROBABILISTIC or case.recipe.form == "number" or not case.confirmations:
        return
    model = case.fitted(name)
    before, after = (
        dict(zip(each.keys, case.predict(model, each.claims).tolist(), strict=True))
        for each in (case.given, case.confirmed)
    )
    for key, source in case.confirmations.items():
        if before[key] - after[key] > SLACK:
            told = f"{before[key]} falls to {after[key]} when {source} confirms {key}"
            assert not is_trusted(model, source, key), told


def _numbers(column: Any) -> Numbers:
    return np.array([np.nan if cell is None else cell for cell in column.to_pylist()], float)


def _require_rates(what: str, rates: Numbers) -> None:
    good = np.isfinite(rates) & (rates >= 0.0) & (rates <= 1.0)
    assert good.all(), f"{what}: {rates[~good]}"


def _require_same_fit(case: Case, name: str, variant: Variant, how: str) -> None:
    found = np.asarray(case.fit(name, variant.claims).plausibility_)
    if variant.keys == case.given.keys:
        expected = np.asarray(case.fitted(name).plausibility_)
        _require_close(name, variant.keys, expected, found, how)
    else:
        _require_same(case, name, dict(zip(variant.keys, found.tolist(), strict=True)), how)


def _require_same(case: Case, name: str, found: dict[Key, float], how: str) -> None:
    keys = case.given.keys
    apart = set(keys) ^ set(found)
    assert not apart, f"other statements {how}: {sorted(apart)[:5]}"
    expected = np.asarray(case.fitted(name).plausibility_)
    _require_close(name, keys, expected, np.array([found[key] for key in keys]), how)


def _require_close(name: str, keys: list[Key], first: Numbers, second: Numbers, how: str) -> None:
    apart = np.abs(first - second)
    worst = int(np.argmax(apart))
    told = f"{first[worst]} is {second[worst]} {how}: {keys[worst]}"
    assert apart[worst] <= limit_of(name, how), told


INVARIANTS: dict[str, Invariant] = {
    invariant.check.__name__: invariant
    for invariant in (
        Invariant(is_sound),
        Invariant(has_whole_tables, one_in=5),
        Invariant(adds_up_to_one),
        Invariant(ignores_the_order_of_rows),
        Invariant(ignores_the_names_of_sources),
        Invariant(depends_on_the_seed_alone),
        Invariant(predicts_what_it_fitted),
        Invariant(is_the_same_when_saved, one_in=10),
        Invariant(judges_blocks_like_the_whole, one_in=20),
        Invariant(learns_from_a_stream_like_from_the_whole, one_in=20),
        Invariant(explains_what_it_says, one_in=5),
        Invariant(never_lowers_what_is_confirmed, one_in=3),
    )
}
