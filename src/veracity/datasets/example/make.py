"""Write the example anew: ``python -m veracity.datasets.example.make [FOLDER]``.

A city guide: sites list the venues of Valmare, and contradict each other. How likely a site is to
be right depends on what kind of site it is, whether it is verified, how old the claim is and how
many people look at the venue.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from veracity.data.arrays import Floats, Indices, Mask
from veracity.datasets.example.sites import (
    COPIER,
    N_OWN_PAGES,
    ORIGINAL,
    RANDOM_SITE,
    SITES,
    Site,
    own_page,
)
from veracity.datasets.example.venues import PAYMENTS, Venue, draw_venues
from veracity.datasets.synthetic.multiple import draw_named_sets
from veracity.datasets.synthetic.rates import Rates
from veracity.datasets.synthetic.single import SingleTruth, draw_answers
from veracity.datasets.synthetic.specs import AttributeSpec
from veracity.datasets.synthetic.visits import OWN_ANSWER, Visits

SEED = 2025
TODAY = date(2025, 6, 30)
OLDEST_DAYS = 2000

SINGLE = (
    AttributeSpec("category", domain="closed", n_values=4, clustering=1.0),
    AttributeSpec("closing_time", n_values=6, clustering=1.0),
    AttributeSpec("opened", n_values=6, clustering=0.7),
    AttributeSpec("wheelchair_access", domain="closed", n_values=2),
)
ATTRIBUTES = (*(spec.name for spec in SINGLE), "payment")
CATEGORY, PAYMENT = 0, len(SINGLE)

#: What each kind of site adds to the log-odds of being right.
KIND_EFFECT = {"owner": 2.2, "directory": 0.7, "social": 0.2, "aggregator": -0.2}
#: And each attribute: a category is easier to get right than a year.
ATTRIBUTE_EFFECT = np.array([0.5, -0.2, -0.1, 0.3, 0.6])
BASE, VERIFIED_EFFECT, AGE_EFFECT, REVIEWS_EFFECT = 1.3, 0.4, -1.4, 0.25
COPY_PROBABILITY = 0.9

CLAIM_COLUMNS = (
    "source",
    "entity",
    "attribute",
    "value",
    "time",
    "claim_age_days",
    "source_kind",
    "source_verified",
    "entity_reviews",
)
TRUTH_COLUMNS = ("entity", "attribute", "value")

Row = tuple[object, ...]


@dataclass(frozen=True)
class Listings:
    """What sites write: visits, and how old each of them is."""

    visits: Visits
    age: Indices  # (n_visits,), in days


def make(folder: Path) -> None:
    """Write ``claims.csv`` and ``truth.csv`` into a folder."""
    claims, truth = draw_example()
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "claims.csv", CLAIM_COLUMNS, claims)
    _write(folder / "truth.csv", TRUTH_COLUMNS, truth)


def draw_example(seed: int = SEED) -> tuple[list[Row], list[Row]]:
    """Draw the rows of claims and truth."""
    rng = np.random.default_rng(seed)
    venues = draw_venues(rng)
    sites, listed = draw_coverage(rng, venues)
    listings = draw_listings(rng, sites, listed)
    right = probability_right(sites, venues, listings)
    values = list(_draw_single(rng, sites, listings.visits, right))
    named = _draw_payments(rng, sites, venues, listings.visits, right)
    claims = _claim_rows(sites, venues, listings, values, named)
    return sorted(claims, key=lambda row: row[:4]), list(_truth_rows(venues))


def draw_coverage(
    rng: np.random.Generator, venues: Sequence[Venue]
) -> tuple[list[Site], list[Indices]]:
    """Draw which venues each site lists; the copier lists those of its original."""
    owners = rng.choice(len(venues), N_OWN_PAGES, replace=False)
    sites = [*SITES, *(own_page(venues[owner].name) for owner in owners)]
    listed = [rng.permutation(_of_interest(site, venues))[: site.n_venues] for site in SITES]
    names = [site.name for site in sites]
    copier, original = names.index(COPIER), names.index(ORIGINAL)
    listed[copier] = rng.permutation(listed[original])[: sites[copier].n_venues]
    return sites, [*listed, *owners[:, None]]


def _of_interest(site: Site, venues: Sequence[Venue]) -> list[int]:
    wanted = site.lists
    return [i for i, venue in enumerate(venues) if not wanted or venue.category in wanted]


def draw_listings(
    rng: np.random.Generator, sites: Sequence[Site], listed: Sequence[Indices]
) -> Listings:
    """Draw which attributes are filled in at each listing, and the age of the listing."""
    source = np.repeat(np.arange(len(sites)), [len(venues) for venues in listed])
    entity = np.concatenate(listed)
    age = np.minimum(np.exp(rng.normal(5.6, 1.0, len(source))), OLDEST_DAYS).astype(np.int64)
    detail = np.array([site.detail for site in sites])[source]
    filled = rng.random((len(source), len(ATTRIBUTES))) < detail[:, None]
    filled[~filled.any(axis=1), CATEGORY] = True  # a listing says something
    listing, attribute = np.nonzero(filled)
    copied_from = _copied_from(rng, sites, source[listing], entity[listing], attribute)
    visits = Visits(source[listing], entity[listing], attribute, copied_from)
    # A copy is made some time after its original, and so looks fresher than it is.
    late = np.floor(visits.repeat(age[listing]) * rng.random(len(listing))).astype(np.int64)
    return Listings(visits, np.where(copied_from == OWN_ANSWER, age[listing], late))


def probability_right(sites: Sequence[Site], venues: Sequence[Venue], listings: Listings) -> Floats:
    """Return how likely each visit's answer is to be right, as a function of its features."""
    by_site = np.array([_site_effect(site) for site in sites])
    reviews = np.array([venue.reviews for venue in venues])
    visits = listings.visits
    log_odds = (
        BASE
        + by_site[visits.source]
        + ATTRIBUTE_EFFECT[visits.attribute]
        + AGE_EFFECT * listings.age / 1000
        + REVIEWS_EFFECT * (np.log(reviews)[visits.entity] - 4)
    )
    return np.asarray(1 / (1 + np.exp(-log_odds)))


