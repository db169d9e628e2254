"""Every file of examples/ for GitOps, as a real API server, CloudFormation's linter, Alertmanager and CI read it."""

from __future__ import annotations

import json
import re
import shutil
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Queue
from typing import Any, Final

import pytest
import yaml

from extdns.config import parse
from tests.kubernetes.cluster import Cluster
from tests.kubernetes.process import Process
from tests.nameservers import HOST, free_port
from tests.objects import dns_endpoint, service
from tests.program.process import HANGS_S
from tests.required_programs import require_program
from tests.slow.chart.tools import CHART, ROOT, Helm, Json, arguments, of, run
from tests.slow.chart.tools import container as find_container
from tests.slow.gitops.examples import EXAMPLES, PEOPLE, Publisher, read, read_sources
from tests.updatable import KEY
from tests.web_server import serving

FIRED: Final = "ExtdnsDown"
PLAN: Final = re.compile(r"extdns plan @dns.flags --manifests=manifests .*?=markdown", re.DOTALL)
ELSEWHERE: Final = {
    "acme": "tests/integration/test_added_package.py",
    "alertmanager.yaml": "a configuration of Alertmanager, below",
    "ci": "configurations of CI, below",
    "access/eks-access-entries.yaml": "CloudFormation, below",
    "kustomize": "tests/slow/chart/test_kustomize.py",
    "policy/cel/tests.yaml": "tests/unit/commands/test_policy.py",
    "policy/rego": "tests/slow/rego",
    "secrets/values.yaml": "values of the chart, below",
    "demo": "tests/integration/test_demo.py, with mistakes that an API server refuses",
}
"""What is not for an API server, and what tests it."""
ONLY_FORM: Final = {"Alert", "HelmRelease", "Provider"}
"""Kinds whose CRDs no package registry has: only that they are YAML with a kind and a name is checked here."""


def list_manifests() -> list[str]:
    """Return the files for an API server, sorted."""
    files = (path.relative_to(EXAMPLES) for path in EXAMPLES.rglob("*.yaml"))
    return sorted(str(path) for path in files if not any(path.is_relative_to(other) for other in ELSEWHERE))


def test_the_api_server_accepts_every_manifest_of_the_examples(prepared: Cluster) -> None:
    for name in list_manifests():
        objects = read(name)
        assert all(one["kind"] and (one["metadata"].get("name") or one["metadata"]["generateName"]) for one in objects)
        items = [one for one in objects if one["kind"] not in ONLY_FORM]
        stdin = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
        prepared.kubectl("create", "--dry-run=server", "--validate=strict", "-f", "-", stdin=stdin)


def test_pods_of_the_hooks_may_run_in_a_restricted_namespace(prepared: Cluster) -> None:
    prepared.kubectl("label", "--overwrite", "namespace", "shop", "pod-security.kubernetes.io/enforce=restricted")
    prepared.kubectl("apply", "-f", PEOPLE)
    for job in read("argocd/hooks.yaml"):
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "shop"}}
        stdin = json.dumps(pod | {"spec": job["spec"]["template"]["spec"]})
        prepared.kubectl("create", "--dry-run=server", "-f", "-", stdin=stdin)
    prepared.kubectl("label", "namespace", "shop", "pod-security.kubernetes.io/enforce-")
    prepared.kubectl("delete", "-f", PEOPLE)


def test_flux_applies_only_the_policies_that_it_does_not_ignore(tmp_path: Path) -> None:
    (repository,) = (one for one in of("GitRepository", read("flux/extdns.yaml")))
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    (tmp_path / ".gitignore").write_text(repository["spec"]["ignore"], encoding="utf-8")
    run("git", "init", "--quiet", tmp_path)
    folder = "examples/policy/cel"
    kept = run("git", "-C", tmp_path, "ls-files", "--others", "--exclude-standard", folder).out.split()
    assert kept == [f"{folder}/own-domain.yaml", f"{folder}/ttl-floor.yaml"]


