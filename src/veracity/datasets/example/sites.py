"""The sites that list the venues of Valmare, from large aggregators to a venue's own page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SiteKind = Literal["directory", "aggregator", "owner", "social"]

#: The aggregator that copies, and the one it copies.
COPIER, ORIGINAL = "Écho Valmare", "Magpie Index"
#: The site that writes whatever comes to mind.
RANDOM_SITE = "Rumour Mill"


@dataclass(frozen=True)
class Site:
    """A site that makes claims.

    Attributes
    ----------
    n_venues
        How many venues it lists.
    detail
        The share of attributes that it fills in.
    skill
        What it adds to the log-odds of being right, beyond what its features tell.
    lists
        The categories of venue that it lists; all if empty.
    """

    name: str
    kind: SiteKind
    verified: bool
    n_venues: int
    detail: float = 0.75
    skill: float = 0.0
    lists: tuple[str, ...] = ()


#: Venues with a page of their own are added by `make`.
SITES = (
    Site(ORIGINAL, "aggregator", False, 120, 0.8, -0.3),
    Site(COPIER, "aggregator", False, 90, 0.8),
    Site("Omnivale", "aggregator", True, 80, 0.7, 0.2),
    Site("Placemosaic", "aggregator", False, 60, 0.7, -0.2),
    Site("Cityquilt", "aggregator", False, 48, 0.6),
    Site("Patchwork Pages", "aggregator", False, 30, 0.7, 0.3),
    Site("Rondelle", "aggregator", True, 16, 0.6),
    Site("Sundry & Sons", "aggregator", False, 7, 0.5),
    Site("Grand Annuaire de Valmare", "directory", True, 95, 0.8, 0.2),
    Site("The Harbour Register", "directory", True, 62, 0.75),
    Site("Quartier Ledger", "directory", False, 40, 0.7, -0.3),
    Site("Old Town Almanac", "directory", True, 28, 0.8, 0.3),
    Site("Lanternlist", "directory", False, 22, 0.6),
    Site("Registre du Port", "directory", True, 13, 0.7),
    Site("Seven Bridges Directory", "directory", False, 9, 0.6, -0.2),
    Site("Civic Compass", "directory", True, 5, 0.6),
    Site("Fork & Thimble", "directory", True, 2, 0.5, lists=("restaurant",)),
    Site("Tafelrunde", "social", False, 55, 0.5, 0.2),
    Site(RANDOM_SITE, "social", False, 38, 0.6),
    Site("Flânerie Club", "social", True, 20, 0.5),
    Site("Pavement Notes", "social", False, 10, 0.5, -0.3),
    Site("Nightjar Circle", "social", False, 4, 0.4, lists=("bar", "theatre")),
    Site("Sugar & Salt Society", "social", False, 2, 0.4, lists=("bakery", "café")),
    Site("Letters from Quai Neuf", "social", False, 1, 0.4),
    Site("Restaurateurs' Guild", "owner", True, 34, 0.8, lists=("restaurant", "café", "bar")),
    Site("Alliance of Small Museums", "owner", True, 15, 0.8, lists=("museum", "gallery")),
)
N_OWN_PAGES = 10


def own_page(venue: str) -> Site:
    """Return the site on which a venue speaks about itself."""
    return Site(f"{venue} (own page)", "owner", True, 1, 0.8)
