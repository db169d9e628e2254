"""Run a real Kubernetes API server for tests: etcd and apiextensions-apiserver, on loopback, in a temporary folder.

`server.ApiMachinery` has the same methods as the fake `tests.fakes.apiserver.server.ApiServer`. The fixture
`api_machinery` (`fixtures`) starts one server for the whole test run. The server knows only kinds that are defined by
CRDs: it has no core/v1, no admission and no RBAC. `kinds` lists the kinds that sources read, defined as CRDs of the
same group and name.

`required_programs` says how to install both.
"""
