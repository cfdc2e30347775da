"""One-sided sources: labelling rules that say one value or nothing, so that speaking is evidence.

A source that only ever says j tells nothing by what it says, given that it speaks; it tells
something by speaking at all. Where most claims of a closed attribute come from such sources, they
are judged by who speaks, given that one of them does: with truth k, source s does so with the
probability

    P(s | k) = n_s e^([j_s = k] u_s - norm_k)        norm_k = log sum_s n_s e^([j_s = k] u_s)

over the one-sided sources, where n_s is how much s claims and u_s >= 0 its strength. Nothing is
taken to follow from silence about an item, which a source may not have seen.

The norms depend on all sources, also on those that a block does not know. So they are worked out
from all parameters, handed to the blocks as if they were parameters of the attribute
(``speaking_norm``), and the gradient in them is carried over to the sources once for all blocks.

Speaking is evidence only if a source could have spoken about most items. If sources were shown
items in batches, as workers of a crowd are, those of opposite values meet on the same items more
often than chance makes them, while speaking for a reason can only make them meet less often
(`excess_of_meetings`). Then they are judged by what they say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.blocks import ClaimBlock
from veracity.data.encode.grouping import starts
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.sums import Sums
from veracity.models.grbm.theta import sigmoid
from veracity.models.meetings import count_meetings

if TYPE_CHECKING:
    from veracity.models.grbm.attributes import AttributeRange

#: The name of the norms among the parameters of an attribute.
SPEAKING_NORM = "speaking_norm"
#: Speaking is modelled where sources that are surely one-sided make more than this share of claims.
MIN_SHARE = 0.5
#: A source is surely one-sided if chance would make it so with less than this probability.
CHANCE = 0.01
#: Speaking is not modelled where sources of opposite values meet more often than by chance in more
#: than this share of their meetings.
MAX_EXCESS = 0.2
#: The sources with most claims whose meetings are counted.
MAX_SOURCES = 500


@dataclass(frozen=True, eq=False)
class OneSided:
    """The sources of an attribute that say one value only.

    Attributes
    ----------
    source
        Which they are, by their place among all sources, in order.
    value
        The class that each of them says.
    n_claims
        How much each of them claims.
    """

    source: Indices
    value: Indices
    n_claims: Indices

    @classmethod
    def nobody(cls) -> OneSided:
        """Return no sources."""
        return cls(*np.empty((3, 0), np.int64))

    @classmethod
    def among(cls, source: Indices, value: Indices, count: Indices) -> OneSided:
        """Find those that say one class only, from rows of source, class and count, in order."""
        begins = starts(source)
        one = begins[np.diff(np.append(begins, len(source))) == 1]
        return cls(source[one], value[one], count[one])

    @classmethod
    def joined(cls, parts: Sequence[OneSided]) -> OneSided:
        """Put the sources of several parts of all sources together."""
        return cls(
            np.concatenate([part.source for part in parts]),
            np.concatenate([part.value for part in parts]),
            np.concatenate([part.n_claims for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.source)

    def sure_share(self, of_class: Floats) -> float:
        """Return the share of those in all claims that are surely one-sided.

        `of_class` is how often all sources say each class.
        """
        log_share = np.log(np.maximum(of_class, 1.0) / max(of_class.sum(), 1.0))
        sure = self.n_claims * log_share[self.value] < np.log(CHANCE)
        return float(self.n_claims[sure].sum() / max(of_class.sum(), 1.0))

    def strength(self, eta: Floats, n_classes: int, floor: float) -> tuple[Floats, Floats]:
        """Return u of each source, and du/deta."""
        x = eta + np.log(n_classes - 1.0)
        if floor == 0.0:
            return x, np.ones(len(x))
        return np.logaddexp(0.0, x), sigmoid(x)

    def norms(self, u: Floats, n_classes: int) -> Floats:
        """Return norm_k of each class."""
        log_n = np.log(np.maximum(self.n_claims, 1))
        return np.array(
            [
                np.logaddexp.reduce(log_n + np.where(self.value == k, u, 0.0))
                for k in range(n_classes)
            ]
        )

    def gradient(self, u: Floats, slope: Floats, norms: Floats, of_norms: Floats) -> Floats:
        """Carry the gradient in the norms over to eta of each source."""
        share = np.exp(np.log(np.maximum(self.n_claims, 1)) + u - norms[self.value])
        return np.asarray(of_norms[self.value] * share * slope)


def excess_of_meetings(claims: ClaimsInBlocks, own: AttributeRange, found: OneSided) -> float:
    """Return the share of meetings of sources with opposite values that is more than chance.

    Two sources meet on an item that both speak about. By chance they do so n m / E times, with n
    and m claims about E items; two standard deviations more are not counted.
    """
    most = np.argsort(-found.n_claims, kind="stable")[:MAX_SOURCES]
    place = np.full(claims.n_sources, -1)
    place[found.source[most]] = np.arange(len(most))
    met = claims.blocks.total(_count_meetings, own.name, place, len(most))["met"]
    n_claims, value = found.n_claims[most].astype(np.float64), found.value[most]
    chance = np.outer(n_claims, n_claims) / max(own.n_items, 1)
    opposite = value[:, None] != value
    more = np.maximum(met - chance - 2 * np.sqrt(chance), 0.0)
    return float(more[opposite].sum() / max(met[opposite].sum(), 1.0))


def _count_meetings(block: ClaimBlock, name: str, place: Indices, n_sources: int) -> Sums:
    matrix = block.matrix
    index = matrix.place_of_attribute[name]
    claims = matrix.claims_of_attribute(index)
    source = place[block.place[matrix.source_index[claims]]]
    item, counted = matrix.item_of_claim[claims].astype(np.int64), source >= 0
    spoken = np.unique(item[counted] * n_sources + source[counted])  # once about each item
    return {"met": count_meetings(spoken % n_sources, spoken // n_sources, n_sources)}
