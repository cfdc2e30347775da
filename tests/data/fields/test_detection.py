"""Attributes that are fields are found, others are left alone."""

from __future__ import annotations

import builtins
from typing import Any

import pytest
from tests.field_records import shop_rows

from veracity.data.claims import Claims
from veracity.data.fields.country import _countries
from veracity.data.fields.detection import look_at
from veracity.data.fields.suggestion import suggest_fields
from veracity.data.read.settings import Attribute
from veracity.errors import MissingDependency


def found(name: str, values: list[str]) -> str | None:
    one = look_at(name, values)
    return None if one is None else one.field


@pytest.mark.parametrize(
    ("name", "values", "field"),
    [
        ("phone", ["044 668 18 00", "044 668 18 01", "+41 44 668 18 02"], "phone"),
        ("contact_number", ["+41 44 668 18 00", "+41 44 668 18 01", "+41 44 668 18 02"], "phone"),
        ("isbn", ["9780131103627", "9780201633610", "9780262033848"], None),
        ("x", ["a@x.org", "b@x.org", "c@x.org"], "email"),
        ("homepage", ["x.org", "www.y.org", "http://z.org"], "url"),
        ("file", ["a.txt", "b.txt", "c.pdf"], None),
        ("opened", ["25/03/2020", "03/04/2020", "2020-01-01"], "date"),
        ("year", ["2001", "2002", "20020304"], None),
        ("version", ["10.4.11", "10.4.12", "10.5.01"], None),
        ("version", ["1.2.3", "1.2.4", "2.0.1"], None),
        ("revenue", ["1.2M", "1,200,000", "$5"], "amount"),
        ("score", ["1.5", "2.5", "3"], None),
        ("address", ["12 Main Street", "14 Main Street", "3 Side Road"], None),
        ("price", ["12", "13", "14"], None),
        ("employer", ["Alpha AG", "Beta", "Gamma Ltd"], "company"),
        ("name", ["Alpha AG", "Beta", "Gamma Ltd"], "company"),
        ("name", ["Alpha", "Beta", "Gamma"], None),
        ("author", ["Ann Lee", "Lee, Ann", "Bob Ray"], "person"),
        ("name", ["Ann Lee", "LEE, ANN", "Bob Ray"], "person"),
        ("name", ["Chair", "Table", "Blue Chair 12"], None),
        ("place", ["New York", "Los Angeles", "San Marino"], None),
        ("title", ["The Trial", "The Castle", "Amerika"], None),
        ("zip", ["8001", "D-80331", "SW1A 1AA"], "postal"),
        ("number", ["8001", "80331", "1234"], None),
        ("country", ["CH", "Germany", "FRA"], "country"),
        ("state", ["IN", "DE", "CA"], None),
        ("label", ["yes", "no", "maybe"], None),
        ("fax", ["044 668 18 00", "044 668 18 01", "044 668 18 02"], "phone"),
        ("phone", ["call me", "later", "044 668 18 00"], None),
        ("phone", ["044 668 18 00"], None),
    ],
)
def test_names_and_values_decide(name: str, values: list[str], field: str | None) -> None:
    assert found(name, values) == field


def test_shops_have_their_fields() -> None:
    claims = Claims.from_triples(shop_rows(), fields="auto")
    fields = {name: said.values for name, said in claims.settings.attributes.items()}
    assert fields == {
        "phone": "phone",
        "opened": "date",
        "revenue": "amount",
        "company": "company",
        "country": "country",
        "zip": "postal",
        "email": "email",
        "site": "url",
    }
    contested = {profile.name: profile.n_values for profile in claims.attributes}
    assert contested["country"] == 1
    assert contested["opened"] == contested["revenue"] == contested["company"] == 30


def test_what_was_merged_is_always_said() -> None:
    claims = Claims.from_triples(shop_rows(), fields="auto")
    notes = {str(note).split(":")[0]: str(note) for note in claims.notes}
    assert "3 spellings of 1 country were read as one: 'CH' = " in notes["country"]
    assert "60 spellings of 30 e-mail addresses were read as one each" in notes["email"]
    assert "to compare text: --compare email=text" in notes["email"]
    assert "read as numbers of CH" in notes["phone"]


def test_nothing_is_found_unless_asked_for() -> None:
    claims = Claims.from_triples(shop_rows(3))
    assert claims.settings.attributes == {}
    assert not [note for note in claims.notes if note.subject == "fields"]


def test_who_says_text_is_believed() -> None:
    claims = Claims.from_triples(
        shop_rows(5), fields="auto", attributes={"email": Attribute(values="text")}
    )
    assert claims.settings.for_attribute("email").values == "text"
    assert claims.settings.for_attribute("phone").values == "phone"


def test_distinctions_of_a_source_are_not_destroyed() -> None:
    rows = [
        ("ann", f"e{n}", "employer", name) for n, name in enumerate(["Alpha", "ALPHA", "alpha"])
    ]
    claims = Claims.from_triples(rows, fields="auto")
    assert claims.matrix.n_statements == 3
    (note,) = [str(note) for note in claims.notes if note.subject == "fields"]
    assert "looks like companies, but is compared as text" in note
    assert "--compare employer=company" in note


def test_inspection_suggests_options() -> None:
    claims = Claims.from_triples(shop_rows())
    told = {one.found.attribute: one for one in suggest_fields(claims)}
    assert told["phone"].option == "--compare phone=phone"
    assert "would be read as one each" in told["phone"].sentence()
    assert told["country"].as_dict()["n_values"] == 1
    assert suggest_fields(Claims.from_triples(shop_rows(), fields="auto")) == []


def test_without_the_library_only_some_fields_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name.split(".")[0] in ("phonenumbers", "babel"):
            raise ImportError(name)
        return real(name, *rest)

    _countries.cache_clear()
    monkeypatch.setattr(builtins, "__import__", missing)
    claims = Claims.from_triples(shop_rows(), fields="auto")
    fields = {said.values for said in claims.settings.attributes.values()}
    assert fields == {"date", "amount", "company", "postal", "email", "url"}
    with pytest.raises(MissingDependency, match=r"pip install 'veracity\[fields\]'"):
        Claims.from_triples(shop_rows(3), attributes={"country": Attribute(values="country")})
