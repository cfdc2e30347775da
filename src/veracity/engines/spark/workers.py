"""The Python workers of executors, each of which does many tasks."""

from __future__ import annotations

import gc
import sys

#: How many modules there were when their objects were set aside last.
_n_modules = 0


def spare_modules() -> None:
    """Set aside what modules hold, at the beginning of a task.

    After every task, Spark lets a worker look for garbage. With our modules, and those that they
    need, there are so many objects that it took ten times as long as a small pass.
    """
    global _n_modules
    if len(sys.modules) != _n_modules:
        _n_modules = len(sys.modules)
        gc.freeze()
