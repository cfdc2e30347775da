"""Which attributes are measurements: numbers of which the truth lies among them, not on one.

Sources that state a fact say the same number, or another one. Sources that measure, estimate or
forecast say numbers that are near one another, and the same one only by rounding. So it is asked,
of attributes whose values are numbers: how often do two sources say the same of an item, and how
far apart are numbers of one item beside those of all? No known truth and no name plays a part.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import exp, inf, log, sqrt

import pyarrow as pa

from veracity.data.clean.values import canonical_number
from veracity.data.notes import Note
from veracity.data.read.relations import Relations, complete
from veracity.data.read.settings import ANY_ATTRIBUTE, Attribute, Settings
from veracity.errors import listing

#: Share of the claims of an attribute that must be numbers, and how many different ones.
NUMBERS_SHARE = 0.95
MANY_NUMBERS = 25
#: Codes have leading zeros; of numbers hardly any has.
CODES_SHARE = 0.001
#: So many claims on items with several sources, and so many of these items, are needed to tell.
FEWEST_CLAIMS = 40
FEWEST_ITEMS = 5
#: How far apart numbers of an item may be, as the share of the variance of all in ranks; or how
#: far half of them are from their middle, beside half of all from theirs: some sources may be in
#: another unit, or stuck.
WITHIN_SHARE = 0.5
HALF_WITHIN = 0.35
#: Half of all ranks are within this of their middle.
HALF_OF_ALL = 0.25
#: Two sources that measure say the same number at most so often, surely or by rounding.
RARE = 0.10
DOUBTFUL = 0.20
#: and even by so many standard errors more, this often: few claims do not make numbers of facts.
SURELY_DOUBTFUL = 0.30
#: Where they do so as often as rounding lets expect: at most so many times as often.
ROUNDING = 1.35
#: Where two sources say the same number more often than this, nobody would think of measuring.
FACTS = 0.4
#: So many standard errors are allowed for chance.
REACH = 2.0
#: So many repeated numbers would be expected of a source's measurements where ids have none.
REPEATS_OF_IDS = 10.0

READ = pa.schema(
    {
        "attribute": pa.string(),
        "value": pa.string(),
        "n_claims": pa.int64(),
        "number": pa.float64(),
        "decimals": pa.int64(),
        "code": pa.int64(),
    }
)


@dataclass(frozen=True)
class Agreement:
    """How the sources of an attribute with numbers agree.

    Attributes
    ----------
    attribute
        Its name.
    same
        How often two sources that speak about an item say the same number.
    error
        The standard error of `same`, over items.
    within
        The variance of the numbers of an item, as a share of that of all, both in ranks.
    half_within
        How far half of the numbers are from the middle of their item, beside half of all from
        theirs, both in ranks.
    n_items, n_claims
        How many items have several sources, and how many claims these have.
    """

    attribute: str
    same: float
    error: float
    within: float
    half_within: float
    n_items: int
    n_claims: int

    @property
    def enough(self) -> bool:
        """Whether there are enough claims to tell."""
        return self.n_items >= FEWEST_ITEMS and self.n_claims >= FEWEST_CLAIMS

    @property
    def near(self) -> bool:
        """Whether numbers of one item are near one another."""
        return self.within <= WITHIN_SHARE or self.half_within <= HALF_WITHIN

    @property
    def rare(self) -> bool:
        """Whether sources hardly ever say the same number."""
        return self.same + REACH * self.error <= RARE

    @property
    def doubtful(self) -> bool:
        """Whether sources say the same number so often that rounding must explain it."""
        surely = self.same + REACH * self.error <= SURELY_DOUBTFUL
        return not self.rare and self.same <= DOUBTFUL and surely

    @property
    def reason(self) -> str:
        """Why the attribute is taken to be a measurement."""
        return (
            f"its numbers are near one another, and two sources say the same only "
            f"{self.same:.1%} of the time"
        )


@dataclass(frozen=True)
class Measurements:
    """What was found: attributes to judge as numbers, and those that stay contests of values."""

    found: tuple[Agreement, ...] = ()
    facts: tuple[Agreement, ...] = ()

    def applied_to(self, settings: Settings) -> Settings:
        """Return settings by which what was found is compared as numbers."""
        if not self.found:
            return settings
        said = {
            one.attribute: replace(
                settings.for_attribute(one.attribute), values="number", reason=one.reason
            )
            for one in self.found
        }
        return replace(settings, attributes={**settings.attributes, **said})

    def notes(self) -> list[Note]:
        """Say which attributes are judged as numbers, and which could be."""
        notes = [
            Note(
                "attributes",
                f"{one.attribute!r} is judged as a number: {one.reason}. To judge it as a contest "
                f"of values: --compare {one.attribute}=text.",
            )
            for one in self.found
        ]
        if self.facts:
            names = listing([repr(one.attribute) for one in self.facts], 5)
            one = self.facts[0]
            several = len(self.facts) > 1
            notes.append(
                Note(
                    "attributes",
                    f"{names} {'have' if several else 'has'} numbers that sources often agree on "
                    f"exactly ({one.same:.0%} of the time for {one.attribute!r}), so one of the "
                    "claimed values is believed. If they are measurements of which the truth may "
                    f"lie in between: --compare {one.attribute}=number.",
                    len(self.facts),
                )
            )
        return notes


def find_measurements(workbench: Relations, settings: Settings) -> Measurements:
    """Find the attributes that are measurements; looks at the steps ``typed`` and ``said``.

    Nothing is to be found out about attributes of which the user says how values are compared, or
    that they have several values or are boolean.
    """
    names = _candidates(workbench, settings)
    if names:
        names = _readable(workbench, names)
    if not names:
        return Measurements()
    named = ", ".join(workbench.sql.literal(name) for name in names)
    workbench.step(
        "measured",
        "SELECT DISTINCT typed.attribute AS attribute, entity, source, number "
        "FROM typed JOIN read_numbers ON typed.attribute = read_numbers.attribute "
        "AND typed.value = read_numbers.value "
        f"WHERE {complete('typed.')} AND typed.attribute IN ({named}) AND number IS NOT NULL",
    )
    agreements = [one for one in _agreements(workbench) if one.enough and one.near]
    identifiers = _identifiers(workbench)
    looked_at = [one for one in agreements if one.attribute not in identifiers]
    facts = [one for one in looked_at if not one.rare and not one.doubtful]
    found = [one for one in looked_at if one.rare]
    doubtful = [one for one in looked_at if one.doubtful]
    # The sources that state facts in one attribute of a table do so in others.
    rounded = _rounded(workbench, doubtful) if doubtful and not facts else set()
    found += [one for one in doubtful if one.attribute in rounded]
    facts += [one for one in doubtful if one.attribute not in rounded]
    noted = [one for one in facts if one.same <= FACTS]
    return Measurements(_by_name(found), _by_name(noted))


def _by_name(found: Sequence[Agreement]) -> tuple[Agreement, ...]:
    return tuple(sorted(found, key=lambda one: one.attribute))


def _candidates(workbench: Relations, settings: Settings) -> list[str]:
    """Return the attributes whose claims are nearly all numbers at first sight."""
    named = (ANY_ATTRIBUTE, *settings.attributes)
    if not any(_is_open(settings.for_attribute(name)) for name in named):
        return []
    number = workbench.sql.number("replace(value, ',', '')")
    rows = workbench.rows(
        "SELECT attribute, sum(n_claims), sum(CASE WHEN number IS NOT NULL THEN n_claims ELSE 0 "
        "END), count(DISTINCT number) FROM (SELECT attribute, n_claims, "
        f"{number} AS number FROM said) AS read GROUP BY attribute"
    )
    return sorted(
        str(name)
        for name, n_claims, n_numbers, n_different in rows
        if n_different >= MANY_NUMBERS
        and n_claims >= FEWEST_CLAIMS
        and n_numbers >= NUMBERS_SHARE * n_claims
        and _is_open(settings.for_attribute(str(name)))
    )


def _is_open(said: Attribute) -> bool:
    """Whether what the user says leaves open that an attribute is measured."""
    return said.values is None and said.kind in (None, "single")


def _readable(workbench: Relations, names: Sequence[str]) -> list[str]:
    """Make the step ``read_numbers``; return the attributes that have numbers, and no codes."""
    named = ", ".join(workbench.sql.literal(name) for name in names)
    counted = f"SELECT attribute, value, n_claims FROM said WHERE attribute IN ({named})"
    workbench.transform("read_numbers", counted, _read, READ)
    rows = workbench.rows(
        "SELECT attribute, sum(n_claims), sum(CASE WHEN number IS NOT NULL THEN n_claims END), "
        "sum(code * n_claims), count(DISTINCT number) FROM read_numbers GROUP BY attribute"
    )
    return sorted(
        str(name)
        for name, n_claims, n_numbers, n_codes, n_different in rows
        if n_different >= MANY_NUMBERS
        and n_numbers >= NUMBERS_SHARE * n_claims
        and n_codes <= CODES_SHARE * n_claims
    )


def _read(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Write beside each value its number, its decimals and whether it looks like a code."""
    forms = [canonical_number(text) for text in batch["value"].to_pylist()]
    bare = [text.strip().lstrip("+-") for text in batch["value"].to_pylist()]
    columns = [
        batch["attribute"].cast(pa.string()),
        batch["value"].cast(pa.string()),
        batch["n_claims"].cast(pa.int64()),
        pa.array([None if form is None else float(form) for form in forms], pa.float64()),
        pa.array([len((form or "").partition(".")[2]) for form in forms], pa.int64()),
        pa.array([int(text[:1] == "0" and text[1:2].isdigit()) for text in bare], pa.int64()),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=READ)


