"""The fields by name, and how each is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from veracity.data.fields.amount import (
    DECIMAL_SIGNS,
    canonical_amount,
    proven_decimal_sign,
    read_amount,
)
from veracity.data.fields.company import canonical_company, read_company
from veracity.data.fields.country import canonical_country
from veracity.data.fields.date import ORDERS, canonical_date, proven_order
from veracity.data.fields.email import canonical_email
from veracity.data.fields.notation import Notation
from veracity.data.fields.person import canonical_person
from veracity.data.fields.phone import canonical_phone, is_region, proven_region
from veracity.data.fields.postal import canonical_postal, lengths_with_zero
from veracity.data.fields.url import canonical_url

#: What can tell the notation of a source: a value that has one reading only, agreement with other
#: sources on the same items, and the notation that nearly all other sources use.
Evidence = Literal["proof", "agreement", "others"]
#: The notation of postal codes that have all their digits.
AS_WRITTEN = "0"
#: How many digits postal codes have that can lose zeros.
DIGITS = (AS_WRITTEN, "4", "5", "6", "7")


@dataclass(frozen=True)
class Field:
    """A field: how its values are read and compared.

    Attributes
    ----------
    name, one, many
        What it is called as an option, and in sentences.
    read
        Text, notation and rule to the form in which it is compared; None if it is no such value.
    notations
        The notations there are; none if they are found among the values.
    proof
        The notation that a text proves, or hints at.
    evidence
        What tells the notation of a source, in this order.
    kin
        What a value shares with others, and what tells it from them: the name and legal form of a
        company, the unit of an amount.
    """

    name: str
    one: str
    many: str
    read: Callable[[str, str | None, Notation], str | None]
    notations: tuple[str, ...] = ()
    proof: Callable[[str], str | None] | None = None
    evidence: tuple[Evidence, ...] = ()
    kin: Callable[[str], tuple[str, str] | None] | None = None

    @property
    def with_article(self) -> str:
        """What one of them is called: ``a date``, ``an amount``."""
        return f"{'an' if self.one[0] in 'aeiou' else 'a'} {self.one}"

    @property
    def learns(self) -> bool:
        """Whether there is anything to be learned from the claims."""
        return bool(self.evidence) or self.kin is not None

    def allows(self, notation: str) -> bool:
        """Whether a notation exists."""
        if self.notations:
            return notation in self.notations
        if self.name == "phone":
            return is_region(notation)
        return self.name == "postal" and notation in DIGITS


def _company_kin(text: str) -> tuple[str, str] | None:
    found = read_company(text)
    return None if found is None else (found.name, found.form)


def _amount_kin(text: str) -> tuple[str, str] | None:
    found = read_amount(text, "point")
    return None if found is None else ("", found.unit)


_ALL = (
    Field(
        "date",
        "date",
        "dates",
        lambda text, notation, rule: canonical_date(text, notation),
        ORDERS,
        proven_order,
        ("proof", "agreement", "others"),
    ),
    Field(
        "amount",
        "amount",
        "amounts",
        lambda text, notation, rule: canonical_amount(text, notation, rule.unit),
        DECIMAL_SIGNS,
        proven_decimal_sign,
        ("proof", "agreement", "others"),
        _amount_kin,
    ),
    Field(
        "phone",
        "phone number",
        "phone numbers",
        lambda text, notation, rule: canonical_phone(text, notation),
        proof=proven_region,
        evidence=("agreement", "proof", "others"),
    ),
    Field(
        "postal",
        "postal code",
        "postal codes",
        lambda text, notation, rule: canonical_postal(text, notation),
        proof=lengths_with_zero,
        evidence=("agreement",),
    ),
    Field(
        "company",
        "company",
        "companies",
        lambda text, notation, rule: canonical_company(text, rule.contested),
        kin=_company_kin,
    ),
    Field(
        "email",
        "e-mail address",
        "e-mail addresses",
        lambda text, notation, rule: canonical_email(text),
    ),
    Field("url", "web address", "web addresses", lambda text, notation, rule: canonical_url(text)),
    Field("person", "person", "people", lambda text, notation, rule: canonical_person(text)),
    Field("country", "country", "countries", lambda text, notation, rule: canonical_country(text)),
)
FIELDS = {field.name: field for field in _ALL}