def _site_effect(site: Site) -> float:
    return KIND_EFFECT[site.kind] + VERIFIED_EFFECT * site.verified + site.skill


def _copied_from(
    rng: np.random.Generator,
    sites: Sequence[Site],
    source: Indices,
    entity: Indices,
    attribute: Indices,
) -> Indices:
    """Find, for the copier's visits, the original's visits to the same items."""
    names = [site.name for site in sites]
    copier, original = names.index(COPIER), names.index(ORIGINAL)
    item = entity * len(ATTRIBUTES) + attribute
    at = {item[visit]: visit for visit in np.flatnonzero(source == original)}
    copies = (source == copier) & (rng.random(len(source)) < COPY_PROBABILITY)
    found = [at.get(item[visit], OWN_ANSWER) for visit in np.flatnonzero(copies)]
    copied_from = np.full(len(source), OWN_ANSWER)
    copied_from[copies] = found
    return copied_from


def _draw_single(
    rng: np.random.Generator, sites: Sequence[Site], visits: Visits, right: Floats
) -> Iterator[tuple[Indices, Indices]]:
    """Draw what is said about items with one true value: visits, and candidates by number."""
    n_venues = int(visits.entity.max()) + 1
    # The true value is the first candidate, and the second is the likeliest mistake.
    truth = SingleTruth(np.zeros(n_venues, np.int64), np.ones(n_venues, np.int64))
    for number, spec in enumerate(SINGLE):
        chosen, part = visits.about(number)
        blind = _is_random(sites, part)
        tpr = np.where(blind, 1 / spec.size, right[chosen])
        rates = Rates(tpr, (1 - tpr) / (spec.size - 1), blind)
        yield chosen, draw_answers(rng, spec, truth, part, rates).value


def _draw_payments(
    rng: np.random.Generator,
    sites: Sequence[Site],
    venues: Sequence[Venue],
    visits: Visits,
    right: Floats,
) -> tuple[Indices, Mask]:
    """Draw which means of payment are named: visits, and sets."""
    chosen, part = visits.about(PAYMENT)
    blind = _is_random(sites, part)
    tpr = np.where(blind, 0.5, right[chosen])
    rates = Rates(tpr, np.where(blind, 0.5, 0.5 * (1 - tpr)), blind)
    true_set = np.array([[name in venue.payment for name in PAYMENTS] for venue in venues])
    return chosen, draw_named_sets(rng, true_set, part, rates)


def _is_random(sites: Sequence[Site], visits: Visits) -> Mask:
    return np.array([site.name == RANDOM_SITE for site in sites])[visits.source]


def _claim_rows(
    sites: Sequence[Site],
    venues: Sequence[Venue],
    listings: Listings,
    values: Sequence[tuple[Indices, Indices]],
    payments: tuple[Indices, Mask],
) -> Iterator[Row]:
    for spec, (visits, numbers) in zip(SINGLE, values, strict=True):
        for visit, number in zip(visits, numbers, strict=True):
            venue = venues[listings.visits.entity[visit]]
            value = venue.candidates[spec.name][number]
            yield _claim_row(sites, venue, listings, visit, spec.name, value)
    for visit, named in zip(*payments, strict=True):
        venue = venues[listings.visits.entity[visit]]
        for value in np.array(PAYMENTS)[named]:
            yield _claim_row(sites, venue, listings, visit, "payment", str(value))


def _claim_row(
    sites: Sequence[Site], venue: Venue, listings: Listings, visit: int, attribute: str, value: str
) -> Row:
    site, age = sites[listings.visits.source[visit]], int(listings.age[visit])
    verified = "yes" if site.verified else "no"
    day = TODAY - timedelta(days=age)
    about = (day.isoformat(), age, site.kind, verified, venue.reviews)
    return (site.name, venue.name, attribute, value, *about)


def _truth_rows(venues: Iterable[Venue]) -> Iterator[Row]:
    for venue in venues:
        for attribute, candidates in venue.candidates.items():
            yield venue.name, attribute, candidates[0]
        for value in venue.payment:
            yield venue.name, "payment", value


def _write(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
