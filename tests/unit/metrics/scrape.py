"""Metrics as a scraper reads them."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from extdns.metrics.metrics import Metrics

Samples = dict[tuple[tuple[str, str], ...], float]


def series(metrics: Metrics, name: str) -> Samples:
    """The values of one metric, by its sorted labels, as a scraper reads them."""
    return {
        tuple(sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(metrics.text().decode())
        for sample in family.samples
        if sample.name == name
    }


def labels(**given: str) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(given.items()))
