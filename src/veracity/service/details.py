"""One item in full: its values, every claim, and the evidence."""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache
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

#: How many labels are kept as text.
LABELS_KEPT = 10_000
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
        self._value_index = numbers_of(matrix.value_index)
        self._word = lru_cache(LABELS_KEPT)(self.items.claimed.__getitem__)
        self._name = lru_cache(LABELS_KEPT)(sources.names.__getitem__)
        self._cells = FeatureCells(claims.features)
        self._put_items_ready()
        self._put_claims_ready()

    def _put_items_ready(self) -> None:
        """View what is known of items and their statements as numbers."""
        matrix, results = self.matrix, self.items.results
        self._attribute_index = numbers_of(matrix.attribute_index)
        self._statement_start = numbers_of(matrix.statement_start)
        self._claim_start = numbers_of(matrix.claim_start)
        self._plausibility = numbers_of(results.plausibility)
        self._believed, self._holds = numbers_of(results.believed), numbers_of(results.holds)
        self._known, self._tie = numbers_of(results.known), numbers_of(results.tie)
        self._decision, self._margin = numbers_of(results.decision), numbers_of(results.margin)
        self._hardness = numbers_of(results.hardness)
        self._vote_share = numbers_of(self.items.vote_share)

    def _put_claims_ready(self) -> None:
        """View what is known of claims and their sources as numbers."""
        matrix, rates, explainer = self.matrix, self.items.results.rates, self.explainer
        self._source_index = numbers_of(matrix.source_index)
        self._statement_index = numbers_of(matrix.statement_index)
        self._claim_value, self._row = numbers_of(matrix.claim_value), numbers_of(matrix.row)
        self._reliability = numbers_of(rates["reliability"])
        if explainer is not None:
            self._tpr, self._fpr = numbers_of(explainer.tpr), numbers_of(explainer.fpr)
            self._weight = numbers_of(explainer.weight)
        else:
            self._tpr, self._fpr = numbers_of(rates["tpr"]), numbers_of(rates["fpr"])

    def answer(self, item: int, mark: list[str] | None) -> dict[str, Any]:
        """Return an item in full."""
        items, profile = self.items, self.matrix.profiles[self._attribute_index[item]]
        known, hardness = self._known[item], self._hardness[item]
        words = [self._word(self._value_index[statement]) for statement in self._statements(item)]
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
            "decision": DECISIONS[self._decision[item]],
            "tie": self._tie[item],
            "margin": self._margin[item],
            "vote_value": items.vote_value(item),
            "vote_share": self._vote_share[item],
            "hardness": _number(hardness),
            "harder_than": items.harder_than(hardness),
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
        plausibility = self._plausibility[own.start : own.stop]
        if self._known[item] and not self._holds[item]:
            return 0.0  # what is true is among the values shown
        hierarchy = self.matrix.profiles[self._attribute_index[item]].hierarchy
        if hierarchy is not None:
            values = [self.items.value(statement) for statement in own]
            return left_over(outline(hierarchy, dict(zip(values, plausibility, strict=True))))
        left: float = 1.0 - sum(plausibility)
        return min(max(left, 0.0), 1.0)

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
        elif not self._holds[item]:  # a number that was worked out, or truth that was given
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
        start, name, cells = self._statements(item).start, self._name, self._cells.of
        no = self.items.negative(item) if boolean else ""
        first, last = self._claim_start[item], self._claim_start[item + 1]
        sources = list(self._source_index[first:last])
        if self.explainer is not None:
            tpr, fpr = self._tpr[first:last], self._fpr[first:last]
        else:
            tpr = list(map(self._tpr.__getitem__, sources))
            fpr = list(map(self._fpr.__getitem__, sources))
        columns = zip(
            range(first, last),
            sources,
            self._statement_index[first:last],
            self._claim_value[first:last],
            self._row[first:last],
            map(self._reliability.__getitem__, sources),
            tpr,
            fpr,
            strict=True,
        )
        return [
            {
                "claim": claim,
                "source_id": source,
                "source": name(source),
                "value": no if boolean and not yes else words[statement - start],
                "asserts": bool(yes) or boolean,
                "reliability": _number(reliability),
                "tpr": _number(true),
                "fpr": _number(false),
                "features": cells(row),
            }
            for claim, source, statement, yes, row, reliability, true, false in columns
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
        weights = self._weight[first : first + len(claims)]
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
    terms = [
        {
            "claim": claim,
            "source": heard[claim - first][0],
            "says": heard[claim - first][1],
            "claims": claimed,
            "log_odds": added,
            "weight": heard[claim - first][2],
        }
        for claim, claimed, added in zip(bill.claims, bill.claimed, bill.added, strict=True)
    ]
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
