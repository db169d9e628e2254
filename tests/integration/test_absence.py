"""A 404 counts as absence only if the API server's answer names this very object as missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from extdns.controller.clock import SystemClock
from extdns.errors import ApiError, ExtdnsError
from extdns.kube.api import ApiClient
from extdns.kube.cluster_access import ClusterAccess
from extdns.kube.lease_store import LeaseStore
from extdns.kube.live.existence import GET_BURST, ExistenceChecker
from extdns.kube.state_store import ConfigMapStateStore
from extdns.model.kind import ObjectKey
from extdns.resources.core import SERVICE
from tests.clusters import REQUEST_TIMEOUT_S, service
from tests.fakes.apiserver.faults import Empty, Fault, Html, Refuse, Swapped, Terse
from tests.fakes.apiserver.server import ApiServer

WEB: Final = ObjectKey(SERVICE, "shop", "web")
GONE: Final = ObjectKey(SERVICE, "shop", "gone")


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer() as running:
        running.put(service("web"))
        yield running


@pytest.fixture
def api(server: ApiServer, tmp_path: Path) -> ApiClient:
    access = ClusterAccess(
        kubeconfig=str(server.kubeconfig(tmp_path / "kubeconfig")), request_timeout_s=REQUEST_TIMEOUT_S
    )
    return ApiClient(access)


@pytest.fixture
def existence(api: ApiClient) -> ExistenceChecker:
    return ExistenceChecker(api, 500)


def test_after_a_404_that_names_no_object_a_list_decides_whether_the_object_exists(
    server: ApiServer, existence: ExistenceChecker
) -> None:
    server.faults.arm(Terse(), resource="services", times=None)
    assert existence.exists(GONE) is False
    assert existence.exists(WEB) is True
    (listed,) = server.log.requests("list", "services")
    assert listed.query["fieldSelector"] == "metadata.name=gone"


def test_an_object_exists_if_the_list_has_it_although_one_404_named_no_object(
    server: ApiServer, existence: ExistenceChecker
) -> None:
    server.faults.arm(Refuse(code=404), verb="get", resource="services")
    assert existence.exists(WEB) is True


UNUSABLE: Final = [
    pytest.param(Html(code=404), "does not come from the API server", id="404-from-a-proxy"),
    pytest.param(Html(), "the response is not a Service", id="html-with-200"),
    pytest.param(Html(code=302), "302 Found", id="a-redirect"),
    pytest.param(Swapped(), "the response is Foo example.org/v99; expected: Service v1", id="another-kind"),
    pytest.param(Refuse(code=410), "410 Gone", id="410"),
    pytest.param(Refuse(code=500), "500 Internal Server Error", id="500"),
]


@pytest.mark.parametrize(("fault", "message"), UNUSABLE)
def test_an_existence_check_raises_an_error_after_an_unusable_answer_to_the_get_and_succeeds_when_repeated(
    server: ApiServer, existence: ExistenceChecker, fault: Fault, message: str
) -> None:
    server.faults.arm(fault, verb="get", resource="services")
    with pytest.raises(ApiError, match=message):
        existence.exists(WEB)
    assert existence.exists(WEB) is True


def test_an_existence_check_raises_an_error_if_the_404_names_no_object_and_the_list_is_forbidden(
    server: ApiServer, existence: ExistenceChecker
) -> None:
    server.faults.arm(Terse(), resource="services", times=None)
    server.forbid("list", "services")
    with pytest.raises(ApiError, match="does not name the object, and listing it failed"):
        existence.exists(GONE)


# Many existence checks at once


def test_5000_existence_checks_cost_a_burst_of_gets_and_one_list(server: ApiServer, api: ApiClient) -> None:
    existence = ExistenceChecker(api, 500, scope=lambda _: "", monotonic=lambda: 0.0)
    answers = {existence.exists(ObjectKey(SERVICE, "shop", f"gone-{number}")) for number in range(5000)}
    assert answers == {False}
    assert existence.exists(WEB) is True
    assert len(server.log.requests("get", "services")) == GET_BURST
    assert len(server.log.requests("list", "services")) == 1


def test_an_existence_check_raises_an_error_if_the_list_lacks_an_object_that_an_earlier_get_found(
    server: ApiServer, api: ApiClient
) -> None:
    existence = ExistenceChecker(api, 500, scope=lambda _: "", monotonic=lambda: 0.0)
    server.faults.arm(Empty(), verb="list", resource="services", times=None)
    assert existence.exists(WEB) is True
    for number in range(int(GET_BURST) - 1):
        assert existence.exists(ObjectKey(SERVICE, "shop", f"gone-{number}")) is False
    for _ in range(2):
        with pytest.raises(ApiError, match="lacks service/shop/web, which a GET found"):
            existence.exists(GONE)
    assert len(server.log.requests("list", "services")) == 1


def test_the_limit_of_gets_per_second_refills_with_time(server: ApiServer, api: ApiClient) -> None:
    now_s = [0.0]
    existence = ExistenceChecker(api, 500, monotonic=lambda: now_s[0])
    for _ in range(60):
        existence.exists(WEB)
    now_s[0] = 1.0
    server.log.clear()
    for _ in range(20):
        existence.exists(WEB)
    assert len(server.log.requests("get", "services")) == 10


# State and election


def test_the_state_configmap_is_created_after_a_404_that_names_no_object(server: ApiServer, api: ApiClient) -> None:
    server.faults.arm(Terse(), resource="configmaps", times=None)
    store = ConfigMapStateStore(api, "dns", "extdns-state")
    assert store.read() is None
    store.update(lambda document: document | {"data": {"me": "{}"}})
    assert server.get("ConfigMap", "dns", "extdns-state") is not None


@pytest.mark.parametrize("fault", [Html(code=404), Html(), Refuse(code=404), Swapped()])
def test_after_an_answer_of_another_server_the_state_configmap_does_not_count_as_missing(
    server: ApiServer, api: ApiClient, fault: Fault
) -> None:
    store = ConfigMapStateStore(api, "dns", "extdns-state")
    store.update(lambda document: document | {"data": {"me": "{}"}})
    server.faults.arm(fault, verb="get", resource="configmaps")
    with pytest.raises(ExtdnsError):
        store.read()


@pytest.mark.parametrize("verb", ["create", "update"])
@pytest.mark.parametrize("fault", [Html(), Html(code=302), Swapped()])
def test_saving_state_fails_if_the_answer_is_not_the_written_configmap(
    server: ApiServer, api: ApiClient, fault: Fault, verb: str
) -> None:
    store = ConfigMapStateStore(api, "dns", "extdns-state")
    if verb == "update":
        store.update(lambda document: document | {"data": {"me": "1"}})
    server.faults.arm(fault, verb=verb, resource="configmaps")
    with pytest.raises(ExtdnsError):
        store.update(lambda document: document | {"data": {"me": "2"}})


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (Html(code=404), "404 Not Found: the response does not come from the API server"),
        (Html(), "Lease dns/extdns: the response is not a Lease"),
        (Refuse(code=404), "but a list contains the Lease"),
        (Swapped(), "Lease dns/extdns: the response is Foo; expected: Lease"),
    ],
)
def test_reading_a_lease_raises_an_error_after_a_wrong_answer_and_finds_its_holder_later(
    server: ApiServer, api: ApiClient, fault: Fault, message: str
) -> None:
    store = LeaseStore(api, "dns", "extdns")
    store.write(holder="other", expected_version="", duration_s=15.0, now=SystemClock().now())
    server.faults.arm(fault, verb="get", resource="leases")
    with pytest.raises(ApiError, match=message):
        store.read()
    term = store.read()
    assert term is not None
    assert term.holder == "other"
