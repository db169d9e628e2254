"""Ownership in a table of DynamoDB, as external-dns keeps it (docs/spec/plan.md 3.3)."""
