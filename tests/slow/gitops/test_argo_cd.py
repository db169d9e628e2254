"""examples/argocd and examples/flux, run by the program of Argo CD, by Helm, and in a real cluster.

The controllers of Argo CD and Flux, and Slack, do not run here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import cel
import pytest
import yaml

from extdns.config import parse
from tests.kubernetes.cluster import Cluster
from tests.nameservers import RealServer
from tests.objects import dns_endpoint, service
from tests.program.process import HANGS_S, environment, install_command, once
from tests.route53 import environ
from tests.slow.chart.tools import CHART, Helm, Json, arguments, of, run, value_files, values_of
from tests.slow.cluster.release import HOOK
from tests.slow.gitops.examples import EXAMPLES, PEOPLE, Publisher, build_orphan, find_kind, read, read_sources

PLANNER: Final = ("shop", "dns-plan")
IDENTITY: Final = "/api/v1/namespaces/kube-system"
"""What the program reads, if it may, to notice that objects come from another cluster."""
ZONE: Final = "$TTL 60\n@ SOA ns1 host 1 7200 900 1209600 300\n@ NS ns1\nns1 A 127.0.0.1\n"


def test_the_project_permits_exactly_the_kinds_that_the_sources_create(helm: Helm) -> None:
    (project,), (application,) = read("argocd/project.yaml"), read("argocd/application.yaml")
    values, others = read_sources(application)
    forms = [helm.manifests(one) for one in (values, *map(values_of, value_files()))]
    created = [one for form in forms for one in form if HOOK not in one["metadata"].get("annotations", {})]
    created += [yaml.safe_load(path.read_text(encoding="utf-8")) for path in (CHART / "crds").glob("*.yaml")]
    in_namespaces = {find_kind(one) for one in created if "namespace" in one["metadata"]} | {("", "ConfigMap")}
    everywhere = {find_kind(one) for one in (*created, *others)} - in_namespaces | {("", "Namespace")}
    permitted = {
        scope: {(one["group"], one["kind"]) for one in project["spec"][f"{scope}ResourceWhitelist"]}
        for scope in ("namespace", "cluster")
    }
    assert permitted == {"namespace": in_namespaces, "cluster": everywhere}
    assert {one["repoURL"] for one in application["spec"]["sources"]} == set(project["spec"]["sourceRepos"])


def test_the_application_creates_crds_and_policies_before_the_program(helm: Helm) -> None:
    (application,) = read("argocd/application.yaml")
    values, others = read_sources(application)
    wave = "argocd.argoproj.io/sync-wave"
    later = {
        find_kind(one): one["metadata"]["annotations"][wave]
        for one in (*helm.manifests(values), *others)
        if wave in one["metadata"].get("annotations", {})
    }
    assert later == {("apps", "Deployment"): "1", ("", "ConfigMap"): "1"}


def test_flux_installs_what_argo_cd_installs() -> None:
    (application,), (release,) = read("argocd/application.yaml"), of("HelmRelease", read("flux/extdns.yaml"))
    values, _ = read_sources(application)
    assert release["spec"]["values"] == {key: one for key, one in values.items() if key != "deploymentAnnotations"}


def render_application_set(helm: Helm, folder: Path, clusters: list[Json]) -> list[Json]:
    """Return the Applications for *clusters*, rendered by Helm, which has the template language of Argo CD."""
    (made,) = read("argocd/applicationset.yaml")
    text = yaml.safe_dump({"kind": "Application"} | made["spec"]["template"])
    (folder / "templates").mkdir()
    (folder / "templates" / "a.yaml").write_text(f"{{{{- range .Values.clusters }}}}\n---\n{text}\n{{{{- end }}}}\n")
    (folder / "Chart.yaml").write_text("{apiVersion: v2, name: a, version: 1.0.0}")
    done = run(helm.program, "template", folder, "--values=-", stdin=json.dumps({"clusters": clusters}), env=helm.env)
    assert done.code == 0, done.error
    return [one for one in yaml.safe_load_all(done.out) if one]


def test_the_application_set_gives_each_cluster_its_owner_id_and_domain(helm: Helm, tmp_path: Path) -> None:
    clusters = [
        {
            "nameNormalized": name,
            "server": "https://kubernetes.default.svc",
            "metadata": {"labels": {"dns-owner-id": owner, "dns-domain": domain}},
        }
        for name, owner, domain in (("a", "main", "example.com"), ("b", "1234", "b.example.com"))
    ]
    (alone,), (first, second) = read("argocd/application.yaml"), render_application_set(helm, tmp_path, clusters)
    assert first["spec"] == alone["spec"]
    config = parse(arguments(helm.manifests(read_sources(second)[0])), {})
    assert (config.registry.txt_owner_id, config.plan.domain_filter) == ("1234", ("b.example.com",))
    (made,) = read("argocd/applicationset.yaml")
    (generator,) = made["spec"]["generators"]
    required = generator["clusters"]["selector"]["matchExpressions"]
    assert required == [{"key": key, "operator": "Exists"} for key in ("dns-owner-id", "dns-domain")]


def assess_by_argo_cd(argocd: str, folder: Path, obj: Json) -> tuple[str, str]:
    """Return status and message of the health that Argo CD computes for *obj*."""
    file = folder / "object.yaml"
    file.write_text(yaml.safe_dump(obj), encoding="utf-8")
    settings = ("--argocd-cm-path", EXAMPLES / "argocd" / "argocd-cm.yaml")
    done = run(argocd, "admin", "settings", "resource-overrides", "health", file, *settings)
    assert done.code == 0, done.error
    status, _, message = done.out.partition("\nMESSAGE: ")
    return status.removeprefix("STATUS: "), message.strip()


def assess_by_flux(obj: Json) -> str:
    """Return the health that Flux computes: the first expression that is true; one without a value is not."""
    (kustomization,) = of("Kustomization", read("flux/shop.yaml"))
    (rules,) = kustomization["spec"]["healthCheckExprs"]
    assert (rules["apiVersion"], rules["kind"]) == (obj["apiVersion"], obj["kind"])
    for health in ("inProgress", "failed", "current"):
        try:
            if cel.evaluate(rules[health], obj) is True:
                return health
        except RuntimeError:
            return "inProgress"
    return "inProgress"


def test_argo_cd_and_flux_see_whether_a_dnsendpoint_is_published(
    publisher: Publisher, argocd: str, tmp_path: Path
) -> None:
    publisher.dns.add_zone("example.com")

    def assess(name: str) -> tuple[str, str, str]:
        obj = publisher.get("DNSEndpoint", "shop", name)
        return *assess_by_argo_cd(argocd, tmp_path, obj), assess_by_flux(obj)

    publisher.apply("web", "web.example.com")
    publisher.apply("lost", "web.example.com", "lost.example.net")
    publisher.apply("bad", "a..b.example.com")
    waiting = ("Progressing", "extdns has not published this generation", "inProgress")
    assert {assess(name) for name in ("web", "lost", "bad")} == {waiting}
    publisher.make_pass("--domain-filter=example.net")
    assert assess("web") == ("Healthy", "published", "current")
    for name, reason in (("lost", "no-zone"), ("bad", "invalid-name")):
        status, message, flux = assess(name)
        assert (status, message.partition(":")[0], flux) == ("Degraded", reason, "failed")
    publisher.apply("web", "web.example.com", target="192.0.2.2")
    assert assess("web") == waiting
    publisher.make_pass()
    assert assess("web")[0] == "Healthy"
    older = publisher.get("DNSEndpoint", "shop", "lost") | {"status": {"observedGeneration": 1}}
    assert assess_by_argo_cd(argocd, tmp_path, older)[0] == "Healthy"  # the CRD of external-dns has no conditions


def test_argo_cd_shows_held_deletes_until_an_approver_approves_them(
    publisher: Publisher, argocd: str, tmp_path: Path
) -> None:
    cluster = publisher.cluster
    zone = publisher.dns.add_zone("example.com", records=build_orphan())
    state = str(EXAMPLES / "argocd" / "state.yaml")
    cluster.kubectl("-n", "dns", "apply", "--server-side", "-f", state)
    cluster.kubectl("apply", "--server-side", "-f", PEOPLE)
    cluster.put(service("old", type="LoadBalancer", ports=[{"port": 80}]))
    publisher.apply("web", "web.example.com")

    def assess() -> tuple[str, str]:
        return assess_by_argo_cd(argocd, tmp_path, publisher.get("ConfigMap", "dns", "extdns-state"))

    assert assess()[0] == "Healthy"
    assert publisher.make_pass() == 3
    status, message = assess()
    assert status == "Suspended"
    code = message.rpartition(" ")[2]
    (tmp_path / "token").write_text(cluster.create_token("dns", "default"), encoding="utf-8")
    approver = cluster.kubeconfig(tmp_path / "approver", token_file=tmp_path / "token", namespace="shop")
    approval = ("approve", code, "--by=alice", "--state-configmap=dns/extdns-state", f"--kubeconfig={approver}")
    assert once(*approval).returncode == 1
    role = ("--role=extdns-approve", "--serviceaccount=dns:default")
    cluster.kubectl("-n", "dns", "create", "rolebinding", "approver", *role)
    assert once(*approval).returncode == 0
    cluster.kubectl("-n", "dns", "delete", "rolebinding", "approver")
    assert publisher.make_pass() == 0
    assert assess()[0] == "Healthy"
    assert [one.name for one in publisher.dns.records(zone, name="old.example.com")] == []
    cluster.kubectl("-n", "dns", "diff", "--server-side", "-f", state)  # else Argo CD would show OutOfSync
    other = publisher.get("ConfigMap", "dns", "kube-root-ca.crt") | {"data": {"a": '"code":"ff3e-18af"'}}
    assert assess_by_argo_cd(argocd, tmp_path, other)[0] == "Healthy"


@pytest.mark.parametrize(("health", "sent"), [("Suspended", True), ("Degraded", True), ("Progressing", False)])
def test_argo_cd_notifies_when_deletes_are_held_or_a_name_cannot_be_published(
    cluster: Cluster, argocd: str, tmp_path: Path, health: str, sent: bool
) -> None:
    (application,) = read("argocd/application.yaml")
    (key,) = (name for name in application["metadata"]["annotations"] if "subscribe" in name)
    trigger = key.rpartition("/")[2].split(".")[1]
    file, notifications = tmp_path / "app.yaml", EXAMPLES / "argocd" / "notifications.yaml"
    file.write_text(yaml.safe_dump(application | {"status": {"health": {"status": health}}}), encoding="utf-8")
    access = f"--kubeconfig={cluster.kubeconfig(tmp_path / 'kubeconfig', namespace='argocd')}"
    where = ("--config-map", notifications, "--secret", ":empty", access)
    triggered = run(argocd, "admin", "notifications", "trigger", "run", trigger, file, *where)
    assert (triggered.out.split()[-1] == "true") == sent, triggered.error
    told = run(argocd, "admin", "notifications", "template", "notify", "dns-attention", file, *where)
    assert f"DNS of extdns is {health}: " in told.out
    assert told.out.rstrip().endswith("/applications/argocd/extdns")


def build_hook(name: str, *replaced: str) -> list[str]:
    """Return the command of a Job in hooks.yaml, with *replaced* for its flags of the same names."""
    (job,) = (one for one in read("argocd/hooks.yaml") if one["metadata"]["generateName"] == f"dns-{name}-")
    (container,) = job["spec"]["template"]["spec"]["containers"]
    names = tuple(one.partition("=")[0] for one in replaced)
    kept = [one for one in container["args"] if not one.startswith(names)]
    return [*container.get("command", ["extdns"]), *kept, *replaced]


def run_hook(command: list[str], folder: Path, token: str, publisher: Publisher) -> int:
    """Return the exit code of *command*, run with the programs of the image and the token of its service account."""
    (folder / "token").write_text(token, encoding="utf-8")
    kubeconfig = publisher.cluster.kubeconfig(folder / "hook", token_file=folder / "token", namespace=PLANNER[0])
    path = os.pathsep.join((str(install_command()), str(Path(sys.executable).parent), os.environ["PATH"]))
    env = environment(**environ(publisher.dns), PATH=path, EXTERNAL_DNS_KUBECONFIG=str(kubeconfig))
    return subprocess.run(command, env=env, check=False, timeout=HANGS_S).returncode


def test_hooks_stop_a_sync_for_held_deletes_and_wait_for_served_names(publisher: Publisher, tmp_path: Path) -> None:
    cluster, manifests = publisher.cluster, tmp_path / "worktree" / "manifests"
    (tmp_path / "app").symlink_to("worktree")  # as git-sync does
    cluster.kubectl("apply", "--server-side", "-f", PEOPLE)
    token, before = cluster.create_token(*PLANNER), len(cluster.read_audit_log())
    zone = publisher.dns.add_zone("example.com")
    publisher.apply("web", "web.example.com")
    assert publisher.make_pass() == 0
    manifests.mkdir(parents=True)
    endpoints = [{"dnsName": "new.example.com", "recordType": "A", "targets": ["192.0.2.1"]}]
    added = dns_endpoint("new", namespace="shop") | {"spec": {"endpoints": endpoints}}
    (manifests / "new.yaml").write_text(yaml.safe_dump(added), encoding="utf-8")
    plan = build_hook("plan", f"--manifests={tmp_path / 'app' / 'manifests'}")
    assert run_hook(plan, tmp_path, token, publisher) == 0
    cluster.put(service("old", type="LoadBalancer", ports=[{"port": 80}]))
    publisher.dns.put(zone, *build_orphan())
    assert run_hook(plan, tmp_path, token, publisher) == 1
    verify = build_hook("verify", "--timeout=1s")
    assert "--wait" in verify
    with RealServer("named", tmp_path / "server", {"example.com": ZONE}) as server:
        at = f"--nameserver=127.0.0.1:{server.port}"
        assert run_hook([*verify, at], tmp_path, token, publisher) == 2
        server.load("example.com", f"{ZONE}web A 192.0.2.1\n".replace("host 1", "host 2"))
        assert run_hook([*verify, at], tmp_path, token, publisher) == 0
    denied = (one["requestURI"] for one in cluster.read_audit_log()[before:] if one["responseStatus"]["code"] == 403)
    assert set(denied) <= {IDENTITY}


def test_the_hooks_have_the_flags_of_the_application(helm: Helm) -> None:
    (application,) = read("argocd/application.yaml")
    installed = set(arguments(helm.manifests(read_sources(application)[0])))
    names = ("--source=", "--policy-rules=", "--provider=", "--domain-filter=", "--txt-owner-id=")
    expected = {one for one in installed if one.startswith(names)}
    for hook in ("plan", "verify"):
        assert {one for one in build_hook(hook) if one.startswith(names)} == expected
