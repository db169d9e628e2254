"""Parse metrics as Prometheus does."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from extdns.metrics.metrics import Metrics

Samples = dict[tuple[tuple[str, str], ...], float]


def series(metrics: Metrics, name: str) -> Samples:
    """Return the values of one metric by its sorted labels."""
    return {
        tuple(sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(metrics.render().decode())
        for sample in family.samples
        if sample.name == name
    }


def labels(**labels: str) -> tuple[tuple[str, str], ...]:
    """Return labels and their values, sorted, as the keys of `series`."""
    return tuple(sorted(labels.items()))
