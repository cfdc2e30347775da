"""Metrics of the service, in the text format of Prometheus."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

#: Upper bounds of the latency histogram, in seconds.
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


@dataclass
class Metrics:
    """Counters of one app; changed in its event loop only."""

    requests: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    buckets: Counter[tuple[str, float]] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)
    scored_claims: int = 0

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        self.requests[method, route, status] += 1
        self.seconds[route] += seconds  # type: ignore[assignment]
        self.buckets[route, next((b for b in BUCKETS if seconds <= b), float("inf"))] += 1

    def text(self, ready: bool, n_marks: int, scoring: int) -> str:
        """Write all counters."""
        lines = _head("veracity_ready", "gauge", "Whether the run is loaded.")
        lines += [f"veracity_ready {int(ready)}"]
        lines += _head("veracity_requests_total", "counter", "Requests by route and status.")
        for (method, route, status), count in sorted(self.requests.items()):
            labels = _labels(method=method, route=route, status=str(status))
            lines.append(f"veracity_requests_total{labels} {count}")
        lines += self._histogram()
        lines += _head("veracity_scored_claims_total", "counter", "Claims that were scored.")
        lines += [f"veracity_scored_claims_total {self.scored_claims}"]
        lines += _head("veracity_scoring", "gauge", "Requests that are being scored.")
        lines += [f"veracity_scoring {scoring}"]
        lines += _head("veracity_marks", "gauge", "Marks that are kept.")
        lines += [f"veracity_marks {n_marks}"]
        return "\n".join(lines) + "\n"

    def _histogram(self) -> list[str]:
        name = "veracity_request_seconds"
        lines = _head(name, "histogram", "Time from request to answer, by route.")
        for route in sorted(self.seconds):
            total = 0
            for bound in (*BUCKETS, float("inf")):
                total += self.buckets[route, bound]
                le = "+Inf" if bound == float("inf") else f"{bound:g}"
                lines.append(f"{name}_bucket{_labels(route=route, le=le)} {total}")
            lines.append(f"{name}_sum{_labels(route=route)} {self.seconds[route]:.6f}")
            lines.append(f"{name}_count{_labels(route=route)} {total}")
        return lines


def _head(name: str, kind: str, text: str) -> list[str]:
    return [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]


def _labels(**labels: str) -> str:
    shown = ",".join(f'{name}="{_escaped(text)}"' for name, text in labels.items())
    return "{" + shown + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
