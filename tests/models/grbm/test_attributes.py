"""The form of an attribute follows from its kind, its domain and its number of items."""

from __future__ import annotations

from tests.worlds import BOOLEAN, CLOSED, OPEN, world

from veracity import Attribute
from veracity.models.grbm.attributes import choose_forms, same_forms


def test_forms_follow_kind_domain_and_number_of_items() -> None:
    def form(attribute: Attribute, n_items: int, n_values: int = 3) -> str:
        drawn = world([0.7] * 4, n_items, n_values=n_values, attribute=attribute)
        (own,) = choose_forms(drawn.claims.matrix.profiles)
        return own.form

    assert form(OPEN, 200) == "one-coin"
    assert form(CLOSED, 36) == "confusion"  # four items for each pair of three classes
    assert form(CLOSED, 35) == "one-coin"
    assert form(BOOLEAN, 5, 2) == "per-statement"
    assert form(Attribute("multiple"), 5) == "per-statement"


def test_another_table_is_judged_in_the_forms_of_the_fit() -> None:
    large = choose_forms(world([0.7] * 4, 200, n_values=3).claims.matrix.profiles)
    small = world([0.7] * 4, 3, n_values=3).claims.matrix
    assert choose_forms(small.profiles)[0].form == "one-coin"
    (own,) = same_forms(small, large)
    assert (own.form, own.n_classes, own.first, own.last) == ("confusion", 3, 0, 3)
    (unknown,) = same_forms(small, [])
    assert unknown.form == "one-coin"
    boolean = world([0.7] * 4, 3, n_values=2, attribute=BOOLEAN).claims.matrix
    (other,) = same_forms(boolean, large)  # of the same name, but of another kind
    assert other.form == "per-statement"
