"""What the folder of a run holds."""

from __future__ import annotations

RUN_FILE = "run.json"
CLAIMS_FILE = "claims.parquet"
TRUTH_FILE = "truth.parquet"
KNOWN_TRUTH_FILE = "known_truth.parquet"
RUN_FORMAT = 1
RESULT_TABLES = ("truths", "statements", "sources")
