"""Put the Markdown of each page beside its HTML, for the links of `llms.txt`: a hook of mkdocs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any


def on_post_build(config: Any) -> None:
    """Copy the pages to the site."""
    docs, site = Path(config["docs_dir"]), Path(config["site_dir"])
    for page in docs.rglob("*.md"):
        shutil.copyfile(page, site / page.relative_to(docs))
