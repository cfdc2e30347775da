"""The compiled loop that finds a source that speaks twice about an item."""

from __future__ import annotations

from typing import Any

from veracity.data.compiled import compiled


@compiled
def some_source_speaks_twice(item: Any, source: Any, latest: Any) -> Any:
    """Whether a source makes two claims about an item; claims are sorted by item, (n_claims,).

    `latest` is the item that each source spoke about last, at first none: -1; (n_sources,).
    """
    for claim in range(len(item)):
        speaker = source[claim]
        if latest[speaker] == item[claim]:
            return True
        latest[speaker] = item[claim]
    return False
