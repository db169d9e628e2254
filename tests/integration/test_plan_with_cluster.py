"""`extdns plan --with-cluster` and `--cluster-snapshot`: manifests completed by what only the cluster knows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from extdns import cli
from tests.fakes.apiserver.server import ApiServer
from tests.objects import Json, gateway, http_route, ingress, node, numbered, service, services
from tests.program.installation import SOURCES, Installation


class Repository:
    """A cluster, a folder of manifests without status, and zones as the cluster has filled them."""

    def __init__(self, root: Path, server: ApiServer, *sources: str) -> None:
        self.live = Installation(root, server, sources=sources or SOURCES, example_org="")
        self.root = root
        self.folder = root / "folder"
        self.folder.mkdir()

    def commit(self, *objects: Json) -> None:
        stripped = [{key: value for key, value in one.items() if key != "status"} for one in objects]
        for one in stripped:
            one["metadata"] = {k: v for k, v in one["metadata"].items() if k not in {"uid", "creationTimestamp"}}
        (self.folder / "all.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": stripped}))

    def keep_base(self) -> str:
        base = self.root / "base"
        self.folder.rename(base)
        self.folder.mkdir()
        return f"--base={base}"

    def deploy(self, *objects: Json) -> None:
        self.live.apply(*objects)
        self.commit(*objects)
        self.live.run_once()

    def plan(self, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
        capsys.readouterr()
        flags = self.live.flags(f"--manifests={self.folder}", "--output=json", *options)
        cli.main(["plan", *flags], {})
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    def snapshot(self, capsys: pytest.CaptureFixture[str], *flags: str) -> str:
        capsys.readouterr()
        assert cli.main(["snapshot", *self.live.flags(*flags)], {}) == 0
        file = self.root / "cluster.json"
        file.write_text(capsys.readouterr().out)
        return f"--cluster-snapshot={file}"


def changes(plan: dict[str, Any]) -> list[str]:
    return [f"{one['action']} {one['name']} {one['type']}" for one in plan["changes"]]


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    with ApiServer() as server:
        yield Repository(tmp_path, server)


def test_manifests_without_status_change_nothing_if_the_cluster_has_the_status(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.deploy(service("web"), service("api", address="192.0.2.2"), ingress("shop", "shop.example.org"))
    found = repository.plan(capsys, "--with-cluster")
    assert changes(found) == []
    assert found["statusFromCluster"] == ["Service shop/api", "Service shop/web", "Ingress shop/shop"]
    assert repository.plan(capsys, repository.snapshot(capsys)) == found


def test_a_changed_manifest_is_planned_with_the_status_of_the_cluster(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.deploy(service("web"), service("api", address="192.0.2.2"))
    base = repository.keep_base()
    repository.commit(service("web", "www.example.org"), service("api", address="192.0.2.2"))
    found = repository.plan(capsys, "--with-cluster", base)
    assert changes(found) == ["delete web.example.org A", "create www.example.org A"]
    assert found["changes"][1]["after"]["targets"] == ["192.0.2.1"]


def test_objects_that_are_not_in_the_manifests_stay_unless_the_base_had_them(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.deploy(service("web"), service("api", address="192.0.2.2"))
    base = repository.keep_base()
    repository.commit(service("web"))
    snapshot = repository.snapshot(capsys)
    assert changes(repository.plan(capsys, snapshot)) == []
    assert changes(repository.plan(capsys, snapshot, base)) == ["delete api.example.org A"]


def test_a_changed_port_keeps_its_node_port(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    def expose(protocol: str, **port: int) -> Json:
        ports = [{"name": "dns", "port": 53, "protocol": protocol, **port}]
        return service("web", type="NodePort", externalTrafficPolicy="Cluster", ports=ports)

    repository.deploy(expose("TCP", nodePort=30053), node("one", "192.0.2.7"))
    repository.commit(expose("UDP"))
    found = repository.plan(capsys, "--with-cluster", "--managed-record-types=SRV")
    (created,) = [one for one in found["changes"] if one["action"] == "create"]
    assert created["name"] == "_web._udp.web.example.org"
    assert created["after"]["targets"] == ["0 50 30053 web.example.org."]


def test_node_ports_stay_with_the_name_or_number_of_their_port(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    def expose(*ports: Json) -> Json:
        return service("web", type="NodePort", externalTrafficPolicy="Cluster", ports=list(ports))

    live = [
        {"name": name, "port": port, "protocol": "TCP", "nodePort": 30000 + port}
        for name, port in (("a", 80), ("b", 81), ("c", 82))
    ]
    repository.deploy(expose(*live), node("one", "192.0.2.7"))
    repository.commit(expose({"port": 82, "name": "c"}, {"port": 81, "name": "renamed"}, {"port": 90, "name": "new"}))
    found = repository.plan(capsys, "--with-cluster", "--managed-record-types=SRV")
    (created,) = found["changes"]
    assert created["after"]["targets"] == ["0 50 30081 web.example.org.", "0 50 30082 web.example.org."]


def test_a_route_that_no_gateway_has_accepted_counts_as_in_the_cluster(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ApiServer() as server:
        repository = Repository(tmp_path, server, "gateway-httproute")
        waiting, route = ({**http_route(name), "status": {}} for name in ("waiting", "committed"))
        repository.live.apply(gateway(), waiting, route)
        repository.commit(route, http_route("added"))
        assert changes(repository.plan(capsys, "--with-cluster")) == ["create added.example.org A"]


@pytest.mark.parametrize(
    ("made_with", "planned_with", "lack"),
    [
        ([], ["--source=crd"], "it has no dnsendpoints.externaldns.k8s.io, which --source=crd reads"),
        (
            ["--namespace=shop"],
            ["--namespace=web"],
            "it has services of the namespace shop only; --source=service reads the namespace web only (--namespace)",
        ),
        (["--namespace=shop"], [], "--source=service reads all namespaces (--namespace)"),
        ([], ["--fqdn-template={{.Name}}.example.org"], "without the fields that templates read (--fqdn-template)"),
        (["--source=crd", "--label-filter=a=b"], ["--namespace=shop"], ""),
    ],
)
def test_a_plan_names_the_flag_that_reads_what_its_snapshot_lacks(
    repository: Repository, capsys: pytest.CaptureFixture[str], made_with: list[str], planned_with: list[str], lack: str
) -> None:
    repository.deploy(service("web"))
    snapshot = repository.snapshot(capsys, *made_with)
    flags = repository.live.flags(f"--manifests={repository.folder}", *planned_with)
    code = cli.main(["plan", *flags, snapshot], {})
    assert lack in capsys.readouterr().err
    assert (code == 1) is bool(lack)


def test_a_snapshot_for_templates_has_the_conditions_that_sources_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live = Installation(tmp_path, sources=["pod"], example_org="")
    pod = {"metadata": {"name": "a", "namespace": "x"}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    live.replace_manifests({"apiVersion": "v1", "kind": "Pod", **pod})
    assert cli.main(["snapshot", *live.flags("--fqdn-template={{.Name}}.example.org")], {}) == 0
    assert json.loads(capsys.readouterr().out)["items"][0]["status"] == pod["status"]


def test_an_object_of_any_kind_is_completed_for_templates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    live = Installation(tmp_path, sources=["unstructured"], example_org="")
    templates = ["--fqdn-template={{.Name}}.example.org", "--target-template={{.Status.ip}}"]
    flags = live.flags("--unstructured-resource=widgets.v1.acme.test", *templates)
    widget = {"apiVersion": "acme.test/v1", "kind": "Widget", "metadata": {"name": "a", "namespace": "x"}}
    live.replace_manifests(widget | {"status": {"ip": "192.0.2.5"}})
    cli.main(["snapshot", *flags], {})
    file = tmp_path / "cluster.json"
    file.write_text(capsys.readouterr().out)
    live.replace_manifests(widget)
    cli.main(["plan", *flags, f"--cluster-snapshot={file}", "--output=json"], {})
    found = json.loads(capsys.readouterr().out)
    assert (changes(found), found["statusFromCluster"]) == (["create a.example.org A"], ["widget x/a"])


def test_secrets_are_never_in_a_snapshot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    live = Installation(tmp_path, sources=["unstructured"], example_org="")
    live.replace_manifests({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "namespace": "x"}})
    flags = live.flags("--unstructured-resource=secrets.v1", "--fqdn-template={{.Name}}.example.org")
    assert cli.main(["snapshot", *flags], {}) == 1
    assert "Secrets" in capsys.readouterr().err


def test_a_snapshot_waits_for_all_pages_of_a_list(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    repository.live.apply(*services(numbered(1200)))
    text = Path(repository.snapshot(capsys).partition("=")[2]).read_text()
    assert len(json.loads(text)["items"]) == 1200


def test_a_snapshot_holds_only_what_sources_read(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    web = service("web")
    web["spec"]["secretLookingField"] = "s3cr3t"
    repository.deploy(web)
    text = Path(repository.snapshot(capsys).partition("=")[2]).read_text()
    assert "web.example.org" in text
    assert "s3cr3t" not in text


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--with-cluster", "--cluster-snapshot=x"], "leave out one of them"),
        (["--cluster-snapshot=/nowhere.json"], "--cluster-snapshot=/nowhere.json cannot be read: No such file"),
        (["--cluster-snapshot=/dev/null"], "--cluster-snapshot=/dev/null is not the output of extdns snapshot"),
        (["--cluster-snapshot=-"], "--cluster-snapshot=- cannot be standard input"),
    ],
)
def test_a_wrong_use_of_snapshots_is_a_usage_error(
    repository: Repository, capsys: pytest.CaptureFixture[str], options: list[str], text: str
) -> None:
    repository.deploy(service("web"))
    assert cli.main(["plan", *repository.live.flags(f"--manifests={repository.folder}", *options)], {}) == 1
    assert text in capsys.readouterr().err


def test_a_plan_with_the_status_of_the_cluster_cannot_be_applied(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.deploy(service("web"))
    capsys.readouterr()
    flags = repository.live.flags(f"--manifests={repository.folder}")
    cli.main(["plan", *flags, "--with-cluster", "--output=json"], {})
    file = repository.root / "plan.json"
    file.write_text(capsys.readouterr().out)
    assert cli.main(["apply", *flags, f"--plan={file}"], {}) == 1
    assert "--with-cluster or --cluster-snapshot, so it cannot be applied" in capsys.readouterr().err


def test_completing_needs_manifests(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["plan", *repository.live.flags("--with-cluster")], {}) == 1
    assert "--with-cluster completes manifests, and there are none" in capsys.readouterr().err
