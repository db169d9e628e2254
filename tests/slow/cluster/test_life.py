"""Events in the life of a real cluster: the program publishes what its objects request, and nothing is lost."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from time import time
from typing import Final

import pytest

from tests.fakes.apiserver.kinds import DNS_ENDPOINT
from tests.fakes.apiserver.raw_client import MERGE
from tests.fakes.route53.server import Route53
from tests.kubernetes.cluster import Cluster, Json
from tests.objects import PREFIX, dns_endpoint
from tests.slow.chart.tools import NAMESPACE, Helm
from tests.slow.cluster.life import MANY, ZONE, Life, build_service, build_services
from tests.slow.cluster.release import Release, build_list

BINDING: Final = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/external-dns-viewer"
STATUS: Final = "dnsendpoints/status"
NUMBERS: Final = count()
SEEDS: Final = int(os.environ.get("LIFE_SEEDS", "1"))
"""In how many runs of each test the program is killed at random moments."""


@pytest.fixture(params=[None, *range(SEEDS)], ids=lambda seed: "steady" if seed is None else f"stops {seed}")
def life(request: pytest.FixtureRequest, cluster: Cluster, helm: Helm, dns: Route53, tmp_path: Path) -> Iterator[Life]:
    with Release(cluster, helm, tmp_path, {"sources": ["service", "crd"]}) as release:
        made = Life(release, dns, tmp_path, seed=request.param)
        yield made
        made.kill()
        if not cluster.is_running:
            cluster.start()


@pytest.fixture
def shop() -> str:
    """Return the name of a namespace that no other test uses."""
    return f"shop-{next(NUMBERS)}"


def build_endpoints(namespace: str) -> list[Json]:
    return [dns_endpoint(f"{namespace}-{number}", namespace=namespace) for number in range(MANY)]


def test_the_records_of_a_deleted_namespace_go_and_that_of_an_object_with_a_finalizer_stays_until_it_is_gone(
    life: Life, shop: str
) -> None:
    kept = build_service("kept", shop, finalizers=["acme.test/keep"])
    life.begin(*build_services(shop, 3), kept, build_service("other", f"{shop}-b"))
    life.cluster.delete_namespace(shop)
    life.until(lambda: set(life.published()) == {f"kept.{ZONE}", f"other.{ZONE}"})
    life.pass_grace_period()
    assert set(life.published()) == {f"kept.{ZONE}", f"other.{ZONE}"}
    path = f"/api/v1/namespaces/{shop}/services/kept"
    life.cluster.raw_client.send("PATCH", path, {"metadata": {"finalizers": None}}, content_type=MERGE)
    life.until(lambda: life.cluster.get("Namespace", "", shop) is None)
    life.until(lambda: set(life.published()) == {f"other.{ZONE}"})
    life.end()


def test_the_records_of_services_that_garbage_collection_deletes_with_their_owner_are_deleted(
    life: Life, shop: str
) -> None:
    owner = life.cluster.put({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app", "namespace": shop}})
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "app", "uid": owner["metadata"]["uid"]}
    owned = [build_service(f"owned-{number}", shop, ownerReferences=[reference]) for number in range(3)]
    life.begin(*owned, build_service("other", shop))
    life.cluster.delete("ConfigMap", shop, "app")
    life.until(lambda: set(life.published()) == {f"other.{ZONE}"})
    life.end()


def test_a_delete_during_a_gap_in_the_watch_is_made_after_the_history_was_compacted(life: Life, shop: str) -> None:
    life.begin(*build_services(shop, 4))
    life.send_signal(signal.SIGSTOP)
    life.cluster.delete("Service", shop, f"{shop}-0")
    life.cluster.put(build_service("new", shop))
    life.cluster.expire()
    life.send_signal(signal.SIGCONT)
    life.until_published()
    assert life.deleted() == {f"{shop}-0.{ZONE}"}
    life.end()


def test_a_killed_api_server_costs_no_record_and_later_changes_are_published(life: Life, shop: str) -> None:
    life.begin(*build_services(shop))
    for number in range(2):
        life.cluster.kill()
        life.cluster.start()
        life.cluster.put(build_service(f"{shop}-0", shop, f"192.0.2.{number + 2}"))
        life.until_published()
    life.cluster.kill()
    life.cluster.start()
    life.cluster.delete("Service", shop, f"{shop}-1")
    life.until_published()
    assert life.deleted() == {f"{shop}-1.{ZONE}"}
    life.end()


def test_a_rolling_restart_of_the_api_server_costs_no_record_and_later_changes_are_published(
    life: Life, shop: str
) -> None:
    life.begin(*build_services(shop))
    for number in range(2):
        life.cluster.delete("Service", shop, f"{shop}-{number}")
        life.cluster.roll()
        life.cluster.put(build_service(f"new-{number}", shop))
    life.until_published()
    assert life.deleted() == {f"{shop}-{number}.{ZONE}" for number in range(2)}
    life.end()


def test_no_record_goes_if_etcd_is_emptied_and_all_are_right_after_the_objects_were_restored(
    life: Life, shop: str
) -> None:
    life.begin(*build_services(shop))
    before = life.published()
    life.cluster.restart(keep=False)
    life.until_logged("Unauthorized")
    life.release.apply()
    life.cluster.put(build_service("new", shop))
    life.until(lambda: f"new.{ZONE}" in life.published())
    life.until_logged("Deletes are held")
    assert life.published() == before | {f"new.{ZONE}": ("192.0.2.1",)}
    life.cluster.put_all([*build_services(shop), build_service(f"{shop}-3", shop, "192.0.2.9")])
    life.until_published()
    assert life.deleted() == set()
    life.end()


def test_no_record_goes_if_another_empty_cluster_answers_at_the_address(life: Life, shop: str) -> None:
    life.begin(*build_services(shop))
    before = life.published()
    life.send_signal(signal.SIGSTOP)
    life.cluster.restart(keep=False)
    life.release.apply()
    life.cluster.put(build_service("new", shop))
    life.send_signal(signal.SIGCONT)
    life.until(lambda: f"new.{ZONE}" in life.published())
    life.until_logged("Deletes are held")
    assert life.published() == before | {f"new.{ZONE}": ("192.0.2.1",)}
    life.end()


def test_the_records_of_dnsendpoints_stay_while_their_crd_is_removed_and_installed_again(life: Life, shop: str) -> None:
    endpoints = build_endpoints(shop)
    life.begin(*endpoints, build_service("other", shop))
    before, kind = life.published(), life.cluster.catalogue.find_by_name("DNSEndpoint")
    life.cluster.unregister(kind)
    life.until(lambda: "not-served" in life.process.get("/readyz")[1])
    life.pass_grace_period()
    assert life.published() == before
    life.cluster.register(kind)
    life.until_logged("Deletes are held")
    life.pass_grace_period()
    assert life.published() == before
    life.cluster.put_all(endpoints)
    life.until_published()
    assert life.deleted() == {f"tick.{ZONE}"}
    life.end()


def test_no_record_goes_while_rights_are_withdrawn_and_deletes_are_made_once_they_are_back(
    life: Life, shop: str
) -> None:
    life.begin(*build_services(shop))
    before = life.published()
    life.cluster.raw_client.send("DELETE", BINDING)
    life.cluster.restart(new_history=False)  # an open watch goes on without rights
    life.until_logged("forbidden")
    life.cluster.delete("Service", shop, f"{shop}-1")
    life.until(lambda: "forbidden" in life.process.get("/readyz")[1])
    assert life.published() == before
    life.release.apply()
    life.until_published()
    assert life.deleted() == {f"{shop}-1.{ZONE}"}
    life.end()


def write_bound_token(release: Release) -> Callable[[], object]:
    """Write a token that is bound to a Secret. Return what deletes the Secret."""
    secrets, client = f"/api/v1/namespaces/{NAMESPACE}/secrets", release.cluster.raw_client
    secret = client.send("POST", secrets, {"metadata": {"name": "bound"}}).body
    bound = {"apiVersion": "v1", "kind": "Secret", "name": "bound", "uid": secret["metadata"]["uid"]}
    release.renew_token(boundObjectRef=bound)
    return lambda: client.send("DELETE", f"{secrets}/bound")


def write_short_token(release: Release) -> Callable[[], object]:
    """Write a token that is valid for some seconds. Return what waits for its end."""
    until_s = time() + 5
    release.write_short_token(until_s=until_s)
    return lambda: release.cluster.until(lambda: time() > until_s + 1)


@pytest.mark.parametrize("write", [write_bound_token, write_short_token], ids=["its Secret is gone", "expired"])
def test_no_record_goes_while_the_token_is_invalid_and_a_new_one_is_read_from_its_file(
    life: Life, shop: str, cluster: Cluster, write: Callable[[Release], Callable[[], object]]
) -> None:
    life.begin(*build_services(shop))
    before = life.published()
    invalidate = write(life.release)
    life.restart()
    invalidate()
    cluster.restart(new_history=False)  # which remembers valid tokens for 10 s, and does not end watches
    life.until_logged("Unauthorized")
    cluster.delete("Service", shop, f"{shop}-1")
    assert life.published() == before
    life.release.renew_token()
    life.until_published()
    assert life.deleted() == {f"{shop}-1.{ZONE}"}
    life.end()


def test_after_etcd_was_restored_from_an_older_snapshot_the_records_are_those_of_its_objects(
    life: Life, shop: str
) -> None:
    life.begin(*build_services(shop, 3))
    snapshot = life.cluster.take_snapshot()
    life.cluster.put(build_service("new", shop))
    life.cluster.delete("Service", shop, f"{shop}-0")
    life.until_published()
    life.cluster.restore_snapshot(snapshot)
    life.until_published()
    assert life.deleted() == {f"new.{ZONE}", f"{shop}-0.{ZONE}"}
    life.end()


def build_refusal(namespace: str, reason: str) -> list[Json]:
    """Return an admission policy that refuses statuses and Events in *namespace*, and its binding."""
    rules = [
        {"apiGroups": [group], "apiVersions": ["*"], "operations": ["*"], "resources": [resource]}
        for group, resource in ((DNS_ENDPOINT.group, STATUS), ("events.k8s.io", "events"))
    ]
    where = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}}}
    policy = {
        "matchConstraints": {"resourceRules": rules, **where},
        "validations": [{"expression": "false", "message": "not here", "reason": reason}],
    }
    return [
        {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": namespace}, "spec": spec}
        for kind, spec in (
            ("ValidatingAdmissionPolicy", policy),
            ("ValidatingAdmissionPolicyBinding", {"policyName": namespace, "validationActions": ["Deny"]}),
        )
    ]


@pytest.mark.parametrize("reason", ["Invalid", "Forbidden"])
def test_names_are_published_while_admission_refuses_statuses_and_events_which_are_written_afterwards(
    life: Life, shop: str, reason: str
) -> None:
    def put(name: str) -> None:
        bad = build_service(f"{name}-bad", shop)
        bad["metadata"]["annotations"][f"{PREFIX}hostname"] = "a..b"
        life.cluster.put_all([bad, dns_endpoint(name, namespace=shop)])

    def is_refused() -> bool:
        path = f"{DNS_ENDPOINT.path.rpartition('/')[0]}/namespaces/{shop}/{STATUS.replace('/', '/first/')}?dryRun=All"
        return life.cluster.raw_client.send("PATCH", path, {"status": {}}, content_type=MERGE).code >= 400

    def find_denied() -> set[str]:
        return {
            one["objectRef"]["resource"]
            for one in life.cluster.read_audit_log()
            if one.get("objectRef", {}).get("namespace") == shop and one["responseStatus"]["code"] in {403, 422}
        }

    policy = build_list(build_refusal(shop, reason))
    life.begin(dns_endpoint("first", namespace=shop))
    life.cluster.kubectl("apply", "--server-side", "-f", "-", stdin=policy)
    life.until(is_refused)
    put("web")
    life.until_published()
    life.until(lambda: find_denied() == {"dnsendpoints", "events"})
    life.cluster.kubectl("delete", "-f", "-", stdin=policy)
    life.until(lambda: not is_refused())
    put("later")
    life.until(lambda: "status" in (life.cluster.get("DNSEndpoint", shop, "later") or {}))
    events = f"/apis/events.k8s.io/v1/namespaces/{shop}/events"
    life.until(lambda: [one["regarding"]["name"] for one in life.cluster.raw_client.get(events).body["items"]])
    assert life.deleted() == set()
    life.end()


def test_the_records_of_a_headless_service_follow_its_pods_and_endpoint_slices(life: Life, shop: str) -> None:
    labels = {"app": "web"}
    spec = {"clusterIP": "None", "selector": labels, "ports": [{"port": 80}]}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node"}}
    life.cluster.put(node)  # EndpointSlices contain no Pods of unknown nodes
    life.begin(build_service("web", shop, "") | {"spec": spec, "status": {"loadBalancer": {}}})

    def put_pod(number: int, *, ready: bool) -> None:
        condition = {"type": "Ready", "status": str(ready), "lastTransitionTime": None}
        address = f"10.0.0.{number}"
        status = {"phase": "Running", "podIP": address, "podIPs": [{"ip": address}], "conditions": [condition]}
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"web-{number}", "namespace": shop, "labels": labels},
            "spec": {"nodeName": "node", "containers": [{"name": "web", "image": "web"}]},
        }
        found = life.cluster.get("Pod", shop, f"web-{number}") or pod
        life.cluster.put(found | {"status": status})

    for number in (1, 2):
        put_pod(number, ready=True)
    life.until(lambda: life.published() == {f"web.{ZONE}": ("10.0.0.1", "10.0.0.2")})
    put_pod(1, ready=False)
    life.until(lambda: life.published() == {f"web.{ZONE}": ("10.0.0.2",)})
    life.cluster.raw_client.send("DELETE", f"/api/v1/namespaces/{shop}/pods/web-2?gracePeriodSeconds=0")
    life.until(lambda: life.published() == {})
    life.end()


def test_changes_in_any_order_are_published_although_servers_and_credentials_change(life: Life, shop: str) -> None:
    life.begin(*build_services(shop))
    names = [f"{shop}-{number}" for number in range(MANY)]
    gone = life.random.sample(names, 4)  # fewer than are held
    steps: list[Callable[[], object]] = [
        *(partial(life.cluster.delete, "Service", shop, name) for name in gone),
        *(partial(life.cluster.put, build_service(f"new-{number}", shop)) for number in range(4)),
        *(partial(life.cluster.put, build_service(name, shop, "192.0.2.9")) for name in set(names) - set(gone)),
        life.cluster.expire,
        partial(life.cluster.restart, new_history=False),
        life.release.renew_token,
    ]
    life.random.shuffle(steps)
    for step in steps:
        step()
    life.until_published()
    assert life.deleted() == {f"{name}.{ZONE}" for name in gone}
    life.end()