def _agreements(workbench: Relations) -> list[Agreement]:
    """Count how often sources give the same number for an item, and how close they come."""
    workbench.step(
        "ranked_numbers",
        "SELECT attribute, number, (running - n / 2.0) / total AS place FROM (SELECT attribute, "
        "number, n, sum(n) OVER (PARTITION BY attribute ORDER BY number) AS running, "
        "sum(n) OVER (PARTITION BY attribute) AS total FROM (SELECT attribute, number, "
        "count(*) AS n FROM measured GROUP BY attribute, number) AS counted) AS summed",
    )
    workbench.step(
        "placed",
        "SELECT measured.attribute AS attribute, entity, measured.number AS number, place "
        "FROM measured JOIN ranked_numbers ON measured.attribute = ranked_numbers.attribute "
        "AND measured.number = ranked_numbers.number",
    )
    workbench.step(
        "said_numbers",
        "SELECT attribute, entity, number, min(place) AS place, CAST(count(*) AS DOUBLE) AS n "
        "FROM placed GROUP BY attribute, entity, number",
    )
    workbench.step(
        "speakers",
        "SELECT attribute, entity, sum(n * n) AS own FROM (SELECT attribute, entity, source, "
        "CAST(count(*) AS DOUBLE) AS n FROM measured GROUP BY attribute, entity, source) AS spoken "
        "GROUP BY attribute, entity",
    )
    workbench.step(
        "compared_items",
        "SELECT said.attribute AS attribute, n, equal_pairs / (n * n - own) AS same, places, "
        "squares - places * places / n AS inside, squares FROM (SELECT attribute, entity, "
        "sum(n) AS n, sum(n * (n - 1)) AS equal_pairs, sum(n * place) AS places, "
        "sum(n * place * place) AS squares FROM said_numbers GROUP BY attribute, entity) AS said "
        "JOIN speakers ON said.attribute = speakers.attribute AND said.entity = speakers.entity "
        "WHERE n * n > own",
    )
    rows = workbench.rows(
        "SELECT attribute, count(*), sum(n), sum(n - 1), sum((n - 1) * same), "
        "sum((n - 1) * (n - 1)), sum((n - 1) * (n - 1) * same), "
        "sum((n - 1) * (n - 1) * same * same), sum(inside), sum(places), sum(squares) "
        "FROM compared_items GROUP BY attribute ORDER BY attribute"
    )
    half_within = dict(
        workbench.rows(
            "SELECT placed.attribute, median(abs(place - centre)) FROM (SELECT attribute, entity, "
            "median(place) AS centre, count(*) AS n FROM placed GROUP BY attribute, entity) AS "
            "middle JOIN placed ON placed.attribute = middle.attribute "
            "AND placed.entity = middle.entity WHERE n > 1 GROUP BY placed.attribute"
        )
    )
    return [
        _agreement(str(name), float(half_within[name]) / HALF_OF_ALL, *map(float, sums))
        for name, *sums in rows
    ]


