"""The phases of a live cluster's kinds (listing, synced, forbidden, ...) and its existence checks."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from extdns.kube.live.cluster import LiveCluster
from extdns.log import Event
from extdns.model.cluster import KindChange, Phase
from extdns.model.kind import ObjectKey
from extdns.ports import NotSyncedError
from extdns.resources.core import SERVICE
from extdns.resources.networking import INGRESS
from tests.cluster_changes import PhaseSummary, added, edited, summarize_changes, synced
from tests.clusters import (
    MAX_WAIT_S,
    QUICK,
    check_existence,
    list_changes_until_added,
    live_cluster,
    phase_in,
    service,
    wait_for_changes,
    wait_until_synced,
)
from tests.fakes.apiserver.faults import Drop, Refuse, Stall
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.apiserver.watches import Order

WEB: Final = ObjectKey(SERVICE, "shop", "web")


ALL: Final = [added(SERVICE, "shop/api"), added(SERVICE, "shop/job"), added(SERVICE, "shop/web"), synced(SERVICE)]


def test_with_expired_credentials_a_kind_is_unauthorized_at_once_with_a_message_that_names_them(tmp_path: Path) -> None:
    with ApiServer(token="expired") as server:
        cluster = live_cluster(server, tmp_path)
        wait_until_synced(cluster, SERVICE)
        server.access.token = "renewed"
        server.end_watches()
        (unauthorized,) = wait_for_changes(cluster)
        cluster.close()
    assert isinstance(unauthorized, KindChange)
    assert unauthorized.state.phase is Phase.UNAUTHORIZED
    assert unauthorized.state.detail == (
        "GET /api/v1/services: 401 Unauthorized: the credentials are expired or unknown: "
        f'user "tester" of context "test" in {tmp_path / "kubeconfig"}'
    )


@pytest.mark.parametrize("order", [Order.CUT, Order.EXPIRE])
def test_a_restarted_api_server_or_an_expired_watch_is_an_info_line_and_the_kind_stays_synced(
    server: ApiServer, tmp_path: Path, caplog: pytest.LogCaptureFixture, order: Order
) -> None:
    server.put_all(map(service, ("web", "api", "job")))
    caplog.set_level(logging.INFO)
    cluster = live_cluster(server, tmp_path, timing=replace(QUICK, failing_after_s=MAX_WAIT_S))
    wait_until_synced(cluster, SERVICE)
    refused = server.faults.arm(Drop(), resource="services", times=3)
    server.end_watches(order)
    refused.wait()
    assert list_changes_until_added(server, cluster) == []
    cluster.close()
    assert [record.levelno for record in caplog.records if record.msg == Event.WATCH_ENDED] == [logging.INFO]


def test_a_kind_is_forbidden_if_only_its_watch_is_forbidden(server: ApiServer, cluster: LiveCluster) -> None:
    server.forbid("watch", "services")
    cluster.require(SERVICE)
    assert summarize_changes(wait_for_changes(cluster)) == [PhaseSummary(SERVICE, Phase.FORBIDDEN)]
    server.permit("watch", "services")
    assert wait_until_synced(cluster, SERVICE) == ALL


def test_a_kind_whose_watch_cannot_be_started_is_failing_and_other_kinds_are_synced(
    server: ApiServer, tmp_path: Path
) -> None:
    server.put_all(map(service, ("web", "api", "job")))
    cluster = live_cluster(server, tmp_path, elsewhere={INGRESS: ["shop", "a b"]})
    cluster.require(INGRESS)
    (failing,) = wait_for_changes(cluster)
    assert isinstance(failing, KindChange)
    assert failing.state.phase is Phase.FAILING
    assert "'a b' is not a valid name or namespace" in failing.state.detail
    cluster.require(SERVICE)
    assert wait_until_synced(cluster, SERVICE) == ALL
    cluster.close()


def test_a_watch_is_retried_after_the_time_in_the_retry_after_header(server: ApiServer, cluster: LiveCluster) -> None:
    server.faults.arm(Refuse(code=429, retry_after_s=1), resource="services", times=1)
    assert wait_until_synced(cluster, SERVICE) == ALL
    assert len(server.log.requests("watch", "services")) == 2


def test_each_configured_namespace_has_its_own_watch_and_a_forbidden_namespace_does_not_stop_the_others(
    server: ApiServer, tmp_path: Path
) -> None:
    server.forbid("list", "services", "")
    server.forbid("watch", "services", "")
    server.put_all(map(service, ("web", "api", "job")))
    server.put(service("x", "pay"))
    cluster = live_cluster(server, tmp_path, namespaces=("shop", "pay", "shop"))
    try:
        assert wait_until_synced(cluster, SERVICE) == [added(SERVICE, "pay/x"), *ALL]
        assert {request.namespace for request in server.log.requests("watch", "services")} == {"pay", "shop"}
        server.forbid("*", "services", "pay")
        server.end_watches()
        assert summarize_changes(wait_for_changes(cluster)) == [PhaseSummary(SERVICE, Phase.FORBIDDEN)]
        server.put(service("web", type="ClusterIP"))
        assert summarize_changes(wait_for_changes(cluster)) == [edited(SERVICE, "shop/web")]
        server.permit("*", "services", "pay")
        assert summarize_changes(wait_for_changes(cluster)) == [synced(SERVICE)]
    finally:
        cluster.close()


def test_existence_is_checked_by_get_or_by_list_if_get_is_forbidden(server: ApiServer, cluster: LiveCluster) -> None:
    gone = ObjectKey(SERVICE, "shop", "gone")
    assert (cluster.exists(WEB), cluster.exists(gone)) == (True, False)
    assert server.log.requests("list") == ()
    server.forbid("get", "services")
    assert (cluster.exists(WEB), cluster.exists(gone)) == (True, False)
    assert [request.namespace for request in server.log.requests("list")] == ["shop"] * 2  # one list of two pages
    server.forbid("list", "services")
    assert check_existence(cluster, ObjectKey(SERVICE, "pay", "web")) is None


def test_requiring_a_kind_after_the_cluster_was_closed_starts_no_watch(server: ApiServer, cluster: LiveCluster) -> None:
    cluster.close()
    assert cluster.require(SERVICE).phase is Phase.LISTING
    assert "services" not in {thread.name for thread in threading.enumerate()}
    cluster.close()
    assert server.log.requests() == ()


def test_looking_up_objects_of_a_new_kind_starts_its_list_and_raises_not_synced(
    server: ApiServer, cluster: LiveCluster
) -> None:
    armed = server.faults.arm(Stall(), verb="watch", resource="services")
    with pytest.raises(NotSyncedError):
        cluster.view.select(SERVICE, "", {})
    armed.wait()
    assert summarize_changes(cluster.take(MAX_WAIT_S))[0] == PhaseSummary(SERVICE, Phase.LISTING)
    armed.release()
    assert summarize_changes(wait_for_changes(cluster, lambda changes: phase_in(changes) is Phase.SYNCED)) == ALL
