"""Facts from web sites, of which one kind is more reliable than the other."""

from __future__ import annotations

import numpy as np
from tests.jobs.job import Item, Job, Row

KINDS = {"registry": 0.92, "blog": 0.5}


def sites(seed: int) -> Job:
    """Return many small sites as a JSON array; what kind a site is tells how far to trust it."""
    rng = np.random.default_rng(seed)
    names = [f"{kind}{i}.example" for kind in KINDS for i in range(40)]
    rows: list[Row] = []
    truth: dict[Item, str] = {}
    for number in range(350):
        isbn, pages = f"978-{number:04d}", int(rng.integers(80, 900))
        shared = str(pages + int(rng.integers(1, 9)))
        truth[isbn, "pages"] = str(pages)
        for index in rng.choice(len(names), 5, replace=False):
            site = names[index]
            kind = "registry" if site.startswith("registry") else "blog"
            wrong = shared if rng.random() < 0.5 else str(pages + int(rng.integers(10, 90)))
            value = str(pages) if rng.random() < KINDS[kind] else wrong
            rows.append(
                {"site": site, "isbn": isbn, "field": "pages", "value": value, "site_type": kind}
            )
    command = ("discover", "--feature", "site_type:source")
    return Job("web sites", "facts.json", command, rows, truth)
