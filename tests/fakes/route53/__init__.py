"""A fake Route 53 for tests: stateful, over HTTP, and as strict as the real service.

Tests use `server.Route53`: `with Route53() as fake:` provides `fake.url`, the `endpoint_url` for boto3 with any
credentials. `add_zone`, `put`, `delete`, `records`, `shown` and `edits` read and edit zones as other people would.
`fake.faults.arm(fault, action=…, times=…)` arms one of `tests.fakes.service.faults`. `fake.access.deny` and `allow`
are IAM policies, and `fake.log.calls()` lists the calls with their changes and results. A call passes through
`tests.fakes.service.listener` (HTTP) → `requests` (which action) → faults, `buckets`, `access` → `api` → `zones`, and
a change through `bodies` → `batch` → `values`, `rules` and `aliases`. `wire` encodes XML, `records` and `routing` are
the values and their form in boto3, and `names` escapes and sorts names.

The rules are those of the developer guide and the API reference. Messages are those of the service as far as they are
public. Not implemented: actions on record set protections, CIDR collections, traffic policies, DNSSEC, signatures.
Nothing here imports the product, so that both cannot contain the same mistake.
"""
