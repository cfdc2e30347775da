"""The venues of Valmare, a city that does not exist, and what is true of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.datasets.example.names import draw_names

#: What a venue of each category is mistaken for, the likeliest first.
MISTAKEN_FOR: dict[str, tuple[str, ...]] = {
    "restaurant": ("bar", "café", "bakery"),
    "café": ("restaurant", "bakery", "bar"),
    "bar": ("restaurant", "café", "theatre"),
    "bookshop": ("café", "gallery", "museum"),
    "bakery": ("café", "restaurant", "bookshop"),
    "museum": ("gallery", "theatre", "bookshop"),
    "gallery": ("museum", "café", "bookshop"),
    "theatre": ("museum", "bar", "gallery"),
}

#: Earliest and latest closing time, in minutes after midnight; past 1440 it is the next day.
CLOSING: dict[str, tuple[int, int]] = {
    "restaurant": (21 * 60, 24 * 60),
    "café": (16 * 60, 21 * 60),
    "bar": (23 * 60, 27 * 60),
    "bookshop": (17 * 60, 20 * 60),
    "bakery": (13 * 60, 18 * 60),
    "museum": (16 * 60, 19 * 60),
    "gallery": (17 * 60, 20 * 60),
    "theatre": (21 * 60, 24 * 60),
}
QUARTER = 15
DAY = 24 * 60

PAYMENTS = ("cash", "card", "mobile", "voucher", "invoice")
#: How many of the venues take each.
PAYMENT_SHARES = (0.85, 0.75, 0.45, 0.3, 0.12)

OPENED = (1880, 2018)


@dataclass(frozen=True)
class Venue:
    """A venue and what is true of it.

    Attributes
    ----------
    candidates
        Attribute to what may be said about it, the true value first, then mistakes, the likeliest
        first; for attributes with one true value.
    payment
        The true values of ``payment``.
    reviews
        How many people wrote about it: what many look at is easier to get right.
    """

    name: str
    candidates: dict[str, tuple[str, ...]]
    payment: tuple[str, ...]
    reviews: int

    @property
    def category(self) -> str:
        """Return what kind of venue it is."""
        return self.candidates["category"][0]


def draw_venues(rng: np.random.Generator) -> list[Venue]:
    """Draw the venues, ordered by name."""
    venues = [
        _draw_venue(rng, name, category)
        for category in MISTAKEN_FOR
        for name in draw_names(rng, category)
    ]
    return sorted(venues, key=lambda venue: venue.name)


def _draw_venue(rng: np.random.Generator, name: str, category: str) -> Venue:
    opened = int(OPENED[1] - rng.beta(1, 3) * (OPENED[1] - OPENED[0]))
    earliest, latest = CLOSING[category]
    closing = int(rng.integers(earliest // QUARTER, latest // QUARTER + 1)) * QUARTER
    accessible = bool(rng.random() < 0.6)
    candidates = {
        "category": (category, *MISTAKEN_FOR[category]),
        "closing_time": _closing_times(closing),
        "opened": _years(opened),
        "wheelchair_access": ("yes", "no") if accessible else ("no", "yes"),
    }
    reviews = int(np.exp(rng.normal(4, 1.2))) + 1
    return Venue(name, candidates, _draw_payment(rng), reviews)


def _closing_times(minutes: int) -> tuple[str, ...]:
    """List a closing time and mistakes about it: an hour early above all."""
    times = (minutes + shift for shift in (0, -60, 60, -30, 30, -120))
    return tuple(f"{time % DAY // 60:02d}:{time % 60:02d}" for time in times)


def _years(year: int) -> tuple[str, ...]:
    """List a year and mistakes about it: the year after, the year before, a wrong decade."""
    return tuple(str(year + shift) for shift in (0, 1, -1, 10, -10, 2))


def _draw_payment(rng: np.random.Generator) -> tuple[str, ...]:
    taken = rng.random(len(PAYMENTS)) < PAYMENT_SHARES
    names = tuple(name for name, takes in zip(PAYMENTS, taken, strict=True) if takes)
    return names or PAYMENTS[:1]
