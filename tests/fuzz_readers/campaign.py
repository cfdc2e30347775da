"""Change files in all formats for some minutes, guided by the code that they reach.

    python -m tests.fuzz_readers.campaign --minutes 30

Every reading must end well or with an error of ours; commands on damaged runs with exit code 0 or
2. Time and memory are limited. What fails is made small and kept in ``kept.json``, which the tests
replay.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz_readers.damage import FILES, seeds_of_runs
from tests.fuzz_readers.seeds import BY_ENDING, KEPT, seeds
from tests.fuzz_readers.trial import failure, signature

ENDINGS = (*BY_ENDING, *(f"out:{name}" for name in FILES))
#: A start costs seconds, so that each ending gets so many at once.
SLICE = 45.0
SECONDS_EACH, MEGABYTES = 30, 2_500
LARGEST_KEPT = 50_000
#: How long a failure is made smaller.
SHRINKING = 30.0


class Campaign:
    """What was tried, and what was found."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.n_cases = 0
        self.found: dict[str, str] = {}
        for name, content in {**seeds(), **seeds_of_runs()}.items():
            ending, _, title = name.partition("/")
            corpus = self._corpus(ending)
            (corpus / re.sub(r"\W", "-", title)).write_bytes(content)

    def _corpus(self, ending: str) -> Path:
        corpus = self.folder / ending.replace(":", "-") / "corpus"
        corpus.mkdir(parents=True, exist_ok=True)
        return corpus

    def work(self, ending: str, until: float) -> None:
        """Fuzz one ending until a moment; start again after each failure."""
        while (left := until - time.monotonic()) > 1:
            for artifact in self._fuzz(ending, left):
                self._keep(ending, artifact)

    def _fuzz(self, ending: str, seconds: float) -> Iterator[Path]:
        corpus, known = self._corpus(ending), self.folder / "known"
        artifacts = corpus.parent / "failures"
        artifacts.mkdir(exist_ok=True)
        before = set(artifacts.iterdir())
        known.write_text("\n".join(self.found), encoding="utf-8")
        longest = 2 * max(path.stat().st_size for path in corpus.iterdir())
        done = subprocess.run(
            [
                *(sys.executable, "-m", "tests.fuzz_readers.guided", ending, str(known)),
                *(f"-max_total_time={seconds:.0f}", f"-timeout={SECONDS_EACH}"),
                *(f"-rss_limit_mb={MEGABYTES}", f"-max_len={longest}", "-print_final_stats=1"),
                f"-report_slow_units={SECONDS_EACH}",
                *(f"-artifact_prefix={artifacts}/", str(corpus)),
            ],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        counted = re.findall(r"number_of_executed_units:\s*(\d+)", done.stderr)
        counted = counted or re.findall(r"^#(\d+)\s", done.stderr, re.MULTILINE)[-1:]
        self.n_cases += sum(map(int, counted))
        new = [path for path in sorted(artifacts.iterdir()) if path not in before]
        if done.returncode and not new:
            sys.exit(f"The fuzz of {ending} does not run:\n{done.stderr[-2000:]}")
        yield from new

    def _keep(self, ending: str, artifact: Path) -> None:
        kind, content = artifact.name.split("-")[0], artifact.read_bytes()
        why = _why(ending, artifact) or kind
        if kind in ("timeout", "oom"):
            why = f"{kind} with {ending}: {why}"
        elif (said := failure(ending, content)) is not None:
            content = _smaller(ending, content, signature(said))
        self.found[signature(why)] = why
        print(f"{ending}: {why}\n  {artifact}", flush=True)
        if len(content) <= LARGEST_KEPT:
            kept = json.loads(KEPT.read_text(encoding="utf-8"))
            encoded = base64.b64encode(content).decode()
            kept.append({"ending": ending, "why": why[:100], "content": encoded})
            KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def _why(ending: str, artifact: Path) -> str | None:
    """Ask another process what goes wrong, which may be its end."""
    code = (
        "import sys, pathlib; from tests.fuzz_readers.trial import failure; "
        "print(failure(sys.argv[1], pathlib.Path(sys.argv[2]).read_bytes()))"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, ending, str(artifact)],
            capture_output=True,
            text=True,
            timeout=4 * SECONDS_EACH,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "takes too long"
    if done.returncode:
        sys.exit(f"{artifact} ({ending}) ends the process with {done.returncode}: see to it first.")
    said = done.stdout.strip()
    return None if said == "None" else said


def _smaller(ending: str, content: bytes, wanted: str) -> bytes:
    """Take out what the failure does not need."""
    until, size = time.monotonic() + SHRINKING, max(1, len(content) // 2)
    while size and time.monotonic() < until:
        start = 0
        while start < len(content) and time.monotonic() < until:
            shorter = content[:start] + content[start + size :]
            why = failure(ending, shorter)
            if why is not None and signature(why) == wanted:
                content = shorter
            else:
                start += size
        size //= 2
    return content


def campaign(minutes: float, endings: list[str]) -> int:
    """Fuzz all endings in turn, and print what came of it; return the number of failures."""
    started = time.monotonic()
    end = started + 60 * minutes
    with tempfile.TemporaryDirectory(prefix="veracity-campaign-") as folder:
        made = Campaign(Path(folder))
        while time.monotonic() < end:
            for ending in endings:
                made.work(ending, min(end, time.monotonic() + SLICE))
    seconds = time.monotonic() - started
    print(f"{made.n_cases:,} files in {seconds:,.0f} s: {len(made.found)} failures.")
    return len(made.found)


def main() -> None:
    """Run a campaign from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--endings", nargs="*", choices=ENDINGS, default=list(ENDINGS))
    given = parser.parse_args()
    sys.exit(1 if campaign(given.minutes, given.endings) else 0)


if __name__ == "__main__":
    main()
