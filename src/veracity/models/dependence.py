"""Sources that depend on each other, told apart from sources that are right against the vote.

If sources err independently once the truth is given, the agreement of two of them beyond chance is
the product of what each has by itself: g_ij = a_i a_j, whatever the truth is and whoever is right
(a one-factor model; its vanishing tetrads are Spearman's, 1904). Two good sources that the vote
overrules agree with each other, but also, as much as each deserves, with all others. A copier
agrees with its original far beyond that product. So dependence shows as a residual of a pair, and
needs no verdict on any item.

Only pairs that share enough contested items are looked at, among the sources that say most. What is
found is reported, not used: no statistic tells a family of sources that is right from one that is
wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats, Indices
from veracity.data.blocks import ClaimBlock
from veracity.data.buffers import take_labels, to_arrow
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import Note, plural
from veracity.data.output.tables import Table
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.sums import Scattered, Sums, Together
from veracity.models.views.classes import values_by_attribute

#: The sources with most contested claims that are compared.
MAX_SOURCES = 500
#: Contested items that a pair must share.
MIN_SHARED = 20
#: Other sources that both of a pair must be compared with: fewer cannot tell who is the odd one.
MIN_OTHERS = 3
#: A pair depends if it agrees more often than it should by this much, and by so many errors.
MIN_EXCESS, MIN_ERRORS = 0.15, 6.0
#: What others must agree on beyond chance, and beyond what they would if both of the pair were
#: right: without that, two good sources among guesses are no different from a copier and its
#: original.
MIN_OTHERS_AGREE = 0.03
ROUNDS = 50
#: What the counts of closed attributes are called, before the name of the attribute.
SHARED_OF, ANSWERS_OF = "shared of ", "answers of "

_SCHEMA = pa.schema(
    {
        "source": pa.string(),
        "other": pa.string(),
        "agreement": pa.float64(),
        "expected": pa.float64(),
        "n_shared": pa.int64(),
    }
)


@dataclass(frozen=True, eq=False)
class Dependence:
    """Pairs of sources that agree more than their agreement with others explains.

    Attributes
    ----------
    first, second
        The sources; (n_pairs,).
    agreement, expected
        The share of the contested items of both on which they agree, and what their agreement with
        others makes it; (n_pairs,).
    n_shared
        Contested items that both speak about; (n_pairs,).
    """

    first: Indices
    second: Indices
    agreement: Floats
    expected: Floats
    n_shared: Indices

    @classmethod
    def none(cls) -> Dependence:
        """Return no pairs."""
        nobody, nothing = np.zeros(0, np.int64), np.zeros(0)
        return cls(nobody, nobody, nothing, nothing, nobody)

    def __len__(self) -> int:
        return len(self.first)

    def table(self, sources: pa.StringArray) -> Table:
        """Return the pairs as a table, the most dependent first."""
        order = np.argsort(-(self.agreement - self.expected), kind="stable")
        columns = {
            "source": take_labels(sources, self.first[order]),
            "other": take_labels(sources, self.second[order]),
            "agreement": to_arrow(self.agreement[order]),
            "expected": to_arrow(self.expected[order]),
            "n_shared": to_arrow(self.n_shared[order]),
        }
        return Table("dependence", pa.table(columns))


def dependence_table(pairs: list[dict[str, Any]]) -> Table:
    """Return the table of pairs, from its rows."""
    return Table("dependence", pa.Table.from_pylist(pairs, schema=_SCHEMA))


def find_dependence(claims: ClaimsInBlocks) -> Dependence:
    """Find the pairs of sources that depend on each other."""
    n_sources = claims.n_sources
    found = claims.blocks.total(_contested, n_sources)
    chosen = most_contested(found["n"].everywhere())
    if len(chosen) <= MIN_OTHERS + 1:
        return Dependence.none()
    place = np.full(n_sources, -1)
    place[chosen] = np.arange(len(chosen))
    closed = (
        profile.name
        for profile in claims.attributes
        if profile.domain != "open" and profile.kind != "multiple"
    )
    classes: dict[str, list[str]] = {name: [] for name in closed}
    for name, label in sorted(found["answers"].members):
        classes[name].append(label)
    counts = claims.blocks.total(_count_pairs, place, len(chosen), classes)
    return dependence_of(counts, chosen)


def note_dependence(pairs: Table) -> list[Note]:
    """Say which sources agree more than they should, if any do."""
    if not len(pairs):
        return []
    first = pairs.to_arrow().slice(0, 1).to_pylist()[0]
    text = (
        f"{plural(len(pairs), 'pair of sources agrees', 'pairs of sources agree')} far more than "
        f"their agreement with others explains, such as {first['source']!r} and "
        f"{first['other']!r} ({first['agreement']:.0%} of {first['n_shared']:,} contested items; "
        f"{first['expected']:.0%} expected). One may copy the other, or both a third. All their "
        "claims count in full. If you know that they belong together, declare a column of "
        "families: --family COLUMN."
    )
    short = (
        f"{plural(len(pairs), 'pair of sources agrees', 'pairs of sources agree')} far more than "
        "their agreement with others explains"
    )
    return [Note("copying", text, len(pairs), short)]


def _contested(block: ClaimBlock, n_sources: int) -> Sums:
    answers = answers_of(block.matrix)
    pairs = ((name, label) for name, labels in answers.items() for label in labels)
    return {
        "n": Scattered(block.place, n_contested(block.matrix), n_sources),
        "answers": Together(frozenset(pairs)),
    }


def _count_pairs(
    block: ClaimBlock, place: Indices, n_chosen: int, classes: dict[str, list[str]]
) -> Sums:
    return dict(count_pairs(block.matrix, place[block.place], n_chosen, classes))


def n_contested(matrix: ClaimMatrix) -> Indices:
    """Count the claims of each source about which sources differ; (n_sources,)."""
    claims = _contested_claims(matrix)
    return np.bincount(matrix.source_index[claims], minlength=matrix.n_sources)


def most_contested(count: Indices) -> Indices:
    """Return the sources that say most about what is contested, in order."""
    chosen = np.flatnonzero(count >= MIN_SHARED)
    return np.sort(chosen[np.argsort(-count[chosen], kind="stable")][:MAX_SOURCES])


def dependence_of(counts: dict[str, Floats], chosen: Indices) -> Dependence:
    """Find the pairs that depend on each other, by what `count_pairs` counts of all claims."""
    agree, shared = counts["agree"], counts["shared"]
    chance = counts["chance"] + _by_habit(counts)
    one, other = np.nonzero(np.triu(shared >= MIN_SHARED, 1))
    n_shared = shared[one, other]
    rate = agree[one, other] / np.maximum(n_shared, 1.0)
    by_chance = chance[one, other] / np.maximum(n_shared, 1.0)
    # With one more claim of each kind, so that nobody is certain.
    smooth = (agree[one, other] + 1.0) / (n_shared + 2.0)
    error = np.sqrt(smooth * (1.0 - smooth) / np.maximum(n_shared, 1.0))
    factor = _factor(len(chosen), one, other, rate - by_chance, error)
    expected = by_chance + factor[one] * factor[other]
    excess = rate - expected
    found = (excess > MIN_EXCESS) & (excess > MIN_ERRORS * error * _spread(excess, error))
    partners = np.bincount(np.append(one, other), minlength=len(chosen))
    found &= np.minimum(partners[one], partners[other]) > MIN_OTHERS
    found &= _others_object(len(chosen), one, other, rate - by_chance, n_shared, found)
    one, other = one[found], other[found]
    return Dependence(
        chosen[one],
        chosen[other],
        rate[found],
        np.clip(expected[found], 0.0, 1.0),
        n_shared[found].astype(np.int64),
    )


def _contested_claims(matrix: ClaimMatrix) -> Indices:
    """Return the claims that name a value of an item, or answer yes or no, where sources differ."""
    several = np.diff(matrix.statement_start) > 1
    yes = matrix.sum_by_statement(matrix.claim_value.astype(np.float64))
    n_claims = np.bincount(matrix.statement_index, minlength=matrix.n_statements)
    disputed = matrix.sum_by_item(((yes > 0) & (yes < n_claims)).astype(np.float64)) > 0
    boolean = matrix.kind_is("boolean")
    contested = np.where(boolean, disputed, several & matrix.kind_is("single"))
    says = (matrix.claim_value == 1) | boolean[matrix.item_of_claim]
    return np.flatnonzero(contested[matrix.item_of_claim] & says)


def answers_of(matrix: ClaimMatrix) -> dict[str, dict[str, int]]:
    """Return the values of each closed attribute that has one true value, with their codes."""
    closed = [
        profile.domain != "open" and profile.kind != "multiple" for profile in matrix.profiles
    ]
    return values_by_attribute(matrix, np.array(closed))


def count_pairs(
    matrix: ClaimMatrix, place: Indices, n_chosen: int, classes: Mapping[str, Sequence[str]]
) -> dict[str, Floats]:
    """Count, for pairs of chosen sources, items on which they agree, share, and agree by chance.

    Counts of disjoint sets of items add. Of each closed attribute there are the items shared, and
    how often each source gives each answer, from which chance follows once all are counted.

    Parameters
    ----------
    matrix
        The claims.
    place
        The place of each source among those chosen, -1 if it is not; (n_sources,).
    n_chosen
        How many are.
    classes
        All values of closed attributes, by name.
    """
    from veracity.models.meetings import count_meetings

    claims = _contested_claims(matrix)
    source = place[matrix.source_index[claims]]
    claims, source = claims[source >= 0], source[source >= 0]
    item = matrix.item_of_claim[claims]
    answer = 2 * matrix.statement_index[claims].astype(np.int64) + matrix.claim_value[claims]
    attribute = matrix.attribute_index[item]
    is_open = np.array([profile.domain == "open" for profile in matrix.profiles])[attribute]
    by_chance = 1.0 / _likely_values(matrix)[item[is_open]]
    counts = {
        "agree": count_meetings(source, answer, n_chosen),
        "shared": count_meetings(source, item, n_chosen),
        "chance": count_meetings(source[is_open], item[is_open], n_chosen, by_chance),
    }
    codes = answers_of(matrix)
    for index, profile in enumerate(matrix.profiles):
        if profile.name not in classes:
            continue
        own = np.flatnonzero(attribute == index)
        counts[f"{SHARED_OF}{profile.name}"] = count_meetings(source[own], item[own], n_chosen)
        counts[f"{ANSWERS_OF}{profile.name}"] = _count_answers(
            matrix,
            claims[own],
            source[own],
            n_chosen,
            codes.get(profile.name, {}),
            classes[profile.name],
        )
    return counts


def _count_answers(
    matrix: ClaimMatrix,
    claims: Indices,
    source: Indices,
    n_chosen: int,
    codes: Mapping[str, int],
    classes: Sequence[str],
) -> Floats:
    """Count how often each source gives each answer; (n_chosen, n_answers)."""
    number = np.zeros(len(matrix.values), np.int64)
    place = {label: index for index, label in enumerate(classes)}
    for label, code in codes.items():
        number[code] = place[label]
    value = matrix.value_index[matrix.statement_index[claims]]
    answer = 2 * number[value] + matrix.claim_value[claims]
    n_answers = 2 * len(classes)
    counts = np.bincount(source * n_answers + answer, minlength=n_chosen * n_answers)
    return counts.reshape(n_chosen, n_answers).astype(np.float64)


def _by_habit(counts: dict[str, Floats]) -> Floats:
    """Count the items of closed attributes on which pairs would agree by their habits alone.

    Two sources that say yes to everything agree, but neither copies: by chance they agree as often
    as the shares of their answers make them.
    """
    chance = np.zeros_like(counts["agree"])
    for name, shared in counts.items():
        if name.startswith(SHARED_OF):
            shares = counts[ANSWERS_OF + name.removeprefix(SHARED_OF)]
            shares = shares / np.maximum(shares.sum(axis=1, keepdims=True), 1.0)
            chance += shared * (shares @ shares.T)
    return chance


def _likely_values(matrix: ClaimMatrix) -> Floats:
    """Return how many values an item of an open attribute seems to have; (n_items,).

    The claimed ones, and as many more as their claims leave room for: the share of values in play
    that were claimed is about that of the claims whose value somebody else claims too (the coverage
    of Good and Turing, 1953).
    """
    n_claims = matrix.sum_by_statement((matrix.claim_value == 1).astype(np.float64))
    n_values = np.diff(matrix.statement_start).astype(np.float64)
    alone = matrix.sum_by_item((n_claims == 1).astype(np.float64))
    covered = 1.0 - alone / np.maximum(matrix.sum_by_item(n_claims), 1.0)
    known = np.array([float(profile.n_values) for profile in matrix.profiles])
    most = np.maximum(known[matrix.attribute_index], n_values)
    likely = np.minimum(n_values / np.maximum(covered, n_values / most), most)
    return np.asarray(np.maximum(likely, 2.0))


def _others_object(
    n_sources: int,
    one: Indices,
    other: Indices,
    g: Floats,
    n_shared: Floats,
    found: npt.NDArray[np.bool_],
) -> npt.NDArray[np.bool_]:
    """Mark pairs whose being right would not explain how others agree with each other.

    If both of a pair were right, two others would agree by g_ir g_jr / g_ij. If they agree by more,
    they know something that the pair does not. Means are weighed by the items shared.
    """
    suspect = np.zeros(n_sources, np.bool_)
    suspect[one[found]] = suspect[other[found]] = True
    rest = ~suspect[one] & ~suspect[other]
    if not rest.any():
        return np.zeros(len(one), np.bool_)
    among_others = float(np.average(g[rest], weights=n_shared[rest]))
    i, j = np.append(one, other), np.append(other, one)
    weight = np.where(suspect[j], 0.0, np.append(n_shared, n_shared))
    total = np.bincount(i, weight * np.append(g, g), minlength=n_sources)
    with_others = total / np.maximum(np.bincount(i, weight, minlength=n_sources), 1.0)
    explained = with_others[one] * with_others[other] / np.maximum(g, 1e-12)
    return np.asarray(among_others - explained > MIN_OTHERS_AGREE)


def _factor(n_sources: int, one: Indices, other: Indices, g: Floats, error: Floats) -> Floats:
    """Fit g_ij = a_i a_j, with little weight for pairs that agree far more than that."""
    overall = np.sqrt(max(float(np.median(g)), 0.01)) if len(g) else 0.0
    a = np.full(n_sources, overall)
    i, j = np.append(one, other), np.append(other, one)
    g, error = np.append(g, g), np.append(error, error)
    scale = np.sqrt(error**2 + 0.05**2)  # the model is not exact either
    for _ in range(ROUNDS):
        distance = (g - a[i] * a[j]) / scale
        weight = 1.0 / (1.0 + distance**2) / scale**2  # Cauchy's: outliers hardly count
        top = np.bincount(i, weight * g * a[j], minlength=n_sources)
        below = np.bincount(i, weight * a[j] ** 2, minlength=n_sources)
        new = np.where(below > 0, top / np.maximum(below, 1e-12), a)
        a = 0.5 * a + 0.5 * np.clip(new, 0.0, 1.0)
    return a


def _spread(excess: Floats, error: Floats) -> float:
    """Return how much residuals scatter beyond chance, at least 1."""
    if not len(excess):
        return 1.0
    z = excess / error
    return max(1.0, 1.4826 * float(np.median(np.abs(z - np.median(z)))))
