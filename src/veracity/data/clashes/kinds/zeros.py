"""Leading zeros: codes that lost them, or were padded with them."""

from __future__ import annotations

from collections import Counter

from veracity.data.clashes.pairs import Pairs
from veracity.data.clashes.transformation import Proposals, Respelling


def without_zeros(text: str) -> str | None:
    """Return a code without leading zeros, None for what does not begin with a digit."""
    return text.lstrip("0") or "0" if text[:1].isdigit() else None


def zeros(pairs: Pairs) -> Proposals:
    """Propose to compare codes without leading zeros."""
    own, others = (sum(map(_padded, texts)) for texts in (pairs.own, pairs.others))
    if not own and not others:
        return
    drops = others >= own
    width = Counter(map(len, pairs.others)).most_common(1)[0][0]

    def write(text: str) -> str | None:
        bare = without_zeros(text)
        return bare if bare is None or not drops else bare.zfill(width)

    yield Respelling(
        "text",
        f"pad with zeros to {width} digits" if drops else "without leading zeros",
        "drops leading zeros" if drops else "pads with zeros",
        f"pad them with zeros to {width} digits" if drops else "drop leading zeros",
        write,
        restores=drops,
        read=without_zeros,
        read_others=without_zeros,
    )


def _padded(text: str) -> bool:
    return len(text) > 1 and text[0] == "0" and text[1].isdigit()
