"""A fake DNS service that is reached by external-dns's webhook protocol, for tests: stateful, over HTTP.

Tests use `server.WebhookServer`: `with WebhookServer("example.org") as fake:` provides `fake.url`. `fake.put`,
`fake.delete` and `fake.records` read and edit records as other people would. `fake.faults.arm(fault, action=…)` arms
one of `tests.fakes.service.faults`; the actions are those of `server.Action`. `fake.calls` lists the calls received.

The fake follows docs/spec/plan.md 6.2 unless one of `defects.Defect` is planted in it: `WebhookServer(…, defect=…)`.
A request passes through `server` (faults, routes, media types) → `changes` → `zone` (records). Nothing here imports the
product.
"""
