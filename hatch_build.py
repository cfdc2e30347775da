"""Puts Vega-Lite into the package when it is built, so that reports work without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: The version of Vega-Lite that the chart specifications are written for.
VEGA_LITE = "6.4"
NOTICE = "THIRD-PARTY.txt"
SCRIPT = "src/veracity/report/static/vega.js"


class VegaHook(BuildHookInterface):  # type: ignore[misc]
    """Writes the script of Vega, Vega-Lite and Vega-Embed that vl-convert carries."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the script before the files of the package are collected."""
        import vl_convert

        target = Path(self.root) / SCRIPT
        target.parent.mkdir(parents=True, exist_ok=True)
        script = vl_convert.javascript_bundle(vl_version=VEGA_LITE)
        target.write_text(with_licences(script, Path(self.root)), encoding="utf-8")


def with_licences(script: str, root: Path) -> str:
    """Put the licences of what the script contains before it, so that every report has them."""
    licences = (root / NOTICE).read_text(encoding="utf-8")
    return f"/*\n{licences}*/\n{script}"
