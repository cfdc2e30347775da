"""Which attributes are phone numbers, dates, amounts and so on: by their names and values."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import pyarrow as pa

from veracity.data.fields.amount import UNITS, read_amount
from veracity.data.fields.company import read_company
from veracity.data.fields.country import canonical_country
from veracity.data.fields.date import canonical_date
from veracity.data.fields.email import canonical_email
from veracity.data.fields.learning import Learned, learn_notations
from veracity.data.fields.person import canonical_person
from veracity.data.fields.phone import canonical_phone
from veracity.data.fields.plain_text import word_set
from veracity.data.fields.postal import canonical_postal
from veracity.data.fields.registry import FIELDS
from veracity.data.fields.url import canonical_url
from veracity.data.read.relations import Relations, complete
from veracity.data.read.settings import ANY_ATTRIBUTE, Comparison, Settings
from veracity.errors import MissingDependency

#: Share of the values of an attribute that must be readable.
READABLE_SHARE = 0.9
FEWEST_VALUES = 3
#: The commonest values of each attribute are looked at: so many at most, and so many in all.
MOST_VALUES = 2_000
MOST_VALUES_IN_ALL = 200_000
FORMED = pa.schema({name: pa.string() for name in ("attribute", "value", "form")})


@dataclass(frozen=True)
class Found:
    """An attribute that looks like a field.

    ``share`` of its values can be read as such. ``n_joined`` items have spellings of different
    sources that would become one value; ``n_split`` values would be joined that a source tells
    apart. If there are more of the latter, the attribute is left as it is.
    """

    attribute: str
    field: Comparison
    share: float
    n_joined: int = 0
    n_split: int = 0

    @property
    def harms(self) -> bool:
        """Whether merging would destroy more than it joins."""
        return self.n_split > self.n_joined


@dataclass(frozen=True)
class Look:
    """What an attribute must look like to be a field.

    Attributes
    ----------
    field
        The field.
    names
        Words in the name of the attribute that speak for it.
    reads
        Whether a value can be read as such.
    tells
        Whether a value is typical; enough of them make up for a name that says nothing.
    share
        How many of the values must be typical, where the name says nothing; None if it must.
    hints
        Words of which the name must have one even then; empty if any name will do.
    always
        Whether some must be typical, whatever the name.
    """

    field: Comparison
    names: frozenset[str]
    reads: Callable[[str], bool]
    tells: Callable[[str], bool] = lambda text: True
    share: float | None = None
    hints: frozenset[str] = frozenset()
    always: bool = False

    def share_of(self, name_words: Collection[str], values: Sequence[str]) -> float | None:
        """Return the share of values that can be read, None if the attribute is another thing."""
        typical = [text for text in values if self.tells(text)]
        words = set(name_words)
        hinted = not self.hints or bool(self.hints & words)
        enough = self.share is not None and len(typical) >= self.share * len(values)
        if not self.names & words and not (hinted and enough):
            return None
        if self.always and not typical:
            return None
        share = sum(map(self.reads, values)) / len(values)
        return share if share >= READABLE_SHARE else None


#: Four digits: 10.4.12 may be a version.
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)", re.ASCII)
_PLAIN_NUMBER = re.compile(r"[+-]?[0-9]+([.][0-9]+)?")


def _reads_date(text: str) -> bool:
    return not text.strip().isdigit() and canonical_date(text, "dmy") is not None


def _has_year(text: str) -> bool:
    return _YEAR.search(text) is not None


def _reads_amount(text: str) -> bool:
    """Whether a text is a number alone or with a known unit; 12 Main Street is not an amount."""
    found = read_amount(text, "point")
    return found is not None and (found.unit in ("", *_BASES) or found.unit.isupper())


#: Two to four words without digits.
_SEVERAL_NAMES = re.compile(r"[^\W\d_][^\s\d]*(?: [^\W\d_][^\s\d]*){1,3}")
_BASES = frozenset(base for base, _ in UNITS.values())


def _tells_amount(text: str) -> bool:
    return _PLAIN_NUMBER.fullmatch(text.strip()) is None


def _has_form(text: str) -> bool:
    found = read_company(text)
    return found is not None and bool(found.form)


#: The most telling first.
LOOKS = (
    Look(
        "email",
        word_set("email mail emails"),
        lambda text: canonical_email(text) is not None,
        share=0.0,
    ),
    Look(
        "url",
        word_set("url website web homepage site link webpage uri"),
        lambda text: canonical_url(text) is not None,
        lambda text: "://" in text or text.lower().startswith("www."),
        0.5,
    ),
    Look(
        "postal",
        word_set("zip zipcode postcode postal plz postalcode"),
        lambda text: canonical_postal(text) is not None,
    ),
    Look(
        "country",
        word_set("country nation land pays nationality"),
        lambda text: canonical_country(text) is not None,
        lambda text: len(text.strip()) > 3 and canonical_country(text) is not None,
        0.5,
    ),
    Look(
        "phone",
        word_set("phone tel telephone telefon mobile mobil fax cell handy phonenumber"),
        lambda text: canonical_phone(text) is not None,
        lambda text: text.lstrip(" (").startswith("+"),
        0.5,
    ),
    Look("date", word_set("date day born birthday founded opened"), _reads_date, _has_year, 0.5),
    Look(
        "amount",
        word_set("amount price revenue sales turnover cost salary budget income profit assets"),
        _reads_amount,
        _tells_amount,
        0.1,
        always=True,
    ),
    Look(
        "company",
        word_set("company organisation organization employer firm publisher supplier vendor"),
        lambda text: read_company(text) is not None,
        _has_form,
        0.3,
    ),
    Look(
        "person",
        word_set("person author director ceo chairman contact owner president artist fullname"),
        lambda text: canonical_person(text) is not None,
        lambda text: _SEVERAL_NAMES.fullmatch(text.strip()) is not None,
        0.9,
        word_set("name names"),
        always=True,
    ),
)


def detect_fields(
    workbench: Relations, settings: Settings
) -> tuple[Settings, list[Found], list[Learned]]:
    """Find the attributes that are fields; return settings that say so, and what was found.

    Nothing is to be found out about attributes of which the user says how values are compared.
    """
    found = _find(workbench, settings)
    declared: dict[str, Comparison] = {one.attribute: one.field for one in found}
    tried, learned = learn_notations(workbench, _with_fields(settings, declared))
    if not found:
        return tried, [], learned
    found = _weigh(workbench, tried, found)
    harmful = {one.attribute for one in found if one.harms}
    kept = {name: said for name, said in tried.attributes.items() if name not in harmful}
    kept |= {name: settings.attributes[name] for name in harmful & set(settings.attributes)}
    settled = replace(tried, attributes=kept)
    return settled, found, [one for one in learned if one.attribute not in harmful]


def _with_fields(settings: Settings, fields: Mapping[str, Comparison]) -> Settings:
    said = {
        name: replace(settings.for_attribute(name), values=field) for name, field in fields.items()
    }
    return replace(settings, attributes={**settings.attributes, **said})


def _find(workbench: Relations, settings: Settings) -> list[Found]:
    """Look at the names and the commonest values of attributes that nobody declared."""
    if settings.for_attribute(ANY_ATTRIBUTE).values is not None:
        return []
    rows = workbench.rows(f"SELECT DISTINCT attribute FROM typed WHERE {complete()}")
    names = [str(name) for (name,) in rows if settings.for_attribute(str(name)).values is None]
    if not names:
        return []
    most = min(MOST_VALUES, max(FEWEST_VALUES, MOST_VALUES_IN_ALL // len(names)))
    named = ", ".join(workbench.sql.literal(name) for name in sorted(names))
    sampled = workbench.rows(
        "SELECT attribute, value FROM (SELECT attribute, value, row_number() OVER "
        "(PARTITION BY attribute ORDER BY count(*) DESC, value) AS place FROM typed "
        f"WHERE {complete()} AND attribute IN ({named}) GROUP BY attribute, value) AS counted "
        f"WHERE place <= {most}"
    )
    values: dict[str, list[str]] = {}
    for attribute, value in sampled:
        values.setdefault(str(attribute), []).append(str(value))
    looked = (look_at(name, values[name]) for name in sorted(values))
    return [one for one in looked if one is not None]


def look_at(name: str, values: Sequence[str]) -> Found | None:
    """Return the field that an attribute looks like, by its name and distinct values.

    >>> look_at("phone", ["+41 44 668 18 00", "044 668 18 00", "044 211 00 00"])
    Found(attribute='phone', field='phone', share=1.0, n_joined=0, n_split=0)
    >>> look_at("age", ["12", "13", "14"])
    """
    if len(values) < FEWEST_VALUES:
        return None
    words = name_words(name)
    for look in LOOKS:
        try:
            share = look.share_of(words, values)
        except MissingDependency:
            continue
        if share is not None:
            return Found(name, look.field, share)
    return None


def name_words(name: str) -> list[str]:
    """Split the name of an attribute into words.

    >>> name_words("phoneNumber_2"), name_words("E-Mail"), name_words("URL")
    (['phone', 'number', 'phonenumber'], ['e', 'mail', 'email'], ['url', 'url'])
    """
    words = [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]
    return [*words, "".join(words)]


def _weigh(workbench: Relations, settings: Settings, found: Sequence[Found]) -> list[Found]:
    """Count what merging would join, and what it would destroy."""
    kinds = {one.attribute: one.field for one in found}
    named = ", ".join(workbench.sql.literal(name) for name in sorted(kinds))
    values = (
        f"SELECT DISTINCT attribute, value FROM typed WHERE {complete()} AND attribute IN ({named})"
    )
    workbench.transform("formed", values, partial(_formed, settings=settings), FORMED)
    claims = (
        "FROM typed JOIN formed ON typed.attribute = formed.attribute "
        f"AND typed.value = formed.value WHERE {complete('typed.')}"
    )
    joined = (
        f"SELECT typed.attribute AS attribute {claims} GROUP BY typed.attribute, entity, form "
        "HAVING count(DISTINCT typed.value) > 1 AND count(DISTINCT source) > 1"
    )
    split = (
        f"SELECT typed.attribute AS attribute {claims} GROUP BY typed.attribute, source, form "
        "HAVING count(DISTINCT typed.value) > 1"
    )
    n_joined, n_split = (
        dict(
            workbench.rows(f"SELECT attribute, count(*) FROM ({sql}) AS merged GROUP BY attribute")
        )
        for sql in (joined, split)
    )
    return [
        replace(
            one,
            n_joined=int(n_joined.get(one.attribute, 0)),
            n_split=int(n_split.get(one.attribute, 0)),
        )
        for one in found
    ]


def _formed(batch: pa.RecordBatch, settings: Settings) -> pa.RecordBatch:
    """Write beside each value the form in which it would be compared."""
    rows = []
    names = (batch[name].cast(pa.string()).to_pylist() for name in ("attribute", "value"))
    for name, value in zip(*names, strict=True):
        said = settings.for_attribute(name)
        form = FIELDS[str(said.values)].read(value, said.rule.default, said.rule)
        rows.append((name, value, form if form is not None else value))
    columns = list(zip(*rows, strict=True)) or [()] * len(FORMED)
    arrays = [pa.array(column, pa.string()) for column in columns]
    return pa.RecordBatch.from_arrays(arrays, schema=FORMED)
