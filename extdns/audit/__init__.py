"""What the process writes down beside its log: the audit log, and the decision log of rules.

See docs/design/audit-log.md and docs/design/decision-log.md. Both write lines on a thread of their own, so that a file
or collector that fails or hangs stops nothing else. What a line says is in `extdns.documents`.
"""
