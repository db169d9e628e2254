"""The adapter to Open Policy Agent: query it about records (docs/design/opa.md).

No other package uses its REST API. Calls block, so they are made on a thread of their own
(`extdns.opa.rule_queries`).
"""
