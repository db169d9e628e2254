"""Check that queries use only metrics that extdns exports."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from extdns.metrics.metrics import Metrics
from extdns.metrics.table import TABLE

_OURS: Final = re.compile(r"\b(?:extdns|external_dns)_\w+")
_PARTS: Final = re.compile(r"(_duration_seconds)_(bucket|count)$")


def assert_exported(queries: Iterable[str]) -> None:
    """Check that each metric of extdns in *queries* is exported. `_bucket` and `_count` belong to histograms."""
    used = {_PARTS.sub(r"\1", name) for query in queries for name in _OURS.findall(query)}
    served = Metrics().render().decode()
    assert used <= {metric.name for metric in TABLE}
    assert all(f"# TYPE {name} " in served for name in used)
