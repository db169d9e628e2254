"""How extdns learns which cluster is behind an address, and what it does when another cluster answers there."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from extdns.errors import ApiError
from extdns.kube import cluster_access
from extdns.kube.api import ApiClient
from extdns.kube.cluster_access import ClusterAccess
from extdns.kube.live.cluster import LiveCluster
from extdns.kube.live.identity_reader import IDENTITY_INTERVAL_S, digest_authority
from extdns.model.cluster import ClusterChange, ClusterIdentity, IdentityRead, ObjectChange, Sighting
from extdns.model.kind import ObjectKey
from extdns.resources.core import SERVICE
from tests.cluster_changes import added, edited, list_removed, removed, summarize_changes, synced
from tests.clusters import (
    MAX_WAIT_S,
    QUICK,
    REQUEST_TIMEOUT_S,
    list_changes_until_added,
    live_cluster,
    service,
    wait_for_changes,
    wait_until_synced,
)
from tests.fakes.apiserver.faults import Refuse
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.clocks import ShiftedClock

OLD, NEW = "11111111-0000-0000-0000-000000000001", "22222222-0000-0000-0000-000000000002"


def kube_system(uid: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": uid}}


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer() as running:
        running.put(kube_system(OLD))
        for name in ("web", "api", "job"):
            running.put(service(name))
        yield running


@pytest.fixture
def clock() -> ShiftedClock:
    return ShiftedClock()


@pytest.fixture
def cluster(server: ApiServer, tmp_path: Path, clock: ShiftedClock) -> Iterator[LiveCluster]:
    access = ClusterAccess(
        kubeconfig=str(server.kubeconfig(tmp_path / "kubeconfig")), request_timeout_s=REQUEST_TIMEOUT_S
    )
    api = ApiClient(access)
    made = LiveCluster(api, timing=QUICK, monotonic=clock.monotonic_s)
    yield made
    made.close()


def changes(cluster: LiveCluster, enough: Callable[[list[ClusterChange]], bool]) -> list[ClusterChange]:
    """Return the changes that *cluster* reports, up to the first time *enough* accepts them."""
    found: list[ClusterChange] = []
    until_s = time.monotonic() + MAX_WAIT_S
    while not enough(found):
        left_s = until_s - time.monotonic()
        assert left_s > 0, summarize_changes(found)
        found += cluster.take(left_s)
    return found


def identities(found: Iterable[ClusterChange]) -> list[ClusterIdentity]:
    return [one.identity for one in found if isinstance(one, IdentityRead)]


def test_the_identity_of_the_cluster_is_reported_before_its_objects(cluster: LiveCluster) -> None:
    cluster.require(SERVICE)
    first, *_ = changes(cluster, lambda found: len(summarize_changes(found)) > 1)
    assert identities([first]) == [ClusterIdentity(uid=OLD)]


def test_without_permission_to_get_namespaces_the_cluster_uid_is_unknown_and_requested_only_once(
    server: ApiServer, cluster: LiveCluster
) -> None:
    server.forbid("get", "namespaces")
    cluster.require(SERVICE)
    found = changes(cluster, lambda found: synced(SERVICE) in summarize_changes(found))
    assert identities(found) == [ClusterIdentity()]
    server.end_watches()
    list_changes_until_added(server, cluster)
    assert len(server.log.requests("get", "namespaces")) == 1


MOVED: Final = [kube_system(NEW), service("web", uid="w2", type="ClusterIP"), service("shop-only-there", uid="s2")]
AFTER_THE_SWAP: Final = {
    edited(SERVICE, "shop/web"),
    added(SERVICE, "shop/shop-only-there"),
    removed(SERVICE, "shop/api", Sighting.MISSING),
    removed(SERVICE, "shop/job", Sighting.MISSING),
}


@pytest.mark.parametrize("allowed", [True, False], ids=["uid-known", "uid-unknown"])
def test_another_cluster_at_the_same_address_is_listed_although_its_versions_are_higher(
    server: ApiServer, cluster: LiveCluster, *, allowed: bool
) -> None:
    if not allowed:
        server.forbid("get", "namespaces")
    wait_until_synced(cluster, SERVICE)
    assert list_changes_until_added(server, cluster, "open") == []
    server.swap(MOVED)
    found = changes(cluster, lambda found: set(summarize_changes(found)) >= AFTER_THE_SWAP)
    if allowed:
        assert [identity.uid for identity in identities(found)] == [NEW]
        assert isinstance(found[0], IdentityRead), "deletes must be held before anything is missing"


def test_an_empty_cluster_at_the_same_address_is_detected_without_permission_to_get_namespaces(
    server: ApiServer, cluster: LiveCluster
) -> None:
    server.forbid("get", "namespaces")
    wait_until_synced(cluster, SERVICE)
    server.swap([])
    found = changes(cluster, lambda found: sum(isinstance(one, ObjectChange) for one in found) == 3)
    assert set(list_removed(found)) == {
        removed(SERVICE, f"shop/{name}", Sighting.MISSING) for name in ("web", "api", "job")
    }


def test_a_cluster_swap_that_cuts_no_watch_is_detected_at_the_next_identity_check(
    server: ApiServer, cluster: LiveCluster, clock: ShiftedClock
) -> None:
    wait_until_synced(cluster, SERVICE)
    server.log.wait_for("watch", "services")
    server.swap(MOVED, order=None)
    clock.shift_s = IDENTITY_INTERVAL_S + 1
    cluster._monitor.wake()
    changes(cluster, lambda found: set(summarize_changes(found)) >= AFTER_THE_SWAP)


def test_an_existence_check_fails_if_another_cluster_answers(server: ApiServer, cluster: LiveCluster) -> None:
    gone = ObjectKey(SERVICE, "shop", "gone")
    assert cluster.exists(gone) is False
    server.swap(MOVED)
    with pytest.raises(ApiError, match="another cluster responds at this address now"):
        cluster.exists(gone)


def test_the_last_identity_is_kept_if_one_identity_check_fails(
    server: ApiServer, cluster: LiveCluster, clock: ShiftedClock
) -> None:
    wait_until_synced(cluster, SERVICE)
    clock.shift_s = IDENTITY_INTERVAL_S + 1
    armed = server.faults.arm(Refuse(code=500), verb="get", resource="namespaces")
    cluster._monitor.wake()
    armed.wait()
    (again,) = identities(changes(cluster, lambda found: bool(identities(found))))
    assert again == ClusterIdentity(uid=OLD)
    server.log.clear()
    server.put(service("web", type="ClusterIP"))
    assert summarize_changes(wait_for_changes(cluster)) == [edited(SERVICE, "shop/web")]


def test_no_object_is_read_after_a_reconnect_until_the_identity_of_the_cluster_is_read(
    server: ApiServer, cluster: LiveCluster
) -> None:
    """Objects of another cluster would change records before the identity shows that the cluster is another."""
    wait_until_synced(cluster, SERVICE)
    assert list_changes_until_added(server, cluster, "open") == []
    server.faults.arm(Refuse(code=500), verb="get", resource="namespaces", times=2)
    server.swap(MOVED)
    found = changes(cluster, lambda found: set(summarize_changes(found)) >= AFTER_THE_SWAP)
    first, *_ = (one for one in found if isinstance(one, IdentityRead | ObjectChange))
    assert identities([first]) == [ClusterIdentity(uid=NEW)]


def test_an_existence_check_fails_while_the_cluster_identity_cannot_be_read(
    server: ApiServer, cluster: LiveCluster
) -> None:
    gone = ObjectKey(SERVICE, "shop", "gone")
    assert cluster.exists(gone) is False
    server.faults.arm(Refuse(code=500), verb="get", resource="namespaces")
    server.swap(MOVED)
    with pytest.raises(ApiError, match="cannot verify that the same cluster still responds"):
        cluster.exists(gone)


def test_existence_checks_work_again_after_the_identity_was_unreadable_for_20_seconds(
    server: ApiServer, cluster: LiveCluster, clock: ShiftedClock
) -> None:
    gone = ObjectKey(SERVICE, "shop", "gone")
    assert cluster.exists(gone) is False
    server.faults.arm(Refuse(code=500), verb="get", resource="namespaces", times=2)
    with pytest.raises(ApiError, match="cannot verify that the same cluster still responds"):
        cluster.exists(gone)
    clock.shift_s = 21.0
    assert cluster.exists(gone) is False


def test_the_first_identity_check_is_retried_before_the_cluster_counts_as_unknown(
    server: ApiServer, cluster: LiveCluster, clock: ShiftedClock
) -> None:
    server.faults.arm(Refuse(code=500), verb="get", resource="namespaces", times=2)
    cluster.require(SERVICE)
    found = changes(cluster, lambda found: synced(SERVICE) in summarize_changes(found))
    clock.shift_s = 1.0
    cluster._monitor.wake()
    clock.shift_s = 5.0
    cluster._monitor.wake()
    found += changes(cluster, lambda more: bool(identities([*found, *more])))
    assert identities(found) == [ClusterIdentity(uid=OLD)]


def test_in_a_pod_the_identity_includes_token_issuer_and_certificate_authority(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    payload = base64.urlsafe_b64encode(json.dumps({"iss": "https://oidc.eks.example/id/7F3A"}).encode()).decode()
    token = f"e30.{payload.rstrip('=')}.c2ln"
    with ApiServer(tls=True, token=token) as server:
        (tmp_path / "token").write_text(token)
        (tmp_path / "ca.crt").write_bytes(server.ca)
        monkeypatch.setattr(cluster_access, "SERVICE_ACCOUNT", tmp_path)
        host, _, port = server.url.removeprefix("https://").partition(":")
        environ = {"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port, "HOME": str(tmp_path)}
        cluster = LiveCluster(
            ApiClient(ClusterAccess(request_timeout_s=MAX_WAIT_S), environ=environ),
            timing=QUICK,
            cluster_id="blue",
        )
        cluster.require(SERVICE)
        (identity,) = identities(changes(cluster, lambda found: synced(SERVICE) in summarize_changes(found)))
        cluster.close()
    expected = digest_authority(server.ca)
    assert expected
    assert identity == ClusterIdentity(
        issuer="https://oidc.eks.example/id/7F3A", authority=expected, configured_id="blue"
    )


def test_the_cluster_identity_does_not_include_the_issuer_of_a_token_in_a_kubeconfig(tmp_path: Path) -> None:
    """The token of another person for the same cluster may have another issuer."""
    with ApiServer(token="e30.eyJpc3MiOiJodHRwczovL2RleC5leGFtcGxlIn0.c2ln") as server:
        cluster = live_cluster(server, tmp_path)
        cluster.require(SERVICE)
        (identity,) = identities(changes(cluster, lambda found: synced(SERVICE) in summarize_changes(found)))
        cluster.close()
    assert identity == ClusterIdentity()
