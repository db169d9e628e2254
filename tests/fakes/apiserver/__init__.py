"""A Kubernetes API server for tests: stateful, over real sockets, strict where the real one is.

Start at `server.ApiServer`, which is all that tests need. Inside, a request goes `listener` (HTTP) →
`requests` (what RBAC would see) → `access` → `api` → one of `discovery`, `lists`, `watches`, `writes`;
`faults` stand between the answer and the wire, and `log` keeps what was asked. `store` holds the objects,
already encoded, and their history under one global counter.

The rules are those of the Kubernetes API concepts page and of what k8s.io/apiserver answers; where this
server and a real one differ, this one is wrong: `tests/conformance` asks both. Left out: admission, schemas,
protobuf, compression, conversion between versions, deletes of whole collections. Nothing here imports the
product, so that both cannot share a mistake.
"""
