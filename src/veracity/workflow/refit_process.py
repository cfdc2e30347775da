"""``python -m veracity.workflow.refit_process FOLDER TARGET``: a refit in a process of its own.

It says on standard output what it does, a line of JSON at a time, and ends, leaving nothing behind,
when its standard input is closed: so it never outlives who started it.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
import traceback
import warnings
from pathlib import Path

from veracity.errors import VeracityError

#: The code with which the process ends if the run was made, if not, and if it is not wanted.
DONE, FAILED, UNWANTED = 0, 1, 3


def main(folder: Path, target: Path) -> int:
    """Make the run of a folder again; write it to a folder that must not exist yet."""
    from veracity.workflow.refit import refit

    threading.Thread(target=_end_when_unwanted, args=(target,), daemon=True).start()
    warnings.simplefilter("ignore")  # the notes of the run say it
    try:
        refit(folder, target, lambda stage: _say(stage=stage))
    except VeracityError as error:
        _say(error=str(error))
        return FAILED
    except Exception:
        traceback.print_exc()
        return FAILED
    return DONE


def _end_when_unwanted(target: Path) -> None:
    sys.stdin.read()
    for place in (target, *target.parent.glob(f".{target.name}.*")):
        shutil.rmtree(place, ignore_errors=True)
    os._exit(UNWANTED)


def _say(**what: str) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
