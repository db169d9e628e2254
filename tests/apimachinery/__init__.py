"""The real Kubernetes API machinery for tests: etcd and apiextensions-apiserver, on loopback, in a temporary folder.

Start at `server.ApiMachinery`, which does for tests what `tests.fakes.apiserver.server.ApiServer` does, as far as a
real server lets itself be told; the fixture `api_machinery` (`fixtures`) is one for the whole run. It serves kinds
that come from CRDs and nothing else: no core/v1, no admission, no RBAC. `kinds` has the kinds that sources read, as
CRDs of the same group and name. Below are `servers`, both of them as processes, with `programs` (where they are
installed), `process`, `etcd` and `certificates`.

Where the programs are absent, tests skip and say so. CONTRIBUTING.md says how to get them.
"""
