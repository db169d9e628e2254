"""The audit log, which the process writes beside its log (docs/design/audit-log.md).

Its lines are written on a thread of their own, so that a file that fails or hangs stops nothing else. What a line says
is in `extdns.documents.audit`.
"""