def _agreement(
    name: str,
    half_within: float,
    n_items: float,
    n_claims: float,
    weight: float,
    weighted: float,
    weight2: float,
    weighted2: float,
    weighted_squares: float,
    inside: float,
    places: float,
    squares: float,
) -> Agreement:
    same = weighted / weight
    spread = max(weighted_squares - 2 * same * weighted2 + same**2 * weight2, 0.0)
    overall = (squares - places**2 / n_claims) / max(n_claims - 1, 1.0)
    within = inside / weight / overall if overall > 0 else inf
    error = sqrt(spread) / weight
    return Agreement(name, same, error, within, half_within, int(n_items), int(n_claims))


def _identifiers(workbench: Relations) -> Collection[str]:
    """Return attributes of whole numbers that no source repeats, though it would by chance.

    Each source numbers its entities in its own way: the numbers of an entity are near one another
    where the sources list entities in the same order.
    """
    rows = workbench.rows(
        "SELECT by_source.attribute, sum(n - n_different), sum(n * (n - 1.0) / 2 / (range + 1)) "
        "FROM (SELECT attribute, source, count(*) AS n, count(DISTINCT number) AS n_different, "
        "max(number) - min(number) AS range FROM measured GROUP BY attribute, source) AS by_source "
        "JOIN (SELECT attribute, max(decimals) AS decimals FROM read_numbers GROUP BY attribute) "
        "AS written ON by_source.attribute = written.attribute WHERE decimals = 0 "
        "GROUP BY by_source.attribute"
    )
    return {
        str(name)
        for name, n_repeats, n_expected in rows
        if n_expected >= REPEATS_OF_IDS and n_repeats < n_expected / REPEATS_OF_IDS
    }


