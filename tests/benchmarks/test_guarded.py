"""Work in processes that may be stopped: a task over its limit does not take others with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from guarded import Stopped, Worker

SCRIPT = """
import sys
sys.path.append({benchmarks!r})
from guarded import limit_cpu, serve

def answer(task):
    limit_cpu(int(sys.argv[1]))
    print("this is no answer")
    while task["endless"]:
        pass
    return {{"found": task["number"]}}

serve(answer)
"""


def test_a_task_over_its_limit_is_given_up_and_the_next_is_answered(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    benchmarks = Path(__file__).resolve().parents[2] / "benchmarks"
    script.write_text(SCRIPT.format(benchmarks=str(benchmarks)))
    worker = Worker(script, 0, 1)  # rounded up to the next second of CPU time
    assert worker.ask({"endless": False, "number": 1}) == {"found": 1}
    assert worker.ask({"endless": True}) == {"error": "over 0 s of CPU time", "limit": 0}
    assert worker.ask({"endless": False, "number": 2}) == {"found": 2}
    worker.close()
    with pytest.raises(Stopped):
        worker.ask({"endless": False, "number": 3})