@pytest.mark.parametrize("overlay", ["production", "staging"])
def test_the_api_server_accepts_both_overlays_of_the_kustomize_example(prepared: Cluster, overlay: str) -> None:
    built = run(require_program("examples", "kustomize"), "build", EXAMPLES / "kustomize" / "overlays" / overlay)
    applied = ("apply", "--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict", "-f", "-")
    prepared.kubectl(*applied, stdin=built.out)


def list_rights(role: Json) -> set[tuple[str, str, str]]:
    return {
        (group, resource, verb)
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def test_people_who_plan_may_read_what_the_program_reads_and_write_nothing(helm: Helm) -> None:
    (application,) = read("argocd/application.yaml")
    (installed,) = of("ClusterRole", helm.manifests(read_sources(application)[0]))
    (planning,) = of("ClusterRole", read("access/people.yaml"))
    granted = list_rights(planning)
    assert granted == {right for right in list_rights(installed) if right[2] in {"get", "list", "watch"}}


def test_groups_may_do_what_the_example_says_and_nothing_more(publisher: Publisher) -> None:
    cluster = publisher.cluster
    cluster.kubectl("apply", "--server-side", "-f", PEOPLE)
    listing, forwarding = ("list", "services"), ("create", "pods", "--subresource=portforward")
    approving = ("patch", "configmap/extdns-state")
    others = {("create", "pods", "--subresource=exec"), ("patch", "configmap/other"), ("get", "secrets")}
    for group, allowed in (("dns-planners", {listing, forwarding}), ("dns-approvers", {approving})):
        for question in (listing, forwarding, approving, *others):
            asked = ("-n", "dns", "auth", "can-i", *question, "--as=alice", f"--as-group={group}")
            cluster.kubectl(*asked, code=0 if question in allowed else 1)


def test_cfn_lint_accepts_the_access_entries_whose_groups_have_bindings() -> None:
    template = EXAMPLES / "access" / "eks-access-entries.yaml"
    linted = run(Path(sys.executable).with_name("cfn-lint"), "--regions=eu-central-1", "--", template)
    assert linted.code == 0, linted.out
    found = set(re.findall(r"dns-\w+", template.read_text(encoding="utf-8")))
    subjects = [one for obj in read("access/people.yaml") for one in obj.get("subjects", ())]
    assert found == {one["name"] for one in subjects if one["kind"] == "Group"}


def build_tenant_objects(number: int) -> list[Json]:
    """Return an object of each kind that the quota counts."""
    rules = {"rules": [{"host": f"w{number}.example.com"}]}
    metadata = {"name": f"w{number}"}
    ingress = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": metadata, "spec": rules}
    balancer = service(f"w{number}", type="LoadBalancer", ports=[{"port": 80}])
    return [balancer, ingress, dns_endpoint(f"w{number}")]


def test_a_tenant_cannot_create_more_objects_than_its_quota_allows(publisher: Publisher) -> None:
    (quota,) = read("access/tenant.yaml")
    hard = quota["spec"]["hard"]
    quota["spec"]["hard"] = dict.fromkeys(hard, "1")
    cluster = publisher.cluster
    cluster.kubectl("apply", "--server-side", "-f", "-", stdin=json.dumps(quota))
    used = ("-n", "shop", "get", "quota", "dns", "-o", "jsonpath={.status.used}")
    cluster.until(lambda: all(key in cluster.kubectl(*used) for key in hard))
    refused = 0
    for number in range(2):
        for one in build_tenant_objects(number):
            made = json.dumps(one)
            answer = cluster.kubectl("-n", "shop", "create", "-f", "-", stdin=made, code=min(number, 1))
            refused += "exceeded quota: dns" in answer
    assert refused == 3
    cluster.kubectl("-n", "shop", "delete", "quota,ingress", "--all")


def find_secrets(manifests: list[Json]) -> Iterator[tuple[str, str]]:
    """Yield name and key of each entry of a Secret that the pod uses."""
    (deployment,) = of("Deployment", manifests)
    for one in find_container(manifests)["env"]:
        if ref := one.get("valueFrom", {}).get("secretKeyRef"):
            yield ref["name"], ref["key"]
    for volume in deployment["spec"]["template"]["spec"].get("volumes", ()):
        if secret := volume.get("secret"):
            yield from ((secret["secretName"], one["key"]) for one in secret["items"])


def test_every_secret_that_the_values_use_is_in_both_files_of_secrets(helm: Helm) -> None:
    used: set[tuple[str, str]] = set()
    for values in read("secrets/values.yaml"):
        rendered = helm.manifests(values)
        variables = {one["name"]: KEY.secret for one in find_container(rendered)["env"]}
        parse(arguments(rendered), variables)
        used |= set(find_secrets(rendered))
    sealed = {
        (one["metadata"]["name"], key)
        for one in read("secrets/sealed-secrets.yaml")
        for key in one["spec"]["encryptedData"]
    }
    external = {
        (one["metadata"]["name"], entry["secretKey"])
        for one in read("secrets/external-secrets.yaml")
        for entry in one["spec"]["data"]
    }
    assert used == sealed == external


@contextmanager
def run_alertmanager(folder: Path) -> Iterator[Callable[[list[Json]], None]]:
    """Run Alertmanager with `alertmanager.yaml` in *folder*, and yield a function that posts alerts."""
    url = f"http://{HOST}:{free_port()}"
    command = (
        require_program("examples", "prometheus-alertmanager"),
        f"--config.file={folder / 'alertmanager.yaml'}",
        f"--storage.path={folder / 'data'}",
        f"--web.listen-address={url.removeprefix('http://')}",
        "--cluster.listen-address=",
    )

    def post(alerts: list[Json]) -> None:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{url}/api/v2/alerts", json.dumps(alerts).encode(), headers)
        urllib.request.urlopen(request, timeout=HANGS_S).close()

    def is_ready() -> bool:
        with suppress(OSError):
            urllib.request.urlopen(f"{url}/-/ready", timeout=HANGS_S).close()
            return True
        return False

    process = Process(command, folder / "log")
    process.wait_until(is_ready, "answer", within_s=HANGS_S)
    try:
        yield post
    finally:
        process.kill()


def test_alertmanager_sends_an_alert_of_extdns_to_slack_and_no_other(tmp_path: Path) -> None:
    received: Queue[Json] = Queue()

    def take(environ: dict[str, Any], start: Callable[..., object]) -> list[bytes]:
        received.put(json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))))
        start("200 OK", [])
        return [b"ok"]

    (config,) = read("alertmanager.yaml")
    (slack,) = config["receivers"][1]["slack_configs"]
    slack["api_url_file"] = str(tmp_path / "slack-url")
    config["route"]["group_wait"] = "0s"
    (tmp_path / "alertmanager.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    (rule,) = (one for one in yaml.safe_load((CHART / "files" / "alerts.yaml").read_text()) if one["alert"] == FIRED)
    texts = {"summary": rule["summary"], "description": rule["description"], "runbook_url": "https://runbook.example"}
    with serving(take) as port, run_alertmanager(tmp_path) as post:
        (tmp_path / "slack-url").write_text(f"http://{HOST}:{port}/services/x", encoding="utf-8")
        post([{"labels": {"alertname": name}, "annotations": texts} for name in ("Watchdog", FIRED)])
        message = received.get(timeout=HANGS_S)
    (attachment,) = message["attachments"]
    assert (message["channel"], attachment["title"]) == ("#dns", f"firing: {FIRED}")
    assert attachment["text"].strip() == f"{rule['summary']}. {rule['description']} https://runbook.example"
    assert received.empty()


@pytest.mark.parametrize("name", ["github.yaml", "gitlab.yaml"])
def test_a_ci_configuration_runs_the_command_of_the_page(name: str) -> None:
    (page,) = PLAN.findall((ROOT / "docs" / "how-to" / "plan-in-ci.md").read_text(encoding="utf-8"))
    (configured,) = PLAN.findall((EXAMPLES / "ci" / name).read_text(encoding="utf-8"))
    assert re.findall(r"--[\w-]+=", configured) == re.findall(r"--[\w-]+=", page)


def test_actionlint_accepts_the_github_workflow() -> None:
    done = run(require_program("examples", "actionlint"), "-no-color", EXAMPLES / "ci" / "github.yaml")
    assert done.code == 0, done.out
