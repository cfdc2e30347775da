"""Properties of every field: forms are stable, nothing escapes, distinctions stay."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import NASTY

from veracity.data.fields.amount import canonical_amount
from veracity.data.fields.company import canonical_company
from veracity.data.fields.date import canonical_date
from veracity.data.fields.email import canonical_email
from veracity.data.fields.notation import Notation
from veracity.data.fields.person import canonical_person
from veracity.data.fields.registry import FIELDS
from veracity.data.fields.url import canonical_url

NOTATIONS: dict[str, tuple[str | None, ...]] = {
    "date": (None, "dmy", "mdy"),
    "amount": (None, "point", "comma"),
    "phone": (None, "CH", "US", "DE"),
    "postal": (None, "5"),
}
HOSTILE = (
    "",
    " ",
    "\x00",
    "a\x00b@c.org",
    "\ud800",
    "1" * 100_000,
    "+" * 5_000,
    "1,1" * 5_000,
    "(" * 5_000 + "1",
    "a." * 5_000 + "org",
    "a@" * 5_000,
    " " * 10_000 + "x",
    "\u202e0668 44 14+",
    "\u05e9\u05dc\u05d5\u05dd",
    "\u0664\u0665/\u0663/\u0662\u0660\u0662\u0660",
    "\U0001f984" * 100,
    "\ufdfa" * 150,
    "1e999",
    "9" * 70 + "e99",
    "-",
    ".",
    ",",
    "%",
    "$",
    "0/0/0000",
    "99/99/99",
    "http://",
    "http://[::1",
    "//",
    "x.org:99999999999999999999",
    "the",
    "Ltd",
    "& & &",
    ",,,",
    "+0",
    "00",
    "+41",
    *NASTY,
)
#: Signs that fields are made of, so that many of the texts can be read.
LIKELY = st.text("0123456789 +-/.,:()@%$&abcdmnorstwxMKB\u20ac\u00e9'", max_size=24)
PIECES_OF_FIELDS = (
    "12|3|2020|1.5|1,5|million|M|$|EUR|March|25|/|-|.|,| |Ltd|GmbH|Co|and|&|the|Smith|Dr|Jr|J.|+41"
    "|0|@|x.org|www.|http://|CH-|8001|km|%|(0)|ext|T|00:00"
)
PIECES = st.lists(
    st.sampled_from(PIECES_OF_FIELDS.split("|")),
    max_size=7,
).map("".join)
TEXTS = st.one_of(LIKELY, PIECES, st.text(max_size=30))


def readings(text: str) -> dict[tuple[str, str | None], str | None]:
    """Return the form of a text in each field and notation."""
    return {
        (name, notation): field.read(text, notation, Notation())
        for name, field in FIELDS.items()
        for notation in NOTATIONS.get(name, (None,))
    }


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:12]))
def test_nothing_escapes_from_hostile_text(text: str) -> None:
    assert all(form is None or form for form in readings(text).values())


@given(TEXTS)
def test_the_form_of_a_form_is_itself(text: str) -> None:
    for (name, notation), form in readings(text).items():
        if form is not None:
            assert FIELDS[name].read(form, notation, Notation()) == form, (name, notation)


@given(TEXTS)
def test_spaces_around_a_text_do_not_matter(text: str) -> None:
    assert readings(f" {text}  ") == readings(text)


ADDRESSES = st.tuples(
    st.text("abcXYZ019.+-_", min_size=1, max_size=8), st.sampled_from(["x.org", "Y.org"])
).map("@".join)


@given(ADDRESSES, ADDRESSES)
def test_different_addresses_are_never_merged(one: str, other: str) -> None:
    same = canonical_email(one) == canonical_email(other)
    assert same == (one.lower() == other.lower())


@given(st.dates(), st.dates())
def test_different_days_are_never_merged(one: date, other: date) -> None:
    for form in ("%Y-%m-%d", "%d.%m.%Y", "%d %B %Y"):
        read = [canonical_date(day.strftime(form)) for day in (one, other)]
        if min(one.year, other.year) >= 1000:  # strftime writes fewer digits before
            assert (read[0] == read[1]) == (one == other)


@given(st.dates(date(1000, 1, 1)))
def test_a_day_is_read_as_it_was_written(day: date) -> None:
    assert canonical_date(day.strftime("%d/%m/%Y"), "dmy") == day.isoformat()
    assert canonical_date(day.strftime("%m/%d/%Y"), "mdy") == day.isoformat()
    assert canonical_date(day.strftime("%m/%d/%Y")) in (None, day.isoformat())


@given(st.integers(0, 10**15), st.integers(0, 99))
def test_an_amount_is_read_as_it_was_written(whole: int, cents: int) -> None:
    expected = canonical_amount(f"{whole}.{cents:02d}", "point")
    assert canonical_amount(f"{whole:,}.{cents:02d}", "point") == expected
    turned = f"{whole:,}".replace(",", ".")
    assert canonical_amount(f"{turned},{cents:02d}", "comma") == expected
    assert canonical_amount(f"{turned},{cents:02d}") == expected  # one reading only


NAMES = st.lists(
    st.text("abcdefghij", min_size=2, max_size=6).map(str.title), min_size=2, max_size=3
)


@given(NAMES)
def test_the_order_of_names_is_that_of_commas(names: list[str]) -> None:
    turned = f"{names[-1]}, {' '.join(names[:-1])}"
    assert canonical_person(turned) == canonical_person(" ".join(names))


@given(st.text(max_size=20), st.sampled_from(["Ltd", "GmbH", "Inc", "S.A."]))
def test_a_legal_form_is_all_that_is_dropped(name: str, form: str) -> None:
    bare = canonical_company(name, ())
    if bare is not None:
        assert canonical_company(f"{name} {form}", ()) == bare


@given(st.from_regex(r"[a-z]{1,8}(/[A-Za-z0-9]{1,4}){0,3}", fullmatch=True))
def test_scheme_and_last_slash_of_an_address_do_not_matter(path: str) -> None:
    host, _, rest = path.partition("/")
    bare = f"{host}.org/{rest}" if rest else f"{host}.org"
    ways: list[Callable[[str], str]] = ["http://{}".format, "https://www.{}/".format, "{}/".format]
    assert {canonical_url(way(bare)) for way in ways} == {canonical_url(bare)}
