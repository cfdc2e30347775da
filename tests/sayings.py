"""Claims of every kind, and every yes and no in them written out."""

from __future__ import annotations

import numpy as np

from veracity import Attribute, Claims
from veracity.data.arrays import Floats
from veracity.data.matrix import ClaimMatrix

#: Of everything something: lists of values, plain values, yes and no, denials, and weights.
MIXED = [
    # source, entity, attribute, value, asserts, weight
    ("ann", "book", "author", "Kay", 1, 1.0),
    ("ann", "book", "author", "Lee", 1, 2.0),
    ("bob", "book", "author", "Lee", 1, 1.0),
    ("cat", "book", "author", "Kay", 0, 1.0),
    ("bob", "book", "author", "Kay", 0, 1.0),  # which it denies anyway, by naming Lee
    ("ann", "sky", "colour", "blue", 1, 1.0),
    ("bob", "sky", "colour", "grey", 1, 0.5),
    ("cat", "sky", "colour", "grey", 0, 3.0),
    ("cat", "sea", "colour", "blue", 1, 1.0),
    ("ann", "sea", "is salty", "yes", 1, 1.0),
    ("bob", "sea", "is salty", "no", 1, 1.5),
    ("dan", "sky", "is salty", "no", 1, 1.0),
]
KINDS = {
    "author": Attribute("multiple"),
    "colour": Attribute("single", "open"),
    "is salty": Attribute("boolean"),
}


def mixed_claims(weights: bool = True) -> Claims:
    names = ["source", "entity", "attribute", "value", "asserts", "weight"][: 6 if weights else 5]
    columns = {name: [row[place] for row in MIXED] for place, name in enumerate(names)}
    return Claims.from_frame(columns, attributes=KINDS)


def written_out(matrix: ClaimMatrix, everyone: bool) -> tuple[Floats, Floats]:
    """Return the weight with which each source claims, and denies, each statement.

    Both (n_sources, n_statements), by going through the rules one pair at a time.
    """
    claims = np.zeros((matrix.n_sources, matrix.n_statements))
    denies = np.zeros_like(claims)
    boolean = matrix.kind_is("boolean")
    said = list(
        zip(
            matrix.source_index.tolist(),
            matrix.statement_index.tolist(),
            matrix.claim_value.tolist(),
            matrix.claim_weight.tolist(),
            strict=True,
        )
    )
    for source in range(matrix.n_sources):
        for statement in range(matrix.n_statements):
            item = matrix.item_of_statement[statement]
            own = [(v, w) for s, f, v, w in said if s == source and f == statement]
            named = [
                w
                for s, f, v, w in said
                if s == source and v == 1 and matrix.item_of_statement[f] == item
            ]
            if any(value == 1 for value, _ in own):
                claims[source, statement] = max(w for value, w in own if value == 1)
            elif everyone:
                denies[source, statement] = own[0][1] if own else 1.0
            elif named and not boolean[item]:
                denies[source, statement] = max(named)
            elif own:
                denies[source, statement] = own[0][1]
    return claims, denies
