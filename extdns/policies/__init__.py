"""DNSPolicies: read them from files and from the cluster, pass them to the engine as rules, and write their status.

See docs/design/rules.md. What a DNSPolicy means is in `extdns.cel`.
"""
