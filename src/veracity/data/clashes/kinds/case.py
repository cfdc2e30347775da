"""Case: a source writes values in lower case, upper case or another case than the others."""

from __future__ import annotations

from veracity.data.clashes.pairs import Pairs
from veracity.data.clashes.transformation import Proposals, Respelling, unchanged

#: A source that uses one case uses it in so large a share of its values.
ONE_CASE = 0.9


def case(pairs: Pairs) -> Proposals:
    """Propose to compare without regard to case."""
    says, name = "writes another case", "any case"
    for word, test in (("lower", str.islower), ("upper", str.isupper)):
        if sum(map(test, pairs.own)) >= ONE_CASE * len(pairs):
            says = f"writes {word} case"
    yield Respelling(
        "text",
        name,
        says,
        "ignore case",
        unchanged,
        restores=not any(map(str.isupper, pairs.others[:20])) or says.endswith("lower case"),
        read=str.casefold,
        read_others=str.casefold,
    )
