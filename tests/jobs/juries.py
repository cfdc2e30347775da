"""Verdicts of language models on pairs of answers and on single answers."""

from __future__ import annotations

import numpy as np
from tests.jobs.job import ONLY, Item, Job, Row


def pairs(seed: int) -> Job:
    """Return comparisons in which some judges prefer the first or the longer answer."""
    rng = np.random.default_rng(seed)
    judges = {  # skill, pull of the first place, pull of length; all in log-odds
        "atlas": (2.2, 0.0, 0.0),
        "birch": (1.6, 0.2, 0.0),
        "cedar": (1.2, 1.6, 0.0),
        "delta": (1.2, 0.0, 1.6),
        "ember": (0.9, 0.0, 0.0),
    }
    rows: list[Row] = []
    truth: dict[Item, str] = {}
    for number in range(400):
        question, better = f"q{number}", str(rng.choice(["A", "B"]))
        truth[question, ONLY] = better
        length = rng.integers(50, 800, 2)
        hard = rng.normal(0, 0.7)
        for judge, (skill, first, long) in judges.items():
            swapped = bool(rng.random() < 0.5)
            sign = 1 if better == "A" else -1
            pull = first * (-1 if swapped else 1) + long * np.sign(length[0] - length[1])
            chooses_a = rng.random() < 1 / (1 + np.exp(-(sign * (skill + hard) + pull)))
            rows.append(
                {
                    "question": question,
                    "judge": judge,
                    "verdict": "A" if chooses_a else "B",
                    "swapped": swapped,
                    "length_a": int(length[0]),
                    "length_b": int(length[1]),
                }
            )
    planted = {"cedar": "position", "delta": "verbosity"}
    return Job("jury, pairs", "verdicts.jsonl", ("jury",), rows, truth, planted=planted)


def siblings(seed: int) -> Job:
    """Return five versions of one model, which err together, against four others."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    truth: dict[Item, str] = {}
    for number in range(400):
        question, true = f"q{number}", str(rng.choice(["correct", "incorrect"]))
        other = "incorrect" if true == "correct" else "correct"
        truth[question, ONLY] = true
        shared = true if rng.random() < 0.7 else other
        for i in range(5):
            said = shared if rng.random() < 0.95 else (true if shared == other else other)
            rows.append(_verdict(question, f"nova-{i}", "nova", said))
        for name, right in (("atlas", 0.86), ("birch", 0.84), ("cedar", 0.8), ("delta", 0.78)):
            said = true if rng.random() < right else other
            rows.append(_verdict(question, name, name, said))
    planted = {f"nova-{i}": "family" for i in range(5)}
    command = ("jury", "--family", "vendor")
    return Job("jury, siblings", "verdicts.jsonl", command, rows, truth, planted=planted)


def _verdict(question: str, judge: str, vendor: str, verdict: str) -> Row:
    return {"question": question, "judge": judge, "vendor": vendor, "verdict": verdict}


def confidences(seed: int) -> Job:
    """Return judges who state how sure they are: some rightly, some always sure."""
    rng = np.random.default_rng(seed)
    honest = {"atlas": True, "birch": True, "cedar": False, "delta": False}
    rows: list[Row] = []
    truth: dict[Item, str] = {}
    for number in range(400):
        question, true = f"q{number}", str(rng.choice(["yes", "no"], p=[0.6, 0.4]))
        truth[question, ONLY] = true
        for judge, is_honest in honest.items():
            chance = float(rng.uniform(0.5, 0.98))
            said = true if rng.random() < chance else ("no" if true == "yes" else "yes")
            stated = chance if is_honest else float(rng.uniform(0.93, 0.99))
            rows.append(
                {
                    "question": question,
                    "judge": judge,
                    "verdict": said,
                    "confidence": round(stated, 3),
                    "cost": 0.02 if is_honest else 0.004,
                }
            )
    return Job("jury, confidences", "verdicts.jsonl", ("jury",), rows, truth)
