"""The alerts in a real Prometheus that scrapes running processes of two clusters through incidents.

Mistakes of one tenant page nobody. The loss of all replicas in one cluster, and of the DNS service in the other, page a
person with the right cluster, and end by themselves (docs/design/metrics.md, "Alerts").
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.fakes.apiserver.server import ApiServer
from tests.fakes.route53.log import CHANGE
from tests.fakes.route53.server import Route53
from tests.fakes.service.faults import Refuse
from tests.objects import service
from tests.program.installation import Installation
from tests.program.process import ExtdnsProcess, running
from tests.route53 import environ
from tests.slow.chart.prometheus import SHORTENED, Prometheus, run_prometheus, shorten_rules
from tests.slow.chart.tools import Helm, Json, of

AWS: Final = ("--provider=aws", "--policy=sync", "--interval=1s", "--refresh-calls-per-minute=600")
ELECT: Final = ("--leader-elect", "--leader-elect-retry-period=100ms")
SYNC_LAG_S: Final = (900 + 300) / SHORTENED
OWNED: Final = '"heritage=external-dns,external-dns/owner=me"'


class Cluster:
    """A cluster with its own Route 53, and the processes that run in it."""

    def __init__(self, name: str, root: Path, server: ApiServer, dns: Route53) -> None:
        root.mkdir()
        self.name, self.root = name, root
        self.dns = dns
        self.server = server
        self.installation = Installation(root, server, dns_flags=AWS)
        self.zone = dns.add_zone("example.org")
        self.processes: list[ExtdnsProcess] = []

    @contextmanager
    def run(self, *flags: str, ready: str) -> Iterator[ExtdnsProcess]:
        env = {**environ(self.dns), "POD_NAMESPACE": "dns"}
        with running(*self.installation.flags(*flags), env=env, timeout_s=600.0) as process:
            process.until(ready)
            self.processes.append(process)
            yield process

    def put(self, name: str, rtype: str, value: str) -> None:
        self.dns.put(self.zone, {"Name": name, "Type": rtype, "TTL": 300, "ResourceRecords": [value]})

    def targets(self) -> list[tuple[int, dict[str, str]]]:
        """Return the metrics ports of the processes that run, with labels as a ServiceMonitor would set them."""
        labels = {"cluster": self.name, "namespace": "dns", "job": "extdns"}
        return [(process.port, {**labels, "pod": f"{self.name}-{process.port}"}) for process in self.processes]

    def stop(self) -> None:
        while self.processes:
            assert self.processes.pop().end() == 0


@pytest.fixture
def clusters(tmp_path: Path) -> Iterator[tuple[Cluster, Cluster]]:
    with ApiServer() as server, ApiServer() as other, Route53() as dns, Route53() as other_dns:
        yield Cluster("a", tmp_path / "a", server, dns), Cluster("b", tmp_path / "b", other, other_dns)


@pytest.fixture(scope="module")
def rules(helm: Helm) -> Json:
    (made,) = of("PrometheusRule", helm.manifests({"replicaCount": 2, "prometheusRule": {"enabled": True}}))
    return shorten_rules(made["spec"])


def request_invalid_records(cluster: Cluster) -> None:
    """Let one tenant request a hostname that is not a name, and a record that the DNS service refuses."""
    cluster.dns.faults.arm(Refuse(400, "InvalidChangeBatch"), action=CHANGE, times=None)
    cluster.installation.apply(service("typo", host="a..b.example.org"), service("refused"))


def wait_until_a_sync_lag_would_have_fired(prometheus: Prometheus, cluster: Cluster) -> None:
    since = f'count_over_time(extdns_leader{{cluster="{cluster.name}"}}[1h]) > {SYNC_LAG_S + 5}'
    prometheus.until(lambda: prometheus.query(since))


def test_invalid_records_fire_no_critical_alert_and_an_outage_fires_one_with_the_right_cluster(
    clusters: tuple[Cluster, Cluster], rules: Json, prometheus_program: str, tmp_path: Path
) -> None:
    gone, busy = clusters
    for cluster in clusters:
        cluster.installation.apply(service("web"))
    busy.put("old.example.org", "A", "192.0.2.7")
    busy.put("a-old.example.org", "TXT", OWNED)
    with ExitStack() as stack:
        stack.enter_context(gone.run(*ELECT, ready="Became leader"))
        stack.enter_context(gone.run(*ELECT, ready="this one is a standby"))
        stack.enter_context(busy.run(ready="Deletes are held"))
        request_invalid_records(busy)
        prometheus = stack.enter_context(run_prometheus(prometheus_program, tmp_path, rules))
        prometheus.scrape(*gone.targets(), *busy.targets())

        wait_until_a_sync_lag_would_have_fired(prometheus, busy)
        tickets = {("ExtdnsHeldDeletes", "b"), ("ExtdnsNamesInBackoff", "b")}
        prometheus.until(lambda: prometheus.alerts("warning") == tickets)
        assert prometheus.alerts("critical", ever=True) == set()

        gone.stop()
        busy.dns.faults.clear()
        busy.dns.faults.arm(Refuse(503, "ServiceUnavailable"), times=None)
        busy.installation.apply(service("late"))
        pages = {("ExtdnsDown", "a"), ("ExtdnsSyncLag", "b")}
        prometheus.until(lambda: prometheus.alerts("critical") == pages)
        assert prometheus.alerts("critical", ever=True) == pages

        busy.dns.faults.clear()
        busy.installation.apply(service("refused", address="192.0.2.9"), service("old"))
        stack.enter_context(gone.run(*ELECT, ready="Became leader"))
        stack.enter_context(gone.run(*ELECT, ready="this one is a standby"))
        prometheus.scrape(*gone.targets(), *busy.targets())
        prometheus.until(lambda: prometheus.alerts("critical") | prometheus.alerts("warning") == set())
        assert prometheus.alerts("critical", ever=True) == pages
