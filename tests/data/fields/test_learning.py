"""Notations of sources: told by their own values, by agreement, by all others, or by nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from tests.field_records import shop_rows

from veracity.data.claims import Claims
from veracity.data.fields.notation import Notation
from veracity.data.read.settings import Attribute
from veracity.errors import InvalidParameter

DATE = Attribute(values="date")
AMOUNT = Attribute(values="amount")


def read(rows: Sequence[tuple[str, ...]], said: Attribute, **options: Any) -> Claims:
    return Claims.from_triples(rows, attributes={"*": said}, **options)


def rule(claims: Claims) -> Notation:
    return claims.settings.for_attribute("value").rule


def n_values(claims: Claims) -> int:
    return int(claims.matrix.n_statements)


def note(claims: Claims) -> str:
    (found,) = [str(one) for one in claims.notes if one.subject == "fields"]
    return found


def test_a_day_beyond_twelve_tells_the_order_of_its_source() -> None:
    rows = [
        ("uk", "a", "25/03/2020"),
        ("uk", "b", "03/04/2020"),
        ("us", "a", "03/25/2020"),
        ("us", "b", "04/03/2020"),
    ]
    claims = read(rows, DATE)
    assert rule(claims).of_source == {"uk": "dmy", "us": "mdy"}
    assert n_values(claims) == 2
    assert "'us': read as month/day/year (told by its own values)" in note(claims)


def test_a_text_that_means_two_days_is_two_values() -> None:
    rows = [
        ("uk", "a", "25/03/2020"),
        ("us", "a", "03/25/2020"),
        ("uk", "b", "03/04/2020"),
        ("us", "b", "03/04/2020"),
    ]
    claims = read(rows, DATE)
    values = set(claims.to_arrow()["value"].to_pylist())
    assert {"2020-04-03", "2020-03-04"} < values
    assert "2 values are shown in plain form" in note(claims)


def test_agreement_on_the_same_items_tells_the_order() -> None:
    rows = [("iso", f"e{n}", f"2020-0{n}-0{n + 1}") for n in range(1, 6)]
    rows += [("us", f"e{n}", f"0{n}/0{n + 1}/2020") for n in range(1, 6)]
    claims = read(rows, DATE)
    assert rule(claims).of_source == {"us": "mdy"}
    assert n_values(claims) == 5
    assert set(claims.to_arrow()["value"].to_pylist()) <= {value for _, _, value in rows}


def test_the_order_of_all_others_is_that_of_a_source_that_does_not_tell() -> None:
    rows = [("uk", "a", "25/03/2020"), ("uk", "b", "03/04/2020"), ("new", "c", "05/06/2020")]
    claims = read(rows, DATE)
    assert rule(claims).default == "dmy"
    assert claims.forms.key("value", "05/06/2020") == "2020-06-05"
    assert "Nothing tells how 'new' writes dates; 1 claim could mean several things, and they are "
    assert "read like the others" in note(claims)


def test_where_nothing_tells_dates_stay_text() -> None:
    rows = [("x", "a", "03/04/2020"), ("y", "a", "3 April 2020"), ("y", "b", "5 May 2020")]
    rows += [("x", "b", "01/02/2020")]
    mixed = [("x", "c", "03/04/2020"), ("y", "c", "4 March 2020")]
    claims = read([*rows, *mixed], DATE)  # agrees as often in one order as in the other
    assert rule(claims).default is None
    assert "they stay text" in note(claims)
    assert claims.forms.key("value", "03/04/2020") == "03/04/2020"


def test_a_source_that_mixes_both_orders_proves_neither() -> None:
    rows = [("x", "a", "25/03/2020"), ("x", "b", "03/25/2020"), ("x", "c", "03/04/2020")]
    assert rule(read(rows, DATE)).of_source == {}


def test_decimal_signs_are_those_of_each_source() -> None:
    rows = [
        ("us", "a", "1,234"),
        ("us", "b", "1,234.50"),
        ("de", "a", "1.234"),
        ("de", "b", "1234,50"),
    ]
    claims = read(rows, AMOUNT)
    assert rule(claims).of_source == {"us": "point", "de": "comma"}
    assert n_values(claims) == 2


def test_the_only_unit_is_that_of_amounts_without_one() -> None:
    rows = [("a", "x", "$1.2M"), ("b", "x", "1,200,000"), ("c", "x", "USD 1200000")]
    assert n_values(read(rows, AMOUNT)) == 1
    assert n_values(read([*rows, ("d", "y", "5 EUR")], AMOUNT)) == 3


def test_the_unit_is_found_even_if_the_decimal_sign_is_given() -> None:
    rows = [("a", "x", "$1.234"), ("b", "x", "1234")]
    assert n_values(read(rows, Attribute(values="amount", notation="comma"))) == 1


def test_amounts_within_a_tolerance_are_one_unless_units_differ() -> None:
    rows = [("a", "x", "1.2M USD"), ("b", "x", "$1,201,000"), ("c", "x", "EUR 1,200,000")]
    claims = read(rows, Attribute(values="amount", tolerance="1%"))
    assert n_values(claims) == 2


@pytest.mark.parametrize(("national", "region"), [("044 668 18 00", "CH"), ("030 123456", "DE")])
def test_the_region_of_phones_is_that_of_other_numbers(national: str, region: str) -> None:
    whole = {"CH": "+41 44 668 18 00", "DE": "+49 30 123456"}[region]
    rows = [("a", "x", whole), ("b", "x", national)]
    claims = read(rows, Attribute(values="phone"))
    assert rule(claims).default == region
    assert n_values(claims) == 1


def test_each_source_has_its_own_region_where_countries_mix() -> None:
    rows = [(s, f"{c}{n}", f"{p}{n}") for s, c, p in (
        ("all", "ch", "+41 44 668 18 0"), ("all", "de", "+49 30 1234 5"),
        ("swiss", "ch", "044 668 18 0"), ("german", "de", "030 1234 5"),
    ) for n in range(4)]  # fmt: skip
    claims = read(rows, Attribute(values="phone"))
    assert {"swiss": "CH", "german": "DE"}.items() <= rule(claims).of_source.items()
    assert n_values(claims) == 8


def test_lost_zeros_come_back_for_the_source_that_lost_them() -> None:
    rows = [("post", "a", "02134"), ("sheet", "a", "2134"), ("post", "b", "80331")]
    rows += [("post", "c", "8001"), ("sheet", "b", "80331")]
    claims = read(rows, Attribute(values="postal"))
    assert rule(claims).of_source["sheet"] == "5"
    assert n_values(claims) == 3
    assert claims.forms.key("value", "8001") == "8001"


def test_legal_forms_tell_companies_apart_only_where_both_are_claimed() -> None:
    said = Attribute(values="company")
    rows = [
        ("a", "x", "Alpha AG"),
        ("b", "x", "ALPHA"),
        ("a", "y", "Beta AG"),
        ("b", "y", "Beta GmbH"),
    ]
    claims = read(rows, said)
    assert rule(claims).apart == ("beta",)
    assert n_values(claims) == 3


def test_what_the_user_says_is_not_learned_again() -> None:
    rows = [("x", "a", "25/03/2020"), ("x", "b", "03/04/2020")]
    claims = read(rows, Attribute(values="date", notation="mdy"))
    assert claims.forms.key("value", "03/04/2020") == "2020-03-04"
    of_source = read(rows, Attribute(values="date", notation={"x": "mdy", "*": "dmy"}))
    values = of_source.to_arrow()["value"].to_pylist()
    assert [of_source.forms.key("value", value) for value in values][1] == "2020-03-04"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"values": "date", "notation": "ymd"}, "'ymd' is no notation of dates. Expected dmy"),
        ({"values": "phone", "notation": "ZZ"}, "'ZZ' is no notation of phone numbers"),
        ({"values": "email", "notation": "dmy"}, "notation is for dates, amounts, phone"),
        ({"notation": "dmy"}, "notation is for dates, amounts, phone"),
        ({"values": "date", "notation": 3}, "notation must be a name such as 'dmy'"),
        ({"values": "phone", "tolerance": 1}, "cannot be set for phone numbers"),
    ],
)
def test_notations_that_do_not_exist_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        Attribute(**given)


def test_the_order_of_rows_plays_no_part() -> None:
    rows = shop_rows(12)
    one, other = (Claims.from_triples(each, fields="auto") for each in (rows, rows[::-1]))
    assert one.settings.attributes == other.settings.attributes
    assert [*map(str, one.notes)] == [*map(str, other.notes)]
    shown = [sorted(map(str, each.to_arrow().to_pylist())) for each in (one, other)]
    assert shown[0] == shown[1]


def test_values_shown_are_values_that_were_claimed() -> None:
    rows = shop_rows()
    claims = Claims.from_triples(rows, fields="auto")
    pairs = {(row["attribute"], row["value"]) for row in claims.to_arrow().to_pylist()}
    invented = pairs - {(attribute, value) for _, _, attribute, value in rows}
    assert invented == set()


def test_claims_in_their_spelling_are_read_the_same_again() -> None:
    claims = Claims.from_triples(shop_rows(), fields="auto")
    said = {
        name: Attribute(values=own.values, notation=own.rule.of_spellings())
        for name, own in claims.settings.attributes.items()
    }
    again = Claims.from_frame(claims.in_use(), attributes=said)
    assert again.matrix.n_statements == claims.matrix.n_statements
    assert again.to_arrow()["value"].to_pylist() == claims.to_arrow()["value"].to_pylist()
