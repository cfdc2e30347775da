"""Let atheris change files of one ending, and follow what reaches new code.

    python -m tests.fuzz_readers.guided ENDING KNOWN [options of libFuzzer] CORPUS

KNOWN is a file with the failures that are known already, one in a line; they do not count again.
The campaign starts this in a process of its own, since some damage ends the process.
"""

from __future__ import annotations

import sys
from pathlib import Path

#: The packages whose code counts as reached.
FOLLOWED = ["veracity.data", "veracity.streaming", "veracity.workflow"]


class Found(Exception):
    """Something that nobody meant."""


def main() -> None:
    """Fuzz until libFuzzer's options say that it is enough."""
    import atheris

    with atheris.instrument_imports(include=FOLLOWED):
        from tests.fuzz_readers.trial import failure, signature
    ending, known = sys.argv[1], Path(sys.argv[2]).read_text(encoding="utf-8").splitlines()

    def one(content: bytes) -> None:
        why = failure(ending, content)
        if why is not None and signature(why) not in known:
            raise Found(why)

    atheris.Setup([sys.argv[0], *sys.argv[3:]], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
