"""Make the files that are made from the code: `make generate`."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from extdns.documents.adoption import AdoptionDocument
from extdns.documents.audit import AuditLine
from extdns.documents.check import CheckDocument
from extdns.documents.migration import MigrationDocument
from extdns.documents.name import NameDocument
from extdns.documents.object import ObjectDocument
from extdns.documents.owners import OwnersDocument
from extdns.documents.plan import PlanDocument
from extdns.documents.policy_check import PolicyCheckDocument
from extdns.documents.policy_test_results import PolicyTestDocument
from extdns.documents.reason import ReasonDocument
from extdns.documents.saved_state import SavedStateDocument
from extdns.documents.verification import VerificationDocument
from tools import chart, flags_page, metrics_page, openapi, reasons_page, sources_page

ROOT: Final = Path(__file__).parents[1]


def format_schema(kind: object, title: str) -> str:
    """Return the JSON Schema of documents of *kind*."""
    schema = msgspec.json.schema(kind)
    for part in schema["$defs"].values():
        part["description"] = " ".join(part["description"].split())
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
    "docs/reference/reasons.md": reasons_page.render_page,
    "docs/reference/sources.md": sources_page.render_page,
    **{
        f"docs/reference/{name}.schema.json": partial(format_schema, kind, title)
        for name, kind, title in (
            ("adopt", AdoptionDocument, "extdns adopt --output=json"),
            ("audit", AuditLine, "extdns --audit-log"),
            ("check", CheckDocument, "extdns check --output=json"),
            ("explain", NameDocument | ObjectDocument | ReasonDocument, "extdns explain --output=json"),
            ("migrate", MigrationDocument, "extdns migrate --output=json"),
            ("owners", OwnersDocument, "extdns owners --output=json"),
            ("plan", PlanDocument, "extdns plan --output=json"),
            ("policy-check", PolicyCheckDocument, "extdns policy check --output=json"),
            ("policy-test", PolicyTestDocument, "extdns policy test --output=json"),
            ("status", SavedStateDocument, "extdns status --output=json"),
            ("verify", VerificationDocument, "extdns verify --output=json"),
        )
    },
}
"""The text of each file, by its path."""

if __name__ == "__main__":
    for path, render in FILES.items():
        (ROOT / path).write_text(render(), encoding="utf-8")
