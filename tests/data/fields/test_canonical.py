"""Each field by examples: what is the same, what is not, what cannot be read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from veracity.data.fields.amount import canonical_amount
from veracity.data.fields.company import canonical_company
from veracity.data.fields.country import canonical_country
from veracity.data.fields.date import canonical_date, proven_order
from veracity.data.fields.email import canonical_email
from veracity.data.fields.person import canonical_person
from veracity.data.fields.phone import canonical_phone
from veracity.data.fields.postal import canonical_postal
from veracity.data.fields.url import canonical_url

Canonical = Callable[[str], str | None]


def in_switzerland(text: str) -> str | None:
    return canonical_phone(text, "CH")


def with_point(text: str) -> str | None:
    return canonical_amount(text, "point")


def with_comma(text: str) -> str | None:
    return canonical_amount(text, "comma")


@pytest.mark.parametrize(
    ("canonical", "form", "texts"),
    [
        (
            in_switzerland,
            "+41446681800",
            ["+41 44 668 18 00", "044 668 18 00", "0041446681800", "+41 (0)44/668-18-00"],
        ),
        (in_switzerland, "+41446681800;ext=12", ["044 668 18 00 ext. 12", "+41446681800 x12"]),
        (canonical_phone, "+41446681800", ["\u202a+41 44 668 18 00\u202c", "Tel. +41446681800"]),
        (canonical_email, "a.b@x.org", ["A.B@x.org", "mailto:a.b@X.ORG", "Ann <a.b@x.org>"]),
        (
            canonical_url,
            "x.org/a?id=1",
            ["http://www.x.org/a/?id=1", "HTTPS://X.org:443/a?utm_medium=b&id=1", "x.org/a?id=1"],
        ),
        (
            canonical_date,
            "2020-03-25",
            ["25/03/2020", "03-25-2020", "25.3.2020", "25th of March 2020", "March 25, 2020"],
        ),
        (canonical_date, "2020-03-25", ["25 M\u00e4rz 2020", "2020/3/25", "25/03/20"]),
        (
            canonical_date,
            "2020-03-25",
            ["Wed, 25 Mar 2020", "2020-03-25 00:00"],
        ),
        (canonical_date, "2020-03-25T13:45:00", ["25/03/2020 13:45", "2020-03-25T13:45"]),
        (
            with_point,
            "1200000",
            ["1.2M", "1,200,000", "1200k", "1.2 million", "12,00,000", "1 200 000", "1.2e6"],
        ),
        (with_comma, "1200000", ["1,2 Mio", "1.200.000,00", "1,2 Mio.", "1200 Tsd"]),
        (with_point, "1200000 USD", ["USD 1.2 million", "$1.2m", "US$ 1,200,000", "1.2M dollars"]),
        (with_point, "5000000000 EUR", ["5 bn \u20ac", "\u20ac5B", "EUR 5,000,000,000.00"]),
        (with_point, "-12 %", ["-12 %", "\u221212%", "-12.0 percent"]),
        (with_point, "1500 m", ["1.5 km", "1500 m", "150,000 cm"]),
        (canonical_company, "alpha ltd", ["Alpha Ltd", "ALPHA LIMITED", "Alpha, Ltd."]),
        (canonical_company, "muller co", ["M\u00fcller & Co.", "Muller and Company"]),
        (canonical_company, "alpha gmbh", ["Alpha GmbH", "Alpha G.m.b.H."]),
        (canonical_person, "john smith", ["John Smith", "Smith, John", "Prof. Dr. John Smith"]),
        (canonical_person, "jose garcia", ["Jos\u00e9 Garc\u00eda", "GARC\u00cdA, JOS\u00c9"]),
        (canonical_person, "john smith jr", ["John Smith Jr.", "Smith, John, Jr."]),
        (canonical_postal, "SW1A1AA", ["SW1A 1AA", "sw1a1aa"]),
        (canonical_postal, "80331", ["80331", "D-80331", "DE 80331", "80331.0"]),
        (canonical_country, "US", ["USA", "U.S.", "United States of America", "us", "Etats-Unis"]),
        (canonical_country, "CI", ["C\u00f4te d\u2019Ivoire", "Ivory Coast", "CIV"]),
    ],
)
def test_spellings_of_one_thing(canonical: Canonical, form: str, texts: list[str]) -> None:
    assert {text: canonical(text) for text in texts} == dict.fromkeys(texts, form)


@pytest.mark.parametrize(
    ("canonical", "one", "other"),
    [
        (in_switzerland, "044 668 18 00", "044 668 18 01"),
        (canonical_phone, "+41 44 668 18 00", "+49 44 668 18 00"),
        (canonical_email, "ann.lee@x.org", "annlee@x.org"),
        (canonical_email, "ann+a@x.org", "ann@x.org"),
        (canonical_url, "x.org/a", "x.org/A"),
        (canonical_url, "x.org?a=1", "x.org?a=2"),
        (canonical_url, "http://x.org:8080", "http://x.org"),
        (with_point, "1.2M", "1.25M"),
        (with_point, "5 USD", "5 EUR"),
        (with_point, "12 %", "12"),
        (with_point, "5 m", "5 M"),
        (canonical_company, "Alpha AG", "Alpha GmbH"),
        (canonical_company, "Alpha", "Alpha Beta"),
        (canonical_person, "J. Smith", "John Smith"),
        (canonical_person, "John Smith", "John Smith Jr."),
        (canonical_postal, "2134", "02134"),
        (canonical_postal, "12345-6789", "12345"),
        (canonical_country, "Niger", "Nigeria"),
        (canonical_country, "Guinea", "Guinea-Bissau"),
        (canonical_country, "South Korea", "North Korea"),
    ],
)
def test_different_things_stay_apart(canonical: Canonical, one: str, other: str) -> None:
    assert canonical(one) is not None
    assert canonical(other) is not None
    assert canonical(one) != canonical(other)


@pytest.mark.parametrize(
    ("canonical", "text"),
    [
        (canonical_phone, "call me"),
        (canonical_phone, "12"),
        (canonical_phone, "+999 123 456 789"),
        (canonical_email, "ann@localhost"),
        (canonical_email, "a@b@c.org"),
        (canonical_url, "just words"),
        (canonical_url, "1.5"),
        (canonical_url, "ftp://x.org"),
        (canonical_url, "http://[x.org"),
        (canonical_date, "03/04/2020"),
        (canonical_date, "March 2020"),
        (canonical_date, "31/02/2020"),
        (canonical_date, "2020"),
        (canonical_amount, "1,234"),
        (canonical_amount, "7 to 9"),
        (canonical_amount, "about 7"),
        (canonical_amount, "12,34,5"),
        (canonical_company, "---"),
        (canonical_person, "A. Smith; B. Jones"),
        (canonical_person, "R2 D2"),
        (canonical_postal, "Zurich"),
        (canonical_country, "Zurich"),
    ],
)
def test_what_cannot_be_read_in_one_way_is_left_alone(canonical: Canonical, text: str) -> None:
    assert canonical(text) is None


def test_a_date_that_has_one_reading_proves_the_order() -> None:
    texts = ("25/03/2020", "03/25/2020", "03/04/2020", "03/03/2020", "25.03.2020", "31/02/2020")
    assert [proven_order(text) for text in texts] == ["dmy", "mdy", None, None, None, None]


def test_zeros_that_a_spreadsheet_took_away_come_back() -> None:
    assert canonical_postal("2134", "5") == canonical_postal("02134")
    assert canonical_postal("SW1A 1AA", "5") == "SW1A1AA"


def test_legal_forms_count_only_where_several_are_claimed() -> None:
    assert canonical_company("Alpha AG", ()) == canonical_company("Alpha", ()) == "alpha"
    assert canonical_company("Alpha AG", {"alpha"}) != canonical_company("Alpha GmbH", {"alpha"})
