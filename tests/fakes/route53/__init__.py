"""A Route 53 for tests: stateful, over HTTP, strict where the real one is.

Start at `server.Route53`, which is all that tests need: `with Route53() as fake:` gives `fake.url` for `endpoint_url`
of boto3 with any credentials; `add_zone`, `put`, `delete`, `records`, `shown` and `edits` act as somebody else would;
`fake.faults.arm(fault, action=…, times=…)` takes one of `tests.fakes.service.faults`; `fake.access.deny` and `allow`
are IAM, `fake.buckets.follow_the_guide()` throttles; `fake.log.calls()` is what was called, with its changes and
outcome. `probe` is a client, `process` runs all this elsewhere. Inside, a call goes `tests.fakes.service.listener`
(HTTP) → `requests` (which action) → faults, `buckets`, `access` → `api` → `zones`, and for changes `bodies` → `batch` →
`values`, `rules` and `aliases`; `wire` is XML, `records` and `routing` the values and their form in boto3, `names`
their escapes and order.

The rules are those of the developer guide and the API reference; the words of refusals are the service's, as far as
they are public. Left out: actions on record set protections, CIDR collections, traffic policies, DNSSEC, signatures.
Nothing here imports the product, so that both cannot share a mistake.
"""
