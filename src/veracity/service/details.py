"""One item in full: its values, every claim, and the evidence."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from veracity.data.arrays import numbers_of
from veracity.data.claims import Claims
from veracity.data.clean.feature_cells import FeatureCells
from veracity.data.clean.values import canonical_number
from veracity.data.hierarchy.outline import left_over, outline
from veracity.data.output.results import deniers
from veracity.models.explanation import Bill, Explainer, log_odds_of
from veracity.service.items import ItemIndex
from veracity.service.results import DECISIONS
from veracity.service.sources import SourceIndex

WHY_KNOWN = (
    "The truth of this item was given to the run, so its plausibility does not come from claims."
)


class ItemDetails:
    """The items of claims in full.

    Parameters
    ----------
    claims
        The claims.
    sources
        Their items and sources.
    explainer
        Takes verdicts apart, or None where the model cannot.
    why_not
        Why it cannot.
    """

    def __init__(
        self,
        claims: Claims,
        sources: SourceIndex,
        explainer: Explainer | None,
        why_not: str | None = None,
    ) -> None:
        self.items: ItemIndex = sources.items
        self.sources = sources
        self.explainer, self.why_not = explainer, why_not
        matrix = self.matrix = claims.matrix
        yes = np.bincount(
            matrix.statement_index[matrix.claim_value == 1], minlength=len(matrix.value_index)
        )
        self._supporters, self._deniers = numbers_of(yes), numbers_of(deniers(matrix))
        self._statement_start = numbers_of(matrix.statement_start)
        self._claim_start = numbers_of(matrix.claim_start)
        self._plausibility = numbers_of(self.items.results.plausibility)
        self._believed = numbers_of(self.items.results.believed)
        self._cells = FeatureCells(claims.features)

    def answer(self, item: int, mark: list[str] | None) -> dict[str, Any]:
        """Return an item in full."""
        items, results = self.items, self.items.results
        profile = self.matrix.profiles[int(self.matrix.attribute_index[item])]
        known = bool(results.known[item])
        words = [items.value(statement) for statement in self._statements(item)]
        claims = self._claims(item, words, profile.kind == "boolean")
        evidence, why_not = None, WHY_KNOWN if known else self.why_not
        if self.explainer is not None and not known:
            evidence = self._evidence(item, words, claims)
        return {
            "id": item,
            "entity": items.entity(item),
            "attribute": items.attribute(item),
            "kind": profile.kind,
            "domain": profile.domain,
            "decision": DECISIONS[results.decision[item]],
            "tie": bool(results.tie[item]),
            "margin": float(results.margin[item]),
            "vote_value": items.vote_value(item),
            "vote_share": float(items.vote_share[item]),
            "hardness": _number(float(results.hardness[item])),
            "harder_than": items.harder_than(float(results.hardness[item])),
            "number": self._number_of(item) if profile.numeric else None,
            "weights": self._weights(item) if profile.numeric and not known else None,
            "values": self._values(item, words, profile.kind),
            "none_of_these": self._left_over(item)
            if profile.kind == "single" and not profile.numeric
            else None,
            "claims": claims,
            "families": self._families(item),
            "evidence": evidence,
            "why_no_evidence": None if evidence is not None else why_not,
            "mark": mark,
            "known": known,
        }

    def _number_of(self, item: int) -> dict[str, Any] | None:
        """Return the number believed of an item with its interval, None if it is no number."""
        results = self.items.results
        value = canonical_number(str(self.items.believed[item]))
        if value is None:
            return None
        return {
            "value": float(value),
            "standard_error": _number(float(results.standard_error[item])),
            "low": _number(float(results.low[item])),
            "high": _number(float(results.high[item])),
            "interval": results.interval[item],
        }

    def _weights(self, item: int) -> list[dict[str, Any]] | None:
        """Return the share of each claim in the number believed, None where it is not known."""
        if self.explainer is None:
            return None
        from veracity.models.forms.number.explanation import (
            NumberExplanation,  # brings a compiler with it
        )

        found = self.explainer.item(item)
        if not isinstance(found, NumberExplanation):
            return None
        return [asdict(weight) for weight in found.weights]

    def _statements(self, item: int) -> range:
        return range(self._statement_start[item], self._statement_start[item + 1])

    def _left_over(self, item: int) -> float:
        own = self._statements(item)
        plausibility = self.items.results.plausibility[own.start : own.stop]
        if self.items.results.known[item] and not self.items.results.holds[item]:
            return 0.0  # what is true is among the values shown
        hierarchy = self.matrix.profiles[int(self.matrix.attribute_index[item])].hierarchy
        if hierarchy is not None:
            values = [self.items.value(statement) for statement in own]
            return left_over(outline(hierarchy, dict(zip(values, plausibility, strict=True))))
        return min(max(1.0 - float(np.add.reduce(plausibility)), 0.0), 1.0)

    def _values(self, item: int, words: list[str], kind: str) -> list[dict[str, Any]]:
        items, results = self.items, self.items.results
        first = self._statements(item).start
        rows: list[dict[str, Any]] = [
            {
                "value": word,
                "plausibility": self._plausibility[statement],
                "supporters": self._supporters[statement],
                "deniers": self._deniers[statement],
                "believed": self._believed[statement],
            }
            for statement, word in enumerate(words, first)
        ]
        if kind == "boolean":
            yes = rows[0]
            rows.append(
                {
                    "value": items.negative(item),
                    "plausibility": 1.0 - yes["plausibility"],
                    "supporters": yes["deniers"],
                    "deniers": yes["supporters"],
                    "believed": not yes["believed"],
                }
            )
        elif not results.holds[item]:  # a number that was worked out, or truth that was given
            rows.append(
                {
                    "value": items.believed[item],
                    "plausibility": float(results.item_plausibility[item]),
                    "supporters": 0,
                    "deniers": 0,
                    "believed": True,
                }
            )
        rows.sort(key=lambda row: -row["plausibility"])
        return rows

    def _claims(self, item: int, words: list[str], boolean: bool) -> list[dict[str, Any]]:
        """Return the claims about an item; `words` are the values of its statements."""
        matrix, rates = self.matrix, self.items.results.rates
        start, names = self._statements(item).start, self.sources.names
        no = self.items.negative(item) if boolean else ""
        first, last = self._claim_start[item], self._claim_start[item + 1]
        source = matrix.source_index[first:last]
        if self.explainer is not None:
            tpr, fpr = self.explainer.tpr[first:last], self.explainer.fpr[first:last]
        else:
            tpr, fpr = rates["tpr"][source], rates["fpr"][source]
        columns = zip(
            range(first, last),
            source.tolist(),
            matrix.statement_index[first:last].tolist(),
            matrix.claim_value[first:last].tolist(),
            matrix.row[first:last].tolist(),
            rates["reliability"][source].tolist(),
            tpr.tolist(),
            fpr.tolist(),
            strict=True,
        )
        return [
            {
                "claim": claim,
                "source_id": speaker,
                "source": names[speaker],
                "value": no if boolean and not yes else words[statement - start],
                "asserts": bool(yes) or boolean,
                "reliability": _number(reliability),
                "tpr": _number(true),
                "fpr": _number(false),
                "features": self._cells.of(row),
            }
            for claim, speaker, statement, yes, row, reliability, true, false in columns
        ]

    def _families(self, item: int) -> list[dict[str, Any]]:
        found = () if self.explainer is None else self.explainer.families(item)
        return [asdict(family) for family in found]

    def _evidence(
        self, item: int, words: list[str], claims: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Return the evidence for each value; `claims` are those about the item."""
        assert self.explainer is not None
        first, start = self._claim_start[item], self._statements(item).start
        weights = self.explainer.weight[first : first + len(claims)].tolist()
        heard = [
            (row["source"], row["value"] if row["asserts"] else f"not {row['value']}", weight)
            for row, weight in zip(claims, weights, strict=True)
        ]
        rows = []
        for bill in self.explainer.all_bills(item):
            plausibility = self._plausibility[bill.statement]
            rows.append(_bill(bill, words[bill.statement - start], plausibility, heard, first))
        rows.sort(key=lambda row: -row["plausibility"])
        return rows


def _bill(
    bill: Bill, value: str, plausibility: float, heard: list[tuple[str, str, float]], first: int
) -> dict[str, Any]:
    """Return the evidence for a value.

    `heard` are the source, the saying and the weight of each claim from the `first` on.
    """
    terms = []
    for claim, claimed, added in zip(bill.claims, bill.claimed, bill.added, strict=True):
        source, says, weight = heard[claim - first]
        terms.append(
            {
                "claim": claim,
                "source": source,
                "says": says,
                "claims": claimed,
                "log_odds": added,
                "weight": weight,
            }
        )
    return {
        "value": value,
        "before": bill.before,
        "terms": terms,
        "adjustments": [
            {"reason": reason, "log_odds": log_odds}
            for reason, log_odds in bill.adjustments(plausibility)
        ],
        "log_odds": log_odds_of(plausibility),
        "plausibility": plausibility,
    }


def _number(value: float) -> float | None:
    return None if value != value else value  # NaN
