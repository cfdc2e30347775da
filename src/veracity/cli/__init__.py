"""The command line: each command translates its options, calls the library and shows the result."""

from __future__ import annotations

from veracity.cli.app import main

__all__ = ["main"]
