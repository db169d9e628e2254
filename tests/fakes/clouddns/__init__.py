"""A fake Cloud DNS for tests: stateful, over HTTP, and as strict as the real service.

Tests use `server.CloudDns`: `with CloudDns() as fake:` provides `fake.url`, the endpoint for any client. `add_zone`,
`put`, `delete` and `records` read and edit zones as other people would. `fake.faults.arm(fault, action=…, times=…)`
arms one of `tests.fakes.service.faults`. `fake.denied` lists methods that IAM forbids, `fake.api.lacking` permissions
that the caller lacks on a zone, and `fake.log.calls()` the calls received. A call passes through `requests` (which
method) → faults → `api` → `zones`, and a change through `changes` → `records`, `values` and `permissions`.

The rules and the error reasons are those of Google's guides ("Error messages", "Quotas and limits", "DNS records
overview") and of the discovery document. Messages are those of the service as far as they are public. Not implemented:
policies, response policies, DNSSEC, operations, and other methods of managed zones. Nothing here imports the product.
"""
