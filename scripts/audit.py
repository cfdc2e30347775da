"""Look for known weaknesses of what is installed; say plainly what could not be checked.

The exit code is 0 if no weakness is known, 1 if one is, 2 if pip-audit itself failed, and 3 if the
database could not be reached, so that nothing was checked. Single packages without an answer, such
as those that are on no index, are named.
"""

from __future__ import annotations

import json
import subprocess
import sys

CLEAN, WEAK, FAILED, UNREACHABLE = range(4)
#: What the tool says when nobody answers.
NO_NETWORK = ("ConnectionError", "Max retries", "Timeout", "timed out", "ProxyError")
#: How many packages without an answer are named.
NAMED = 5


def judged(found: str, said: str) -> tuple[list[str], int]:
    """Return what to tell of the output and the errors of pip-audit, and the exit code."""
    try:
        packages = json.loads(found)["dependencies"]
    except (ValueError, KeyError):
        if any(sign in said for sign in NO_NETWORK):
            return _unreachable(_last(said)), UNREACHABLE
        return [f"pip-audit failed: {_last(said)}"], FAILED
    checked = [one for one in packages if "vulns" in one]
    unknown = [one for one in packages if "vulns" not in one]
    if not checked:
        return _unreachable(f"no answer about any of {len(unknown)} packages"), UNREACHABLE
    weak = [one for one in checked if one["vulns"]]
    lines = [f"{one['name']} {one['version']}: {_ids(one['vulns'])}" for one in weak]
    if unknown:
        few = ", ".join(one["name"] for one in unknown[:NAMED])
        more = ", ..." if len(unknown) > NAMED else ""
        lines.append(f"Not checked: {len(unknown)} packages without an answer ({few}{more}).")
    lines.append(f"{len(checked)} packages checked, {len(weak)} with known weaknesses.")
    return lines, WEAK if weak else CLEAN


def _unreachable(why: str) -> list[str]:
    return [
        f"The database of known weaknesses could not be reached: {why}.",
        "Nothing was checked. Run it again where there is a network.",
    ]


def _last(said: str) -> str:
    """Return the beginning of the last line, which has the reason."""
    return (said.strip().splitlines() or ["it says nothing"])[-1][:200]


def _ids(weaknesses: list[dict[str, str]]) -> str:
    return ", ".join(one["id"] for one in weaknesses)


def main() -> int:
    """Run pip-audit, and tell what it found."""
    done = subprocess.run(
        [sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off"],
        capture_output=True,
        text=True,
        check=False,
    )
    lines, code = judged(done.stdout, done.stderr)
    sys.stdout.write("\n".join(lines) + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
