"""The schema of the audit log."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from extdns.documents.audit import AuditLine
from extdns.documents.document import format_schema

ROOT: Final = Path(__file__).parents[3]


def test_the_schema_of_the_audit_log_in_the_docs_equals_the_generated_schema() -> None:
    schema = (ROOT / "docs" / "reference" / "audit.schema.json").read_text(encoding="utf-8")
    generated = format_schema(AuditLine, "extdns --audit-log")
    assert schema == generated, "run: python -m extdns.documents.audit > docs/reference/audit.schema.json"
