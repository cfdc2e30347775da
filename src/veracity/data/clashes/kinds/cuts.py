"""Cuts: a source keeps only the first so many characters of a value."""

from __future__ import annotations

from veracity.data.clashes.pairs import Pairs
from veracity.data.clashes.transformation import Proposals, Respelling, unchanged

#: A cut this short would make most values equal.
SHORTEST = 4


def cuts(pairs: Pairs) -> Proposals:
    """Propose to compare the first characters, as many as the source keeps."""
    width = max(map(len, pairs.own), default=0)
    cut = [
        other.startswith(own)
        for own, other in zip(pairs.own, pairs.others, strict=True)
        if len(own) == width < len(other)
    ]
    if width < SHORTEST or len(cut) < SHORTEST or 2 * sum(cut) < len(cut):
        return

    def read(text: str) -> str:
        return text[:width]

    yield Respelling(
        "text",
        f"first {width} characters",
        f"cuts values after {width} characters",
        f"compare the first {width} characters",
        unchanged,
        read_others=read,
    )
