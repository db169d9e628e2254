"""A fake Kubernetes API server for tests: stateful, on real sockets, and as strict as the real one.

Tests use `server.ApiServer`. A request passes through `tests.fakes.service.listener` (HTTP) → `requests` (verb and
resource, as RBAC names them) → `access` → `api` → one of `lists`, `watches`, `writes`. `faults` change the response
before it is sent, and `log` records the requests. `store` holds the encoded objects and their history, numbered by one
counter.

It answers what extdns requests, and no more: there are no label selectors, JSON patches, deletes of collections,
schemas or admission, and hardly any discovery. `tests/slow/conformance/test_apiserver_fake.py` compares it with real
servers; where they differ, this one is wrong. Nothing here imports the product, so that both cannot contain the same
mistake.
"""
