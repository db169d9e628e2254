"""The kubectl and helm commands of the quick start and the tutorials run in order, in a real cluster.

`tests.kubernetes.kubelet` runs the chart's pods, with a DNS service of the tests behind the flags of the page. What a
command prints without a cluster is compared by tests/integration/test_how_to.py and test_tutorials.py.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Timer
from typing import Final

import pytest
import yaml

from tests.external_dns import hold_port
from tests.fakes.clouddns.server import CloudDns
from tests.fakes.cloudflare.server import TOKEN, Cloudflare
from tests.fakes.route53.server import Route53
from tests.integration.test_how_to import BLOCK, COMMAND, ROOT, build_environ
from tests.kubernetes.cluster import NEWEST, Cluster
from tests.kubernetes.kubelet import Kubelet
from tests.nameservers import HOST
from tests.objects import service
from tests.powerdns import API_KEY
from tests.required_programs import require_program
from tests.route53 import environ
from tests.slow.chart.releases import write_former_chart
from tests.slow.cluster.release import build_list
from tests.slow.servers.test_rfc2136_program import query
from tests.updatable import KEY, start_clean

PART: Final = re.compile(rf"{BLOCK.pattern}|```sh\n(?P<sh>.*?)```\n|`(?P<inline>(?:kubectl|helm)\s[^`]+)`", re.DOTALL)
LINE: Final = re.compile(r"^(?:.*\\\n)*.*\n", re.MULTILINE)
NOT_RUN: Final = {
    "aws ": "needs an AWS account",
    "eksctl ": "needs an AWS account",
    "gcloud ": "needs a project of Google Cloud",
    "NUMBER=": "needs a project of Google Cloud",
    "POOL=": "needs a project of Google Cloud",
    "docker ": "needs Docker",
    "kind ": "needs Docker; a cluster of the tests is there instead",
    "(umask ": "writes to /etc/bind; the server of the tests has a key",
    "named-checkconf ": "configures BIND, as the test does",
    "pdnsutil ": "configures PowerDNS, as the test does",
    "dig ": "asks the name servers of the page; the test reads the records",
    "make ": "installs the program, as the test does",
    "export ": "sets a variable of the reader's shell, as the test does",
    "kubectl --namespace=external-dns exec ": "the stand-in for the kubelet has no exec",
    "kubectl get services,ingresses -A -o yaml": "is run by tests/integration on manifests",
    "kubectl annotate --overwrite": "names an option only",
    "kubectl diff": "names a command only",
    "helm diff": "names a plugin only",
    "helm test": "names a command only",
}
"""The beginnings of commands, or whole ones in a sentence, that are not run, each with the reason."""
NAMESPACES: Final = ("shop", "dns", "extdns", "external-dns")
HANGS_S: Final = 240.0
ZONE_ID: Final = "Z0123456789ABC"
QUICKLY: Final = "--delete-grace-period=1s"


def read_page(page: str) -> str:
    return (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")


def list_steps(page: str) -> Iterator[tuple[str, str]]:
    """Yield each command of *page* after "", and each file's text after its name, in order."""
    for part in PART.finditer(page):
        if part["file"]:
            yield part["file"], part["text"]
        elif part["inline"]:
            yield "", re.sub(r"\s+", " ", part["inline"])
        else:
            text = part["sh"] or "".join(one.group()[2:] for one in COMMAND.finditer(part["text"]))
            yield from (("", one.group().rstrip("\n")) for one in LINE.finditer(text))


def find_reasons(command: str) -> list[str]:
    return [one for one in NOT_RUN if command == one or (one.endswith((" ", "=")) and command.startswith(one))]


