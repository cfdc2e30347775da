"""Families of drawn claims, each with one thing in it that may lead a model astray.

Every family is drawn by `veracity.datasets.synthetic`, some 4,000 claims at a time, so that who is
right and who copies whom is known. A family and a seed always give the same claims.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from veracity.datasets import synthetic
from veracity.datasets.synthetic import AttributeSpec, Beta, Draw, SourceSpec, Synthetic

N_SOURCES, N_ENTITIES = 40, 500
FOUR = AttributeSpec("class", domain="closed", n_values=4)
TWO = AttributeSpec("class", domain="closed", n_values=2)
OPEN = AttributeSpec("value")
BOOLEAN = AttributeSpec("holds", kind="boolean")
SEVERAL = AttributeSpec("members", kind="multiple")
#: How often the source is right whom the copiers of a poor one follow.
POOR = 0.35


@dataclass(frozen=True)
class Family:
    """How the claims of a family are drawn; see `synthetic.draw`."""

    attribute: AttributeSpec = FOUR
    sources: SourceSpec | None = None
    n_sources: int = N_SOURCES
    n_entities: int = N_ENTITIES
    difficulty: float = 0.0
    features: Mapping[str, Draw] | None = None

    def draw(self, seed: int, sources: SourceSpec | None = None) -> Synthetic:
        """Draw the claims of a seed, perhaps by other sources."""
        return synthetic.draw(
            self.n_sources,
            self.n_entities,
            [self.attribute],
            sources=sources or self.sources,
            features=self.features,
            difficulty=self.difficulty,
            random_state=seed,
        )


def experts(seen: Mapping[str, Any]) -> Any:
    """Be right as experts and others are; a claim made in haste is worse."""
    log_odds = np.where(seen["source_kind"] == "expert", 2.5, 0.2) - seen["claim_haste"]
    return 1 / (1 + np.exp(-log_odds))


FEATURES: Mapping[str, Draw] = {
    "source_kind": synthetic.category("expert", "crowd", shares=(0.3, 0.7)),
    "claim_haste": synthetic.normal(),
    "entity_year": synthetic.whole(1990, 2020),
}

FAMILIES: Mapping[str, Family] = {
    "plain": Family(),
    "adversaries, 10 %": Family(sources=SourceSpec(adversaries=0.1)),
    "adversaries, 20 %": Family(sources=SourceSpec(adversaries=0.2)),
    "adversaries, 30 %": Family(sources=SourceSpec(adversaries=0.3)),
    "adversaries, 20 %, boolean": Family(BOOLEAN, SourceSpec(adversaries=0.2)),
    "copiers, 30 %": Family(sources=SourceSpec(copiers=0.3)),
    "copiers of a poor source, 30 %": Family(sources=SourceSpec(copiers=0.3)),
    "copiers of a poor source, 30 %, open": Family(OPEN, SourceSpec(copiers=0.3)),
    "skewed classes, .9/.1": Family(AttributeSpec("c", "single", "closed", 2, (0.9, 0.1))),
    "skewed classes, .9/.1, boolean": Family(AttributeSpec("c", "boolean", prior=(0.1, 0.9))),
    "skewed classes, .7/.1/.1/.1": Family(
        AttributeSpec("c", "single", "closed", 4, (0.7, 0.1, 0.1, 0.1))
    ),
    "difficulty": Family(difficulty=1.5),
    "difficulty, two classes": Family(TWO, difficulty=1.5),
    "one-claim sources, 80 %": Family(
        sources=SourceSpec(one_claim_share=0.8, items_per_source=20), n_sources=800
    ),
    "one-claim sources, all": Family(sources=SourceSpec(one_claim_share=1.0), n_sources=3_000),
    "long tail": Family(sources=SourceSpec(tail=1.0), n_sources=300),
    "spam, 20 %": Family(sources=SourceSpec(spammers=0.2)),
    "spam, 20 %, boolean": Family(BOOLEAN, SourceSpec(spammers=0.2)),
    "many classes, 12": Family(AttributeSpec("class", domain="closed", n_values=12)),
    "open domain": Family(OPEN),
    "open domain, mistakes cluster": Family(AttributeSpec("value", clustering=1.5)),
    "boolean": Family(BOOLEAN),
    "boolean, uneven rates": Family(BOOLEAN, SourceSpec(reliability=Beta(9, 2), fpr=Beta(4, 6))),
    "multiple": Family(SEVERAL),
    "few sources, 3": Family(n_sources=3),
    "few sources, 3, two classes": Family(TWO, n_sources=3),
    "few claims an item, boolean": Family(BOOLEAN, SourceSpec(items_per_source=5), n_sources=160),
    "few claims an item, two classes": Family(TWO, SourceSpec(items_per_source=5), n_sources=160),
    "few claims an item, .9/.1, boolean": Family(
        AttributeSpec("c", "boolean", prior=(0.1, 0.9)),
        SourceSpec(items_per_source=5),
        n_sources=160,
    ),
    "poor sources, 9, open": Family(
        AttributeSpec("value", n_values=12, clustering=1.5),
        SourceSpec(reliability=Beta(2, 5)),
        n_sources=9,
        difficulty=1.0,
    ),
    "mirror risk, two classes": Family(TWO, SourceSpec(reliability=Beta(11, 9))),
    "mirror risk, boolean": Family(BOOLEAN, SourceSpec(reliability=Beta(11, 9))),
    "features that tell": Family(sources=SourceSpec(reliability=experts), features=FEATURES),
    "features of no use": Family(features=FEATURES),
}


def drawn(family: str, seed: int) -> Synthetic:
    """Return the claims of a family, their truth and the oracle."""
    found = FAMILIES[family].draw(seed)
    return _with_poor_original(FAMILIES[family], seed, found) if "poor" in family else found


def _with_poor_original(family: Family, seed: int, found: Synthetic) -> Synthetic:
    """Draw again with the same sources in the same parts, but with those who are copied poor."""
    assert family.sources is not None
    sources = found.oracle.sources
    copied = {name for name in sources["copies"].to_pylist() if name is not None}
    is_copied = [name in copied for name in sources["source"].to_pylist()]
    rates = np.random.default_rng((seed, 1)).beta(8, 3, family.n_sources)
    rates[is_copied] = POOR
    return family.draw(seed, replace(family.sources, reliability=rates))
