"""Made worlds with known answers, and the answer of somebody who knows how they were made.

A world says how likely each source is to give each value for each truth. The true model knows all
of that (reliabilities, how common values are, how hard items can be, who repeats whom, who stays
silent), but not the truth, nor which item is hard: its answer is the value with the largest
posterior, in an open domain among those that were claimed. A world and a seed always give the same
claims.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from families import FAMILIES, drawn
from scipy.special import expit, logit, logsumexp

from veracity import Claims, GroundTruth

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

N_ITEMS, N_SOURCES = 400, 20
#: Candidates of an item in an open domain, all its own.
OPEN_VALUES = 8
#: The share of the items that a source looks at.
SHARE = 0.4
#: In the world of thin sources: how many they are, and the share of the items that each looks at.
N_THIN, THIN_SHARE = 500, 0.01
#: Who says nothing about an item.
SILENT = -1
#: How hard items can be, in log-odds of being right: nine kinds, equally common.
HARDNESS = 1.5 * np.array([-1.59, -0.97, -0.59, -0.28, 0.0, 0.28, 0.59, 0.97, 1.59])
#: In the world of clones: good sources, and a weak one with ten clones.
GOOD, CLONES = 6, 10
#: In the world of families: how many members each has, and how often they say what all say.
MEMBERS, TOGETHER = 5, 0.7


@dataclass(frozen=True)
class Made:
    """Claims of a world, the truth, and the share that the true model's answers get right.

    Where several values of an item are true, the true model answers statements, not items, and
    has no such share.
    """

    claims: Claims
    truth: GroundTruth
    oracle: float | None


@dataclass(frozen=True)
class Setting:
    """What all worlds share: a generator, the values, and how common each is."""

    rng: np.random.Generator
    n_values: int
    is_open: bool
    prior: Floats  # (n_values,)
    truth: Ints  # (n_items,)

    @classmethod
    def of(cls, n_values: int, is_open: bool, seed: int, prior: Floats | None = None) -> Setting:
        """Draw the truth."""
        rng = np.random.default_rng((seed, n_values, int(is_open)))
        prior = np.full(n_values, 1 / n_values) if prior is None else prior
        return cls(rng, n_values, is_open, prior, rng.choice(n_values, N_ITEMS, p=prior))

    def rates(self, low: float, high: float, n_sources: int) -> Floats:
        """Draw reliabilities: `low` and `high` of the way from chance to certainty."""
        chance = 1 / self.n_values
        return chance + (1 - chance) * self.rng.uniform(low, high, n_sources)

    def looks(self, n_sources: int, share: float = SHARE) -> npt.NDArray[np.bool_]:
        """Draw who looks at which item."""
        return np.asarray(self.rng.random((n_sources, N_ITEMS)) < share)

    def answers(self, rates: Floats, truth: Ints | None = None) -> Ints:
        """Draw what sources believe, right with their rates; (n_sources, n_items)."""
        truth = self.truth if truth is None else truth
        right = self.rng.random((len(rates), N_ITEMS)) < rates.reshape(len(rates), -1)
        other = self.rng.integers(1, self.n_values, right.shape)
        return np.where(right, truth, (truth + other) % self.n_values)

    def likelihood(self, said: Ints, rates: Floats) -> Floats:
        """Return the probability of each claim if each value is true; of silence, 1.

        The shape is (n_sources, n_items, n_values).
        """
        rates = rates.reshape(len(rates), -1)[:, :, None]
        same = said[:, :, None] == np.arange(self.n_values)
        likelihood = np.where(same, rates, (1 - rates) / (self.n_values - 1))
        return np.where(said[:, :, None] == SILENT, 1.0, likelihood)


#: What was said, (n_sources, n_items), and the log-likelihood of it, (n_items, n_values).
Drawn = tuple[Ints, Floats]


def independent(setting: Setting) -> Drawn:
    """Sources of all kinds, none of which knows another."""
    return _independent(setting, setting.rates(0.1, 0.8, N_SOURCES))


def adversaries(setting: Setting) -> Drawn:
    """A quarter of the sources are right less often than by chance."""
    rates = setting.rates(0.2, 0.8, N_SOURCES)
    rates[: N_SOURCES // 4] = setting.rng.uniform(0.2, 0.6, N_SOURCES // 4) / setting.n_values
    return _independent(setting, rates)


def one_expert(setting: Setting) -> Drawn:
    """One source nearly always knows; nineteen hardly do better than chance."""
    rates = setting.rates(0.05, 0.15, N_SOURCES)
    rates[0] = 0.95
    said = np.where(setting.looks(N_SOURCES), setting.answers(rates), SILENT)
    said[0] = setting.answers(rates)[0]  # the expert is there for every item
    return said, np.log(setting.likelihood(said, rates)).sum(axis=0)


def thin_sources(setting: Setting) -> Drawn:
    """Very many sources with four claims each or so, all equally reliable."""
    rates = setting.rates(0.5, 0.5, N_THIN)
    looks = setting.looks(N_THIN, THIN_SHARE)
    said = np.where(looks, setting.answers(rates), SILENT)
    return said, np.log(setting.likelihood(said, rates)).sum(axis=0)


def hard_items(setting: Setting) -> Drawn:
    """On hard items everybody is worse, and nobody is told which they are."""
    chance = 1 / setting.n_values
    skill = logit(setting.rng.uniform(0.4, 0.95, N_SOURCES))
    kind = setting.rng.integers(0, len(HARDNESS), N_ITEMS)
    by_kind = chance + (1 - chance) * expit(skill[:, None] - HARDNESS)  # (n_sources, n_kinds)
    said = np.where(setting.looks(N_SOURCES), setting.answers(by_kind[:, kind]), SILENT)
    by_hardness = [
        np.log(setting.likelihood(said, by_kind[:, number])).sum(axis=0)
        for number in range(len(HARDNESS))
    ]
    return said, np.asarray(logsumexp(by_hardness, axis=0))


def clones(setting: Setting) -> Drawn:
    """A weak source has ten clones, who outnumber the six good ones."""
    rates = np.concatenate([setting.rates(0.5, 0.7, GOOD), setting.rates(0.1, 0.2, 1)])
    said = np.where(setting.looks(GOOD + 1, 0.8), setting.answers(rates), SILENT)
    likelihood = np.log(setting.likelihood(said, rates)).sum(axis=0)
    return np.concatenate([said, np.repeat(said[-1:], CLONES, axis=0)]), likelihood


def families(setting: Setting) -> Drawn:
    """Sources come in families, whose members often say what the whole family does."""
    n_families = N_SOURCES // MEMBERS
    common = setting.rates(0.2, 0.7, n_families)
    own = setting.rates(0.2, 0.7, N_SOURCES)
    shared = np.repeat(setting.answers(common), MEMBERS, axis=0)
    follows = setting.rng.random(shared.shape) < TOGETHER
    said = np.where(follows, shared, setting.answers(own))
    said = np.where(setting.looks(N_SOURCES), said, SILENT)
    total = np.zeros((N_ITEMS, setting.n_values))
    for family in range(n_families):
        members = slice(family * MEMBERS, (family + 1) * MEMBERS)
        total += _of_family(setting, said[members], own[members], common[family])
    return said, total


def one_sided(setting: Setting) -> Drawn:
    """Every source has one value that it ever says, and is silent if it believes another."""
    rates = setting.rates(0.3, 0.9, N_SOURCES)
    side = np.arange(N_SOURCES) % setting.n_values
    believed = np.where(setting.looks(N_SOURCES), setting.answers(rates), SILENT)
    said = np.where(believed == side[:, None], believed, SILENT)
    wrong = (1 - rates) / (setting.n_values - 1)
    is_side = side[:, None] == np.arange(setting.n_values)  # (n_sources, n_values)
    speaks = SHARE * np.where(is_side, rates[:, None], wrong[:, None])
    spoke = (said != SILENT)[:, :, None]
    return said, np.log(np.where(spoke, speaks[:, None], 1 - speaks[:, None])).sum(axis=0)


Make = Callable[[Setting], Drawn]
#: Each kind, and whether it makes sense in an open domain.
KINDS: Mapping[str, tuple[Make, bool]] = {
    "independent": (independent, True),
    "thin sources": (thin_sources, False),
    "hard items": (hard_items, True),
    "clones": (clones, True),
    "families": (families, True),
    "one-sided": (one_sided, False),
    "skewed classes": (independent, False),
    "adversaries": (adversaries, True),
    "one expert among twenty": (one_expert, True),
}
DOMAINS: Mapping[str, tuple[int, bool]] = {
    "2 values": (2, False),
    "4 values": (4, False),
    "open": (OPEN_VALUES, True),
}
#: How common the first value is where classes are skewed.
SKEWED = {2: 0.85, 4: 0.7}
#: Kinds, in every domain in which they make sense, and the families of `families`.
WORLDS = [
    *(
        f"{kind}, {domain}"
        for kind, (_, in_open) in KINDS.items()
        for domain, (_, is_open) in DOMAINS.items()
        if in_open or not is_open
    ),
    *(f"drawn: {family}" for family in FAMILIES),
]


def make(world: str, seed: int) -> Made:
    """Make a world."""
    if world.startswith("drawn: "):
        family = world.removeprefix("drawn: ")
        found = drawn(family, seed)
        several = FAMILIES[family].attribute.kind == "multiple"
        return Made(found.claims, found.truth, None if several else found.oracle.accuracy)
    kind, _, domain = world.rpartition(", ")
    n_values, is_open = DOMAINS[domain]
    prior = None
    if kind == "skewed classes":
        common = SKEWED[n_values]
        prior = np.array([common, *[(1 - common) / (n_values - 1)] * (n_values - 1)])
    setting = Setting.of(n_values, is_open, seed, prior)
    said, likelihood = KINDS[kind][0](setting)
    return Made(*_tables(kind, setting, said), oracle_accuracy(setting, said, likelihood))


def oracle_accuracy(setting: Setting, said: Ints, likelihood: Floats) -> float:
    """Return how often the most probable value is true, over items with a claim."""
    claimed = (said[:, :, None] == np.arange(setting.n_values)).any(axis=0)
    spoken = claimed.any(axis=1)
    allowed = claimed if setting.is_open else np.ones_like(claimed)
    score = np.where(allowed, likelihood + np.log(setting.prior), -np.inf)
    return float(np.mean((score.argmax(axis=1) == setting.truth)[spoken]))


def _independent(setting: Setting, rates: Floats) -> Drawn:
    said = np.where(setting.looks(len(rates)), setting.answers(rates), SILENT)
    return said, np.log(setting.likelihood(said, rates)).sum(axis=0)


def _of_family(setting: Setting, said: Ints, own: Floats, common: float) -> Floats:
    """Return the log-likelihood of what a family says, its common answer summed out."""
    alone = setting.likelihood(said, own)  # (n_members, n_items, n_values)
    wrong = (1 - common) / (setting.n_values - 1)
    by_answer = []
    for answer in range(setting.n_values):
        follows = (said == answer)[:, :, None]
        spoken = TOGETHER * follows + (1 - TOGETHER) * alone
        chance = np.where((said == SILENT)[:, :, None], 1.0, spoken)
        weight = np.where(np.arange(setting.n_values) == answer, common, wrong)
        by_answer.append(np.log(weight) + np.log(chance).sum(axis=0))
    return np.asarray(logsumexp(by_answer, axis=0))


def _tables(kind: str, setting: Setting, said: Ints) -> tuple[Claims, GroundTruth]:
    source, item = np.nonzero(said != SILENT)
    names = {
        "source": [f"source {number:02d}" for number in source],
        "entity": [f"item {number:03d}" for number in item],
        "value": _values(setting, item, said[source, item]),
    }
    if family := _family_of_source(kind, len(said)):
        names["source_family"] = [family[number] for number in source]
    everything = np.arange(N_ITEMS)
    truth = {
        "entity": [f"item {number:03d}" for number in everything],
        "value": _values(setting, everything, setting.truth),
    }
    return Claims.from_frame(pa.table(names)), GroundTruth.from_frame(pa.table(truth))


def _values(setting: Setting, item: Ints, value: Ints) -> list[str]:
    if setting.is_open:
        return [f"answer {i}-{v}" for i, v in zip(item, value, strict=True)]
    return [f"class {v}" for v in value]


def _family_of_source(kind: str, n_sources: int) -> list[str]:
    """Name families in a column, where there are any: a user may declare them."""
    if kind == "families":
        return [f"family {number // MEMBERS}" for number in range(n_sources)]
    if kind == "clones":
        return [f"family {min(number, GOOD)}" for number in range(n_sources)]
    return []
