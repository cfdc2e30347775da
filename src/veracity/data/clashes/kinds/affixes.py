"""Affixes: a source adds or leaves out the same beginning or end, such as a unit or a prefix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from veracity.data.clashes.pairs import Pairs
from veracity.data.clashes.transformation import Proposals, Respelling

#: An affix is proposed if so many pairs that differ show it, and so large a share of them.
LEAST, SHARE = 3, 0.4


def affixes(pairs: Pairs) -> Proposals:
    """Propose to take off what one side adds."""
    for at_end in (False, True):
        found = common_affix(pairs.own, pairs.others, at_end)
        if found is not None:
            yield _adds(found, at_end)
        found = common_affix(pairs.others, pairs.own, at_end)
        if found is not None:
            yield _leaves_out(found, at_end)


def common_affix(longer: Sequence[str], shorter: Sequence[str], at_end: bool) -> str | None:
    """Return what is added to the shorter texts most often, if that is often.

    >>> common_affix(["SKU-1", "SKU-2", "SKU-7"], ["1", "2", "7"], at_end=False)
    'SKU-'
    """
    found: Counter[str] = Counter()
    differ = 0
    for long, short in zip(longer, shorter, strict=True):
        if long == short:
            continue
        differ += 1
        if short and (long.startswith(short) if at_end else long.endswith(short)):
            found[long[len(short) :] if at_end else long[: -len(short)]] += 1
    if not found:
        return None
    affix, count = max(found.items(), key=lambda pair: (pair[1], pair[0]))
    is_zeros = not at_end and not affix.strip("0")  # those are a kind of their own
    return None if is_zeros or count < max(LEAST, SHARE * differ) else affix


def _adds(affix: str, at_end: bool) -> Respelling:
    def read(text: str) -> str:
        return text.removesuffix(affix) if at_end else text.removeprefix(affix)

    return Respelling(
        "text",
        f"take off {affix!r}",
        f"appends {affix!r}" if at_end else f"adds the prefix {affix!r}",
        f"take {affix!r} off",
        read,
        read=read,
    )


def _leaves_out(affix: str, at_end: bool) -> Respelling:
    def write(text: str) -> str:
        has = text.endswith(affix) if at_end else text.startswith(affix)
        return text if has else text + affix if at_end else affix + text

    where = "at the end" if at_end else "at the beginning"
    return Respelling(
        "text",
        f"add {affix!r} {where}",
        f"leaves out {affix!r} {where}",
        f"add {affix!r} {where}",
        write,
        restores=False,
        read=write,
    )
