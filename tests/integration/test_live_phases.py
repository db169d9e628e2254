"""The phases of a live cluster's kinds (listing, synced, forbidden, ...) and its existence checks."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
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
from tests.cluster_changes import PhaseSummary, ProblemSummary, added, edited, removed, summarize_changes, synced
from tests.clusters import (
    MAX_WAIT_S,
    SHORT_TIMEOUT_S,
    check_existence,
    list_changes_until_added,
    live_cluster,
    phase_in,
    service,
    wait_for_changes,
    wait_until_synced,
)
from tests.fakes.apiserver.faults import Drop, Fault, Html, Refuse, Spoil, Stall
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.apiserver.watches import Order

WEB: Final = ObjectKey(SERVICE, "shop", "web")


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer() as running:
        for name in ("web", "api", "job"):
            running.put(service(name))
        yield running


@pytest.fixture
def cluster(server: ApiServer, tmp_path: Path) -> Iterator[LiveCluster]:
    made = live_cluster(server, tmp_path)
    yield made
    made.close()


@pytest.fixture
def impatient_cluster(server: ApiServer, tmp_path: Path) -> Iterator[LiveCluster]:
    made = live_cluster(server, tmp_path, timeout_s=SHORT_TIMEOUT_S)
    yield made
    made.close()


ALL: Final = [added(SERVICE, "shop/api"), added(SERVICE, "shop/job"), added(SERVICE, "shop/web"), synced(SERVICE)]


def test_a_forbidden_kind_is_reported_with_the_reason_and_synced_once_permitted(
    server: ApiServer, cluster: LiveCluster
) -> None:
    server.forbid("list", "services")
    server.forbid("watch", "services")
    cluster.require(SERVICE)
    (forbidden,) = wait_for_changes(cluster)
    assert isinstance(forbidden, KindChange)
    assert forbidden.state.phase is Phase.FORBIDDEN
    assert 'User "tester" cannot watch resource "services"' in forbidden.state.detail
    assert cluster.require(SERVICE) == forbidden.state
    server.permit("list", "services")
    server.permit("watch", "services")
    assert wait_until_synced(cluster, SERVICE) == ALL


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
    caplog.set_level(logging.INFO)
    cluster = live_cluster(server, tmp_path, failing_after_s=MAX_WAIT_S)
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


def test_a_kind_is_not_served_after_a_404_and_synced_once_it_is_served(server: ApiServer, cluster: LiveCluster) -> None:
    kind = server.catalogue.find_by_name("Service")
    server.unregister("Service", deleting=False)
    cluster.require(SERVICE)
    (missing,) = wait_for_changes(cluster)
    assert isinstance(missing, KindChange)
    assert (missing.state.phase, missing.state.detail) == (
        Phase.NOT_SERVED,
        "GET /api/v1/services: 404 Not Found",
    )
    server.register(kind)
    assert wait_until_synced(cluster, SERVICE) == ALL


def test_objects_of_a_kind_that_is_no_longer_served_stay_in_the_cache(server: ApiServer, cluster: LiveCluster) -> None:
    wait_until_synced(cluster, SERVICE)
    kind = server.catalogue.find_by_name("Service")
    server.unregister("Service", deleting=False)
    assert summarize_changes(wait_for_changes(cluster)) == [PhaseSummary(SERVICE, Phase.NOT_SERVED)]
    assert len(cluster.view.select(SERVICE, "", {})) == 3
    server.register(kind)
    assert summarize_changes(wait_for_changes(cluster)) == [synced(SERVICE)]
    server.unregister("Service", deleting=True)
    gone = summarize_changes(wait_for_changes(cluster, lambda changes: phase_in(changes) is Phase.NOT_SERVED))
    assert gone == [
        *(removed(SERVICE, f"shop/{name}") for name in ("api", "job", "web")),
        PhaseSummary(SERVICE, Phase.NOT_SERVED),
    ]


def test_services_are_synced_while_the_list_of_ingresses_fails(server: ApiServer, cluster: LiveCluster) -> None:
    server.faults.arm(Refuse(code=500), resource="ingresses", times=None)
    cluster.require(INGRESS)
    assert summarize_changes(wait_for_changes(cluster)) == [PhaseSummary(INGRESS, Phase.FAILING)]
    assert wait_until_synced(cluster, SERVICE) == ALL


def test_a_kind_whose_watch_cannot_be_started_is_failing_and_other_kinds_are_synced(
    server: ApiServer, tmp_path: Path
) -> None:
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


def test_a_listed_object_without_a_valid_name_is_reported_and_no_object_is_dropped(
    server: ApiServer, cluster: LiveCluster
) -> None:
    wait_until_synced(cluster, SERVICE)
    spoiled = server.faults.arm(Spoil("web", {"metadata": {"name": 5}}), resource="services")
    server.expire()
    server.end_watches(Order.EXPIRE)
    spoiled.wait()
    (problem,) = list_changes_until_added(server, cluster)
    assert isinstance(problem, ProblemSummary)
    assert problem.location == "some Service"
    assert problem.message.startswith("an object of this kind cannot be identified")


def test_existence_is_checked_by_get_or_by_list_if_get_is_forbidden(server: ApiServer, cluster: LiveCluster) -> None:
    gone = ObjectKey(SERVICE, "shop", "gone")
    assert (cluster.exists(WEB), cluster.exists(gone)) == (True, False)
    assert server.log.requests("list") == ()
    server.forbid("get", "services")
    assert (cluster.exists(WEB), cluster.exists(gone)) == (True, False)
    assert [request.namespace for request in server.log.requests("list")] == ["shop"] * 2  # one list of two pages
    server.forbid("list", "services")
    assert check_existence(cluster, ObjectKey(SERVICE, "pay", "web")) is None


@pytest.mark.parametrize(
    ("fault", "times"),
    [
        pytest.param(Refuse(code=500), 1, id="500"),
        pytest.param(Refuse(code=404), 2, id="404-of-something-else"),
        pytest.param(Html(), 1, id="html"),
        pytest.param(Drop(), 1, id="dropped"),
    ],
)
def test_existence_is_unknown_after_a_failed_request(
    server: ApiServer, cluster: LiveCluster, fault: Fault, times: int
) -> None:
    server.faults.arm(fault, resource="services", times=times)
    assert check_existence(cluster, ObjectKey(SERVICE, "shop", "gone")) is None
    assert check_existence(cluster, ObjectKey(SERVICE, "shop", "..")) is None


def test_existence_is_unknown_after_a_request_without_an_answer(
    server: ApiServer, impatient_cluster: LiveCluster
) -> None:
    server.faults.arm(Stall(), resource="services")
    assert check_existence(impatient_cluster, ObjectKey(SERVICE, "shop", "gone")) is None


def test_existence_of_an_object_is_unknown_while_its_kind_is_not_served(
    server: ApiServer, cluster: LiveCluster
) -> None:
    server.unregister("Service")
    assert check_existence(cluster, WEB) is None


def test_closing_the_cluster_ends_its_watch_threads_and_makes_existence_unknown(cluster: LiveCluster) -> None:
    wait_until_synced(cluster, SERVICE)
    before = {thread.name for thread in threading.enumerate()}
    assert "services" in before
    cluster.close()
    assert "services" not in {thread.name for thread in threading.enumerate()}
    assert cluster.take(0) == ()
    assert check_existence(cluster, WEB) is None


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
