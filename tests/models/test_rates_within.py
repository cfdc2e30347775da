"""Rates, their intervals and plausibilities are within [0, 1], whatever the claims look like."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from veracity import Claims
from veracity.data.output.tables import Table
from veracity.data.read.settings import Attribute
from veracity.errors import InputError
from veracity.models import MODELS, make_model
from veracity.models.grbm.leave_one_out import moved_fpr

FORMS = ("boolean", "closed", "open", "multiple", "agree")
NUMERIC = [name for name in MODELS if make_model(name).needs_numbers]
#: Columns of result tables that are rates or probabilities; bounds of estimated numbers are none.
RATES = {
    "plausibility",
    "margin",
    "agreement",
    "reliability",
    "tpr",
    "fpr",
    "rate",
    "expected",
    "share",
    "labelled_rate",
    "labelled_expected",
}


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[str, list[Any]], str]:
    """Draw a small table of claims of some form, maybe with weights and denials."""
    form = draw(st.sampled_from(FORMS))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n_sources, n_items = draw(st.integers(1, 6)), draw(st.integers(1, 12))
    words = {"boolean": ["yes", "no"], "open": [f"v{i}" for i in range(40)], "agree": ["a"]}
    values = words.get(form, ["a", "b", "c"])
    skew = rng.dirichlet(np.full(len(values), draw(st.sampled_from([0.2, 1.0, 5.0]))))
    source, entity = (
        np.tile(np.arange(n_sources), n_items),
        np.repeat(np.arange(n_items), n_sources),
    )
    kept = rng.random(len(source)) < draw(st.sampled_from([0.4, 1.0]))
    kept[0] = True
    source, entity = source[kept], entity[kept]
    rows: dict[str, list[Any]] = {
        "source": [f"s{place}" for place in source],
        "entity": [f"e{place}" for place in entity],
        "value": rng.choice(values, len(source), p=skew).tolist(),
    }
    if draw(st.booleans()):
        rows["weight"] = rng.uniform(0.1, 3.0, len(source)).tolist()
    if draw(st.booleans()) and form != "boolean":
        rows["asserts"] = (rng.random(len(source)) < 0.8).tolist()
    return rows, form


def read(rows: dict[str, list[Any]], form: str) -> Claims:
    kinds = {
        "boolean": Attribute(kind="boolean"),
        "multiple": Attribute(kind="multiple"),
        "closed": Attribute(kind="single", domain="closed"),
    }
    chosen = {"*": kinds[form]} if form in kinds else {}
    return Claims.from_frame(rows, attributes=chosen)


def check(table: Table | None) -> None:
    if table is None:
        return
    columns = {
        name: np.array(table[name].to_pylist(), float)
        for name in table.column_names
        if name in RATES or (name.endswith(("_low", "_high")))
    }
    for name, numbers in columns.items():
        known = numbers[~np.isnan(numbers)]
        assert ((known >= 0) & (known <= 1)).all(), (table.name, name, known.min(), known.max())
        if name.endswith("_low"):
            low, high = numbers, columns[f"{name.removesuffix('_low')}_high"]
            middle = columns.get(name.removesuffix("_low"), columns.get("labelled_rate"))
            there = ~np.isnan(low)
            assert middle is not None
            assert (low[there] <= middle[there]).all()
            assert (middle[there] <= high[there]).all()


def check_all(model: Any) -> None:
    for name in ("truths", "statements", "sources", "sources_by_attribute", "confusions"):
        check(getattr(model, f"{name}_"))


@pytest.mark.filterwarnings("ignore::veracity.errors.ConvergenceWarning")
@pytest.mark.parametrize("name", [name for name in MODELS if name not in NUMERIC])
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(drawn=tables(), labels=st.booleans())
def test_rates_stay_within(
    name: str, drawn: tuple[dict[str, list[Any]], str], labels: bool
) -> None:
    rows, form = drawn
    try:
        claims = read(rows, form)
    except InputError:
        return  # a boolean attribute of which only one word is claimed, say
    model = make_model(name)
    given = {key: rows[key][:1] for key in ("entity", "value")}
    uses = labels and model.uses_known_truth and "asserts" not in rows
    check_all(model.fit(claims, known_truth=given if uses else None))


def test_rates_stay_within_in_a_stream() -> None:
    rng = np.random.default_rng(3)
    model = make_model("grbm")
    for batch in range(3):
        entity = np.repeat(np.arange(20), 4) + 20 * batch
        model.partial_fit(
            {
                "source": [f"s{place}" for place in np.tile(np.arange(4), 20)],
                "entity": [f"e{place}" for place in entity],
                "value": rng.choice(["yes", "no"], len(entity), p=[0.95, 0.05]).tolist(),
            }
        )
        check_all(model)


def test_fpr_of_a_favoured_value_stays_below_one() -> None:
    fpr, right = np.array([0.9, 0.5, 0.05]), np.array([0.8, 0.8, 0.8])
    high = moved_fpr(fpr, right, np.array([0.5, 0.5, 0.5]))
    assert (high > fpr).all()
    assert (high < 1).all()
    assert high[2] == pytest.approx(0.05 * 0.5 / 0.2)  # a part of being wrong: in proportion
    assert moved_fpr(fpr, right, right) == pytest.approx(fpr)
    even = np.array([0.2])
    assert moved_fpr(even, np.array([0.8]), np.array([0.5])) == pytest.approx(0.5)
