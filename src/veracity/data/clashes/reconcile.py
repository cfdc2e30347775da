"""Reconciling: the values of sources in another format, rewritten in the way of the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.clashes.clash import Clash
from veracity.data.notes import Note, plural

#: The subject of notes on what was rewritten.
SUBJECT = "reconciled"


def rewrite(table: pa.Table, clashes: Sequence[Clash]) -> tuple[pa.Table, list[Note]]:
    """Return a table of claims with the values of clashing sources rewritten, and notes on them.

    Columns have our names. A value that the transformation cannot read stays as it is.
    """
    source, attribute = table["source"].cast(pa.string()), table["attribute"].cast(pa.string())
    value = table["value"].cast(pa.string()).combine_chunks()
    notes = []
    for clash in clashes:
        own = pc.and_(pc.equal(source, clash.source), pc.equal(attribute, clash.attribute))
        places = pc.indices_nonzero(own)
        before = value.take(places).to_pylist()
        write = clash.transformation.writer(clash.common)
        forms = {text: write(text) or text for text in set(before)}
        after = [forms[text] for text in before]
        value = pc.replace_with_mask(value, own.combine_chunks(), pa.array(after, pa.string()))
        notes.append(_note(clash, before, after))
    return table.set_column(table.column_names.index("value"), "value", value), notes


def _note(clash: Clash, before: Sequence[str], after: Sequence[str]) -> Note:
    changed = np.array([one != other for one, other in zip(before, after, strict=True)])
    n_changed = int(changed.sum())
    first = int(np.argmax(changed)) if n_changed else 0
    text = (
        f"Rewrote {plural(n_changed, 'value')} of {clash.source!r} in {clash.attribute!r} "
        f"({clash.transformation.name}), for example {before[first]!r} as {after[first]!r}."
    )
    return Note(SUBJECT, text, n_changed)
