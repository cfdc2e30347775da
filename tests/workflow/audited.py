"""Runs to audit: claims of which most are right, saved in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from veracity import discover
from veracity.workflow import open_run
from veracity.workflow.audits import Audit

Columns = dict[str, list[Any]]


def colours(n_items: int = 200, seed: int = 0, first: int = 0) -> tuple[Columns, dict[str, str]]:
    """Return claims of five sources about the colours of things, and the truth."""
    rng = np.random.default_rng(seed)
    words = ["red", "green", "blue"]
    rows, truth = [], {}
    for item in range(first, first + n_items):
        true = words[item % 3]
        truth[f"thing {item}"] = true
        for source, rate in enumerate((0.95, 0.9, 0.9, 0.85, 0.6)):
            value = true if rng.random() < rate else words[int(rng.integers(3))]
            rows.append((f"s{source}", f"thing {item}", value, float(item % 7)))
    names = ("source", "entity", "value", "entity_price")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)), truth


def saved(folder: Path, claims: Columns, overwrite: bool = False, **options: Any) -> Audit:
    """Make a run, save it, and return its audit."""
    saving = {name: options.pop(name) for name in ("format", "escape") if name in options}
    run = discover(claims, **({"model": "vote"} | options))
    run.save(folder, report=False, overwrite=overwrite, **saving)
    return Audit(open_run(folder))


def mark_open(audit: Audit, truth: dict[str, str]) -> None:
    """Mark all open items of the audit as the truth says."""
    marks = {(one.entity, one.attribute): [truth[one.entity]] for one in audit.open_items()}
    audit.book.put_all(marks)
