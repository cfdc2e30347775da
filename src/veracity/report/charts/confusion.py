"""Confusion matrices of claims and verdicts against known truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from veracity.data.buffers import take_labels, to_arrow
from veracity.data.claims import Claims
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.notes import plural
from veracity.data.read.workbench import Workbench
from veracity.evaluation.metrics import match
from veracity.report.chart import Chart, specification
from veracity.report.charts.records import one_line, records, share, short_labels
from veracity.report.subject import Subject

#: Values that have a row of their own; the others share one.
MAX_VALUES = 16
ANOTHER = "any other"

Pairs = Counter[tuple[str, str]]


def confusion(subject: Subject) -> list[Chart]:
    """Show what is believed and what is claimed, by the true value, for the largest attribute."""
    if subject.truth is None:
        return []
    with Workbench() as workbench:
        match(workbench, subject.truths, subject.truth, subject.claims)
        profile = _largest(workbench, subject.claims)
        if profile is None:
            return []
        workbench.register("asked", pa.table({"attribute": [profile.name]}))
        believed = _pairs(
            workbench.rows(
                "SELECT known.key, best.key, count(*) FROM best JOIN asked USING (attribute) "
                "JOIN known USING (entity, attribute) GROUP BY ALL"
            )
        )
        workbench.register("said", _said(subject.claims, profile))
        claimed = _pairs(
            workbench.rows(
                "SELECT known.key, said.key, sum(said.n) FROM said JOIN asked ON true "
                "JOIN known USING (entity, attribute) GROUP BY ALL"
            )
        )
    by_key = {subject.claims.forms.key(profile.name, level): level for level in profile.order}
    common = {by_key.get(key, key): key for key in _commonest(believed + claimed)}
    order = [common[level] for level in profile.in_order(common)]
    return [
        _chart("confusion-believed", profile.name, believed, order, ("believed", "verdict")),
        _chart("confusion-claimed", profile.name, claimed, order, ("claimed", "claim")),
    ]


def _largest(workbench: Workbench, claims: Claims) -> AttributeProfile | None:
    """Return the attribute with most known truth among those with few values, one of them true."""
    few = {
        profile.name: profile
        for profile in claims.attributes
        if profile.kind == "boolean" or (profile.kind == "single" and profile.domain == "closed")
        if profile.form == "value"
    }
    rows = workbench.rows(
        "SELECT attribute, count(*) AS n FROM best GROUP BY attribute ORDER BY n DESC, attribute"
    )
    return next((few[name] for name, _ in rows if name in few), None)


def _said(claims: Claims, profile: AttributeProfile) -> pa.Table:
    """Return how often each value of each entity is claimed: entity, key, n."""
    matrix = claims.matrix
    own = matrix.profiles.index(profile) == matrix.attribute_index[matrix.item_of_statement]
    statement = np.flatnonzero(own)
    n_claims = np.bincount(matrix.statement_index, minlength=matrix.n_statements)[statement]
    said_yes = matrix.sum_by_statement(matrix.claim_value.astype(np.float64))[statement]
    entity = matrix.entity_index[matrix.item_of_statement[statement]]
    labels = take_labels(matrix.values, matrix.value_index[statement]).to_pylist()
    keys = {label: claims.forms.key(profile.name, label) for label in set(labels)}
    yes = pa.table(
        {
            "entity": take_labels(matrix.entities, entity),
            "key": pa.array([keys[label] for label in labels], pa.string()),
            "n": to_arrow(said_yes.astype(np.int64)),
        }
    )
    if profile.kind != "boolean":
        return yes
    denied = claims.forms.key(profile.name, str(profile.negative))
    no = yes.set_column(1, "key", pa.array([denied] * len(labels), pa.string()))
    no = no.set_column(2, "n", to_arrow(n_claims - said_yes.astype(np.int64)))
    return pa.concat_tables([yes, no])


def _pairs(rows: Iterable[tuple[Any, ...]]) -> Pairs:
    return Counter({(str(true), str(said)): int(n) for true, said, n in rows if n})


def _commonest(pairs: Pairs) -> list[str]:
    """Return the values that occur most often, as true ones or as said."""
    count: Counter[str] = Counter()
    for (true, said), n in pairs.items():
        count[true] += n
        count[said] += n
    return sorted(
        name for name, _ in sorted(count.items(), key=lambda pair: (-pair[1], pair[0]))[:MAX_VALUES]
    )


def _chart(
    name: str, attribute: str, pairs: Pairs, order: list[str], words: tuple[str, str]
) -> Chart:
    verb, noun = words
    label = dict(zip(order, short_labels(order, 24), strict=True))
    folded: Pairs = Counter()
    for (true, said), n in pairs.items():
        folded[label.get(true, ANOTHER), label.get(said, ANOTHER)] += n
    total = sum(pairs.values())
    right = sum(n for (true, said), n in pairs.items() if true == said)
    of_true: Counter[str] = Counter()
    for (true, _), n in folded.items():
        of_true[true] += n
    shown = list(label.values()) + [ANOTHER] * any(ANOTHER in pair for pair in folded)
    about = one_line(attribute, 40)
    finding = f"{about}: {share(right, total)} of {plural(total, noun)} are right"
    mistaken = {pair: n for pair, n in pairs.items() if pair[0] != pair[1]}
    if mistaken:
        (true, said), n = max(mistaken.items(), key=lambda item: (item[1], item[0]))
        finding += f"; most often {one_line(said, 24)} for {one_line(true, 24)} ({n:,})"
    cells = sorted(folded.items())
    return Chart(
        name,
        finding,
        f"Rows are true values, columns what is {verb}: on the diagonal, the {noun} is right. "
        "Colour is the share of the row.",
        f"Confusion matrix of {plural(total, noun)} about {about} by true value. {finding}.",
        records(
            true=[true for (true, _), _ in cells],
            said=[said for (_, said), _ in cells],
            count=[n for _, n in cells],
            share=[n / of_true[true] for (true, _), n in cells],
        ),
        specification(
            "confusion",
            order=shown,
            rows="true value",
            title=f"{verb} value",
            noun=f"{noun}s",
            angle=0 if len(shown) <= 6 else -40,
        ),
    )
