"""Make the files that are made from the code: `make generate`."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from extdns.documents.audit import AuditLine
from extdns.documents.document import Document
from extdns.documents.plan import PlanDocument
from tools import chart, flags_page, metrics_page, openapi, provider_ways_page, reasons_page, sources_page

ROOT: Final = Path(__file__).parents[1]


def format_schema(kind: type[Document], title: str) -> str:
    """Return the JSON Schema of documents of *kind*."""
    schema = msgspec.json.schema(kind)
    openapi.finish_parts(schema["$defs"].values())
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return json.dumps(head | schema, indent=2, sort_keys=True) + "\n"


FILES: Final[dict[str, Callable[[], str]]] = {
    "charts/extdns/README.md": chart.render_readme,
    "charts/extdns/files/flags.yaml": chart.render_flags,
    "charts/extdns/files/permissions.yaml": chart.render_permissions,
    "charts/extdns/values.schema.json": chart.render_schema,
    "docs/reference/flags.md": flags_page.render_page,
    "docs/reference/metrics.md": metrics_page.render_page,
    "docs/reference/openapi.json": openapi.render_openapi,
    "docs/reference/provider-ways.md": provider_ways_page.render_page,
    "docs/reference/reasons.md": reasons_page.render_page,
    "docs/reference/sources.md": sources_page.render_page,
    "docs/reference/audit.schema.json": partial(format_schema, AuditLine, "extdns --audit-log"),
    "docs/reference/plan.schema.json": partial(format_schema, PlanDocument, "extdns plan --output=json"),
}
"""The text of each file, by its path."""

if __name__ == "__main__":
    for path, render in FILES.items():
        (ROOT / path).write_text(render(), encoding="utf-8")
