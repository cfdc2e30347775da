"""The command line: each command translates its options, calls the library and shows the result."""

from __future__ import annotations

import gc

from veracity.cli.process import end_at_once

__all__ = ["main"]


def main() -> None:
    """Run the command line in a process of its own, which ends with it."""
    gc.disable()  # what is imported stays
    from veracity.cli import app

    try:
        app.main()
    except SystemExit as exit:
        if isinstance(exit.code, int):
            end_at_once(exit.code)
        raise