def _rounded(workbench: Relations, doubtful: Sequence[Agreement]) -> Collection[str]:
    """Return the attributes whose sources agree exactly no more often than rounding explains.

    Differences of measurements, in steps of the last decimal that is usual, have a smooth
    distribution: log f(k) = a - b k^2 near 0. Those of 1 and 2 steps say how often 0 is expected.
    """
    found = set()
    for one in doubtful:
        step = 10.0 ** -_usual_decimals(workbench, one.attribute)
        counts = _differences(workbench, one.attribute, step)
        if counts[0] <= ROUNDING * _expected(*counts[1:]):
            found.add(one.attribute)
    return found


def _usual_decimals(workbench: Relations, attribute: str) -> int:
    """Return the fewest decimals that suffice for three quarters of the claims."""
    rows = workbench.rows(
        "SELECT decimals, sum(n_claims) FROM read_numbers WHERE number IS NOT NULL "
        f"AND attribute = {workbench.sql.literal(attribute)} GROUP BY decimals ORDER BY decimals"
    )
    total, running = sum(int(n) for _, n in rows), 0
    for decimals, n in rows:
        running += int(n)
        if running >= 0.75 * total:
            return int(decimals)
    return 0


def _differences(workbench: Relations, attribute: str, step: float) -> list[float]:
    """Count pairs of numbers of an item that are 0, 1 and 2 steps apart, by weight of the item."""
    own = f"attribute = {workbench.sql.literal(attribute)}"
    workbench.step(
        "stepped",
        f"SELECT entity, round(number / {step!r}) AS place, CAST(sum(n) AS DOUBLE) AS n "
        f"FROM said_numbers WHERE {own} GROUP BY entity, round(number / {step!r})",
    )
    pairs = ", ".join(
        f"sum(CASE WHEN other.place = one.place + {k} THEN one.n * other.n / total END)"
        for k in (1, 2)
    )
    totals = "SELECT entity, sum(n) AS total FROM stepped GROUP BY entity"
    (same,) = workbench.row(
        f"SELECT sum(n * (n - 1) / 2 / total) FROM stepped JOIN ({totals}) AS totals "
        "ON stepped.entity = totals.entity"
    )
    near = workbench.row(
        f"SELECT {pairs} FROM stepped AS one JOIN stepped AS other ON one.entity = other.entity "
        f"AND other.place > one.place AND other.place <= one.place + 2 JOIN ({totals}) AS totals "
        "ON one.entity = totals.entity"
    )
    return [float(same or 0), *(float(count or 0) for count in near)]


def _expected(ones: float, twos: float) -> float:
    """Return how many pairs 0 steps apart let expect those 1 and 2 steps apart.

    Each step has two signs, of which a pair counts one.
    """
    if not ones or not twos:
        return ones / 2
    return exp(log(ones / 2) + max(log(ones) - log(twos), 0.0) / 3)
