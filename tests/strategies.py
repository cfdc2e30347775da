"""Claims for property tests: small, adversarial, and such that nobody speaks twice."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hypothesis import strategies as st

#: Labels that have broken somebody's reader before.
NASTY = (
    '"; DROP TABLE claims; --',
    "Robert'); DROP TABLE sources;--",
    "🦄🏳️‍🌈",
    'say "hi"',
    "a,b",
    "a\tb",
    "two\nlines",
    "two\r\nlines",
    "'",
    "=1+1",
    "NULL",
    "null",
    "NaN",
    "None",
    "NA",
    "{}",
    "[1]",
    " padded ",
    "\\N",
    "\\",
    "%s",
    "<b>",
    "é",
    "e\u0301",
    "٣",
    "0",
    "00",
    "1.0",
    "1e3",
    "true",
    "\u200b",
    "\ufeff",
    "c0",
)

#: Surrogates are no text, and a NUL ends strings in much of the world's software.
texts = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8
)
labels = st.one_of(st.sampled_from(NASTY), texts)

Row = tuple[str, str, str, str]  # source, entity, attribute, value


def rows(
    sources: st.SearchStrategy[str] = labels,
    entities: st.SearchStrategy[str] = labels,
    values: st.SearchStrategy[str] = labels,
    max_size: int = 25,
) -> st.SearchStrategy[list[Row]]:
    """Draw claims of which no source makes two about the same item."""
    return st.lists(
        st.tuples(sources, entities, st.sampled_from(["colour", "a b"]), values),
        min_size=1,
        max_size=max_size,
        unique_by=lambda row: row[:3],
    )


#: Few sources, entities and values, so that claims meet; ties are common.
contested = rows(
    st.sampled_from(["ann", "bob", "cat", "dan", "eve", "fay"]),
    st.sampled_from(["sky", "sea", "sun"]),
    st.sampled_from(["red", "blue", "grey", "1", "2"]),
)


def as_columns(claims: Sequence[Row]) -> dict[str, list[str]]:
    """Write rows as a dict of columns."""
    names = ("source", "entity", "attribute", "value")
    return {name: [row[i] for row in claims] for i, name in enumerate(names)}


def shuffled(claims: Sequence[Row], seed: int) -> list[Row]:
    """Return the rows in another order."""
    return random.Random(seed).sample(list(claims), len(claims))
