"""Ownership in DNSRecords, objects of the cluster, as external-dns keeps it (docs/spec/plan.md 3.5)."""
