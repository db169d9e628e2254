"""A fake Kubernetes API server for tests: stateful, on real sockets, and as strict as the real one.

Tests use `server.ApiServer`. A request passes through `listener` (HTTP) → `requests` (verb and resource, as RBAC names
them) → `access` → `api` → one of `discovery`, `lists`, `watches`, `writes`. `faults` change the response before it is
sent, and `log` records the requests. `store` holds the encoded objects and their history, numbered by one counter.

The rules are those of the Kubernetes API concepts page and of k8s.io/apiserver. `tests/conformance` compares this
server with a real one; where they differ, this one is wrong. Not implemented: admission, schemas, protobuf,
compression, conversion between versions, deletes of whole collections. Nothing here imports the product, so that both
cannot contain the same mistake.
"""
