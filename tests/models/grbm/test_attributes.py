"""The form of an attribute follows from its kind, its domain, and how much there is of it."""

from __future__ import annotations

import pytest
from tests.worlds import BOOLEAN, CLOSED, OPEN, world

from veracity import Attribute, Claims
from veracity.data.encode.attributes import AttributeProfile
from veracity.models.grbm.attributes import AttributeRange, choose_forms, same_forms


def form_of(
    attribute: Attribute, n_items: int, n_values: int = 3, median: float = 0.0
) -> AttributeRange:
    """Return how an attribute is judged, given the number of claims of the median source."""
    drawn = world([0.7] * 4, n_items, n_values=n_values, attribute=attribute)
    (own,) = choose_forms(drawn.claims.matrix.profiles, {"value": median})
    return own


def test_forms_follow_kind_domain_and_number_of_items() -> None:
    assert form_of(OPEN, 200).form == "lures"
    assert form_of(CLOSED, 36).form == "confusion"  # four items for each pair of three classes
    assert form_of(CLOSED, 35).form == "one-coin"
    assert form_of(BOOLEAN, 16, 2).form == "confusion"  # no and yes are two classes
    assert form_of(BOOLEAN, 15, 2).form == "one-coin"
    assert form_of(Attribute("multiple"), 5).form == "per-statement"


@pytest.mark.parametrize(("median", "form"), [(14.0, "one-coin"), (15.0, "confusion")])
def test_sources_with_many_claims_make_classes_of_few_items(median: float, form: str) -> None:
    own = form_of(CLOSED, 35, median=median)  # five claims for each of three classes
    assert own.form == form
    assert not own.confuses  # for want of items


def test_confusion_needs_three_classes_and_many_items() -> None:
    assert form_of(CLOSED, 36).confuses
    assert not form_of(CLOSED, 200, n_values=2).confuses


def profiles(n_open: int, n_closed: int, n_yes: int) -> list[AttributeProfile]:
    """Return the profiles of three attributes with so many items."""
    kinds = {"open": OPEN, "closed": CLOSED, "sure": BOOLEAN}
    rows = [
        (source, f"{name}{item}", name, word)
        for name, n_items in zip(kinds, (n_open, n_closed, n_yes), strict=True)
        for item in range(n_items)
        for source, word in (("a", "yes"), ("b", "no"))
    ]
    columns = {name: [row[i] for row in rows] for i, name in enumerate(NAMES)}
    return list(Claims.from_frame(columns, attributes=kinds).matrix.profiles)


NAMES = ("source", "entity", "attribute", "value")


def test_if_most_items_are_open_all_single_values_are_taken_to_be() -> None:
    mostly = {own.name: own for own in choose_forms(profiles(100, 50, 40), {})}
    assert {name: own.form for name, own in mostly.items()} == {
        "open": "lures",
        "closed": "lures",
        "sure": "one-coin",
    }
    assert {own.hardness for own in mostly.values()} == {1.5}
    rarely = {own.name: own for own in choose_forms(profiles(40, 100, 50), {})}
    assert {name: own.form for name, own in rarely.items()} == {
        "open": "lures",
        "closed": "confusion",
        "sure": "confusion",
    }
    assert {own.hardness for own in rarely.values()} == {0.5}


def test_another_table_is_judged_in_the_forms_of_the_fit() -> None:
    large = choose_forms(world([0.7] * 4, 200, n_values=3).claims.matrix.profiles, {})
    small = world([0.7] * 4, 3, n_values=3).claims.matrix
    assert choose_forms(small.profiles, {})[0].form == "one-coin"
    (own,) = same_forms(small, large)
    assert (own.form, own.n_classes, own.first, own.last) == ("confusion", 3, 0, 3)
    (unknown,) = same_forms(small, [])
    assert unknown.form == "lures"  # which needs no classes
    several = world([0.7] * 4, 3, n_values=2, attribute=Attribute("multiple")).claims.matrix
    (other,) = same_forms(several, large)  # of the same name, but of another kind
    assert other.form == "per-statement"