class Reader:
    """Follows a page in a folder with the chart.

    Attributes:
        folder: where commands are run.
    """

    def __init__(
        self, page: str, cluster: Cluster, folder: Path, variables: Mapping[str, str], written: Mapping[str, str]
    ) -> None:
        """Prepare *folder*. *written* are what the reader writes in the place of texts in commands."""
        self.folder = folder
        self._steps = list_steps(read_page(page))
        self._written = written
        programs = folder / "bin"
        programs.mkdir(parents=True)
        (programs / "kubectl").symlink_to(require_program("a real cluster", f"kubectl-{NEWEST}"))
        (programs / "helm").symlink_to(require_program("the chart", "helm"))
        (folder / ".kube").mkdir()
        cluster.kubeconfig(folder / ".kube" / "config")
        shutil.copytree(ROOT / "charts", folder / "charts")
        self._environ = build_environ(HOME=str(folder), KUBECTL_KUBERC="false", **variables)
        self._environ["PATH"] = f"{programs}:{self._environ['PATH']}"
        self._next = ("", "")

    def follow(self, until: str = "") -> str:
        """Run the commands up to that which begins with *until*, by default all. Return what the last one printed."""
        shown = ""
        for file, text in self._steps:
            if file:
                (self.folder / file).parent.mkdir(parents=True, exist_ok=True)
                (self.folder / file).write_text(text, encoding="utf-8")
            elif until and text.startswith(until):
                self._next = (file, text)
                return shown
            elif not find_reasons(text):
                shown = self.run(text, code=0 if text.startswith(("kubectl ", "helm ", "extdns check ")) else None)
        assert not until, until
        return shown

    def run(self, command: str, *, code: int | None = 0) -> str:
        """Run *command* until it ends, with exit code *code*, or any. Return what it printed."""
        with self._start(command) as running:
            shown, _ = running.communicate()
        assert code in {None, running.returncode}, f"{command}\n{shown}"
        return shown

    def run_next(self, *, code: int = 0) -> str:
        """Run the command at which `follow` stopped. Return what it printed."""
        return self.run(self._next[1], code=code)

    def run_next_until(self, part: str) -> None:
        """Run the command at which `follow` stopped until it has printed *part*, and interrupt it."""
        with self._start(self._next[1]) as running:
            assert running.stdout is not None
            lines = []
            for line in running.stdout:
                lines.append(line)
                if part in line:
                    break
            else:
                raise AssertionError("".join(lines))

    @contextmanager
    def _start(self, command: str) -> Iterator[subprocess.Popen[str]]:
        for text, other in self._written.items():
            command = command.replace(text, other)
        print(command)
        with subprocess.Popen(
            ["sh", "-c", command],
            start_new_session=True,
            cwd=self.folder,
            env=self._environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as running:
            end = partial(_end, running)
            watchdog = Timer(HANGS_S, end)
            watchdog.start()
            try:
                yield running
            finally:
                watchdog.cancel()
                end()


def _end(running: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(running.pid, signal.SIGTERM)


Follow = Callable[..., Reader]


@pytest.fixture
def follow(cluster: Cluster, tmp_path: Path) -> Iterator[Follow]:
    """Return a function that starts to follow a page, with a node whose pods get *variables* and flags, too."""

    def delete_namespaces() -> None:
        for name in NAMESPACES:
            cluster.delete_namespace(name)
        cluster.until(lambda: not any(cluster.get("Namespace", "", name) for name in NAMESPACES))

    delete_namespaces()
    with ExitStack() as stack:
        stack.callback(delete_namespaces)

        def start(
            page: str,
            variables: Mapping[str, str] | None = None,
            *,
            written: Mapping[str, str] | None = None,
            replaced: Mapping[str, str] | None = None,
            more: Sequence[str] = (),
        ) -> Reader:
            reader = Reader(page, cluster, tmp_path / "reader", variables or {}, written or {})
            node = Kubelet(cluster, tmp_path, variables=variables or {}, replaced=replaced or {}, more=more)
            stack.enter_context(node)
            for name in NAMESPACES[1:]:
                for release in ("extdns", "external-dns"):
                    stack.callback(reader.run, f"helm uninstall --ignore-not-found {release} --namespace={name}")
            return reader

        yield start


def give_address(cluster: Cluster, kind: str, **ingress: str) -> None:
    """Set the status of the Service or the Ingress `web` in the namespace `shop`, as a cloud does."""
    found = cluster.get(kind, "shop", "web")
    assert found is not None
    cluster.put(found | {"status": {"loadBalancer": {"ingress": [ingress]}}})


def test_the_quick_start_publishes_a_service_and_installs_the_chart(follow: Follow, dns: Route53) -> None:
    dns.add_zone("shop.example", zone_id=ZONE_ID)
    reader = follow("quick-start", environ(dns))
    config = reader.folder / ".kube" / "config"
    config.write_text(config.read_text(encoding="utf-8").replace('"test"', '"kind-dns"'), encoding="utf-8")
    reader.follow("extdns --kubeconfig=")
    reader.run_next_until("successfully updated")
    zone = (reader.folder / "kind-dns/zones/shop.example.zone").read_text(encoding="utf-8")
    assert "www.shop.example. 300 IN A 203.0.113.10" in zone
    reader.follow("kind delete cluster")
    reader.run("kubectl delete --filename=web.yaml")
    reader.follow("helm upgrade")
    (values,) = [text for file, text in list_steps(read_page("tutorials/eks-irsa")) if file == "values.yaml"]
    (reader.folder / "values.yaml").write_text(values, encoding="utf-8")
    reader.run_next()
    assert "Nothing is known to be missing" in reader.follow()


def test_the_tutorial_for_eks_publishes_a_service_and_removes_everything(
    cluster: Cluster, follow: Follow, dns: Route53
) -> None:
    zone_id = dns.add_zone("shop.example", zone_id=ZONE_ID)
    reader = follow("tutorials/eks-irsa", environ(dns), more=[QUICKLY])
    reader.follow("kubectl --namespace=dns logs")
    balancer = "web-0123456789.eu-central-1.elb.amazonaws.com"
    give_address(cluster, "Service", hostname=balancer)
    reader.run_next_until("Desired change: CREATE www.shop.example A")
    (record,) = [one for one in dns.shown(zone_id) if one["Type"] == "A"]
    assert record["AliasTarget"]["DNSName"] == f"{balancer}."
    reader.follow("helm --namespace=dns uninstall")
    cluster.until(lambda: not dns.shown(zone_id))
    reader.run_next()
    reader.follow()


def test_the_tutorial_for_gke_publishes_an_ingress_and_removes_everything(cluster: Cluster, follow: Follow) -> None:
    with CloudDns() as dns:
        name = dns.add_zone("shop.example", project="my-project")
        zone = dns.api.zones["my-project"][name]
        reader = follow("tutorials/gke-workload-identity", more=[QUICKLY, f"--google-api-endpoint={dns.url}"])
        reader.follow("kubectl --namespace=dns logs")
        give_address(cluster, "Ingress", ip="203.0.113.7")
        reader.run_next_until("Desired change: CREATE www.shop.example A")
        cluster.until(lambda: [one.rrdatas for one in zone.list_records() if one.type == "A"] == [("203.0.113.7",)])
        reader.follow("helm --namespace=dns uninstall")
        cluster.until(lambda: {one.type for one in zone.list_records()} == {"NS", "SOA"})
        reader.run_next()
        reader.follow()


def test_the_tutorial_for_cloudflare_publishes_a_service_and_proxies_it(cluster: Cluster, follow: Follow) -> None:
    with Cloudflare() as dns:
        zone_id = dns.add_zone("shop.example")
        variables = {"CF_API_TOKEN": TOKEN, "CLOUDFLARE_BASE_URL": dns.url}
        reader = follow("tutorials/cloudflare", variables, written={"=TOKEN": f"={TOKEN}"})
        web = service("web", namespace="shop", type="LoadBalancer", ports=[{"port": 80}])
        cluster.put(web | {"metadata": web["metadata"] | {"annotations": {}}})
        reader.follow("kubectl --namespace=extdns logs")
        cluster.until(lambda: dns.list_records(zone_id))
        shown = reader.run_next()
        assert "Desired change: CREATE web.shop.example A" in shown
        assert "2 record(s) were successfully updated" in shown
        reader.follow()
        cluster.until(lambda: [one for one in dns.list_records(zone_id) if one["proxied"]])


@pytest.mark.parametrize(("page", "program"), [("bind", "named"), ("powerdns", "pdns_server")])
def test_the_tutorial_for_a_name_server_publishes_a_service(
    cluster: Cluster, follow: Follow, page: str, program: str
) -> None:
    server = start_clean(program)
    port = f"--rfc2136-port={server.address.port}"
    written = {"--rfc2136-host=ns1.example.org": f"--rfc2136-host={HOST} {port}", "MANIFESTS": "manifests"}
    replaced = {"--rfc2136-host=ns1.example.org": f"--rfc2136-host={HOST}"}
    reader = follow(f"tutorials/{page}", written=written, replaced=replaced, more=[port])
    (reader.folder / "manifests").mkdir()
    (reader.folder / "manifests" / "web.yaml").write_text(build_list([service("web")]), encoding="utf-8")
    (reader.folder / "secret").write_text(f"{KEY.secret}\n", encoding="utf-8")
    reader.follow()
    cluster.put(yaml.safe_load((reader.folder / "shop.yaml").read_text(encoding="utf-8")))
    cluster.until(lambda: query(server, "web.example.org", "A") == ["192.0.2.7"])


def test_the_tutorial_for_any_provider_publishes_a_service_through_external_dns(
    cluster: Cluster, follow: Follow
) -> None:
    require_program("external-dns as a webhook", "external-dns-0.22")
    server = start_clean("pdns_server")
    address = {"--pdns-server=http://ns1.example.org:8081": f"--pdns-server={server.http_address}"}
    with hold_port():
        reader = follow("tutorials/your-provider", written={"=KEY": f"={API_KEY}"}, replaced=address)
        web = service("web", namespace="shop", address="192.0.2.7", type="LoadBalancer", ports=[{"port": 80}])
        cluster.put(web | {"metadata": web["metadata"] | {"annotations": {}}})
        reader.follow("kubectl --namespace=extdns logs")
        cluster.until(lambda: query(server, "web.example.org", "A") == ["192.0.2.7"])
        shown = reader.run_next()
        assert "Desired change: CREATE web.example.org A" in shown
        assert "2 record(s) were successfully updated" in shown
        assert "CREATE: web.example.org" in reader.follow()
        reader.run("helm uninstall extdns --namespace=extdns")


def test_the_external_dns_chart_tutorial_changes_a_release_and_back(
    cluster: Cluster, follow: Follow, dns: Route53, tmp_path: Path
) -> None:
    dns.add_zone("shop.example")
    reader = follow("tutorials/from-the-external-dns-chart", environ(dns))
    page = read_page("tutorials/from-the-external-dns-chart")
    former, *_ = [text for file, text in list_steps(page) if file == "values.yaml"]
    (tmp_path / "former.yaml").write_text(former, encoding="utf-8")
    chart = write_former_chart(tmp_path / "external-dns")
    where = f"--namespace=external-dns --create-namespace --values={tmp_path / 'former.yaml'}"
    reader.run(f"helm install external-dns {chart} {where}")

    def read_container() -> str:
        where = "jsonpath={.spec.template.spec.containers}"
        return cluster.kubectl("--namespace=external-dns", "get", "deployment/external-dns", f"--output={where}")

    before = read_container()
    reader.follow("helm template external-dns")
    assert page.partition("```text\n")[2].partition("```")[0] in reader.run_next(code=1)
    reader.follow("helm template external-dns")
    assert "extdns" in reader.run_next(code=1)  # there are differences
    reader.follow("helm --namespace=external-dns upgrade external-dns charts/extdns --reset-then-reuse-values")
    assert "--policy=upsert-only" in read_container()
    reader.run("helm --namespace=external-dns rollback external-dns")  # the page has two ways
    reader.run_next()
    assert "--policy=upsert-only" in read_container()
    reader.follow("helm --namespace=external-dns rollback")
    reader.run_next()
    assert read_container() == before
    reader.follow()


def test_each_command_that_is_not_run_is_on_a_page() -> None:
    pages = ["quick-start", *(f"tutorials/{path.stem}" for path in (ROOT / "docs" / "tutorials").glob("*.md"))]
    steps = [step for page in pages for step in list_steps(read_page(page))]
    assert {one for file, text in steps if not file for one in find_reasons(text)} == NOT_RUN.keys()
