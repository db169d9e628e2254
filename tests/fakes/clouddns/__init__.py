"""A Cloud DNS for tests: stateful, over HTTP, strict where the real one is.

Start at `server.CloudDns`: `with CloudDns() as fake:` gives `fake.url` for the endpoint of any client; `add_zone`,
`put`, `delete`, `records` act as somebody else would; `fake.faults.arm(fault, action=…, times=…)` takes one of
`tests.fakes.service.faults`; `fake.denied` holds methods that IAM forbids, `fake.api.lacking` permissions that the
caller has not on a zone; `fake.log.calls()` is what was called. Inside, a call goes `requests` (which method) →
faults → `api` → `zones`, and for changes `changes` → `records`, `values` and `permissions`.

The rules and the reasons of errors are those of Google's guides ("Error messages", "Quotas and limits", "DNS records
overview") and of the discovery document; the words of messages are the service's, as far as they are public. Left out:
policies, response policies, DNSSEC, operations, the rest of the API for managed zones. Nothing here imports the
product.
"""
