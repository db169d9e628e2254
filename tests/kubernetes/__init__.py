"""Run a real Kubernetes control plane for tests: etcd, kube-apiserver and kube-controller-manager, on loopback.

`cluster.Cluster` has the methods of the fake `tests.fakes.apiserver.server.ApiServer`, and more. The fixtures `cluster`
and `any_version` (`fixtures`) start one cluster of each version in each process of the test run. There is no scheduler
and no kubelet: Pods stay Pending until a test writes their status, or `kubelet.Kubelet` runs those of the chart. A load
balancer has no address until a test writes its status.

`.ci/build-kubernetes` builds the programs.
"""
