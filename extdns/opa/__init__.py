"""Open Policy Agent: its REST API as an adapter, which answers about rule inputs (docs/design/opa.md).

Nothing else knows the API. Calls block, so they are made on a thread of their own (`extdns.controller.rule_queries`).
"""
