"""Requests to an API server over real sockets: answers, streams and failures."""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from extdns.errors import ApiError, ConflictError, DeniedError, ExpiredError, NotFoundError
from extdns.kube import connections
from extdns.kube.api import ApiClient
from extdns.kube.cluster_access import ClusterAccess
from extdns.model.api_request import UNANSWERED, ApiRequest
from tests.clusters import MAX_WAIT_S, REQUEST_TIMEOUT_S, SHORT_TIMEOUT_S, service
from tests.fakes.apiserver.faults import Cut, Drop, Fault, Html, Refuse, Slow, Stall
from tests.fakes.apiserver.server import ApiServer

SERVICES = "/api/v1/services"
WEB = "/api/v1/namespaces/shop/services/web"
SECRET = "s3cr3t-t0ken"


@pytest.fixture(params=[False, True], ids=["http", "https"])
def server(request: pytest.FixtureRequest) -> Iterator[ApiServer]:
    with ApiServer(tls=request.param, token=SECRET) as running:
        running.put(service("web"))
        yield running


@pytest.fixture
def plain() -> Iterator[ApiServer]:
    with ApiServer(token=SECRET) as running:
        running.put(service("web"))
        yield running


def api_of(server: ApiServer, folder: Path, fault: Fault | None = None) -> ApiClient:
    """Return a client of *server*; it waits only for a short time if *fault* leaves requests without an answer."""
    timeout_s = SHORT_TIMEOUT_S if isinstance(fault, Stall | Slow) else REQUEST_TIMEOUT_S
    access = ClusterAccess(kubeconfig=str(server.kubeconfig(folder / "kubeconfig")), request_timeout_s=timeout_s)
    return ApiClient(access)


def format_traceback(error: BaseException) -> str:
    """Return the full traceback of *error* as text."""
    return "".join(traceback.format_exception(error))


def test_the_api_client_returns_the_body_of_a_get_as_bytes(server: ApiServer, tmp_path: Path) -> None:
    api = api_of(server, tmp_path)
    assert json.loads(api.get(WEB))["metadata"]["name"] == "web"
    assert len(json.loads(api.get(SERVICES, {"limit": "1"}))["items"]) == 1
    assert server.log.requests("get", "services")[0].user_agent.startswith("extdns/")


def test_every_request_is_reported_to_the_observer_with_its_status_or_as_unanswered(
    plain: ApiServer, tmp_path: Path
) -> None:
    observed: list[ApiRequest] = []
    access = ClusterAccess(kubeconfig=str(plain.kubeconfig(tmp_path / "kubeconfig")), observe_request=observed.append)
    api = ApiClient(access)
    api.get(SERVICES, {"limit": "1"})
    with pytest.raises(ApiError):
        api.get(f"{SERVICES}/none")
    plain.faults.arm(Drop())
    with pytest.raises(ApiError):
        api.get(SERVICES)
    assert [(one.method, one.url, one.status) for one in observed] == [
        ("GET", f"{plain.url}{SERVICES}", 200),
        ("GET", f"{plain.url}{SERVICES}/none", 404),
        ("GET", f"{plain.url}{SERVICES}", UNANSWERED),
    ]


def test_a_stream_yields_each_line_as_it_arrives_and_ends_when_the_server_ends_it(
    server: ApiServer, tmp_path: Path
) -> None:
    api = api_of(server, tmp_path)
    with api.stream(SERVICES, {"watch": "1", "resourceVersion": str(server.version)}) as stream:
        lines = stream.read_lines()
        server.put(service("api"))
        server.put(service("job"))
        names = [json.loads(next(lines))["object"]["metadata"]["name"] for _ in range(2)]
        server.end_watches()
        assert list(lines) == []
    assert names == ["api", "job"]


FAULTS = [
    pytest.param(Drop(), ApiError, "the connection was cut", id="dropped"),
    pytest.param(Stall(), ApiError, "the response timed out", id="silent"),
    pytest.param(Stall(0), ApiError, "the response timed out", id="silent-after-the-headers"),
    pytest.param(Cut(), ApiError, "the connection was cut", id="cut"),
    pytest.param(Slow(1, 0.05), ApiError, "the response was not complete after 0.5 s", id="trickling"),
    pytest.param(Refuse(code=401), DeniedError, "401 Unauthorized: armed by a test", id="401"),
    pytest.param(Refuse(code=403), DeniedError, "403 Forbidden: armed by a test", id="403"),
    pytest.param(Refuse(code=404), NotFoundError, "404 Not Found: armed by a test", id="404"),
    pytest.param(Refuse(code=409), ConflictError, "409 Conflict: armed by a test", id="409"),
    pytest.param(Refuse(code=410), ExpiredError, "410 Gone: armed by a test", id="410"),
    pytest.param(Refuse(code=429, retry_after_s=3), ApiError, "429 Too Many Requests: armed by a test", id="429"),
    pytest.param(Refuse(code=500), ApiError, "500 Internal Server Error: armed by a test", id="500"),
]


@pytest.mark.parametrize(("fault", "error", "message"), FAULTS)
def test_every_failed_request_raises_an_api_error_that_names_the_request(
    plain: ApiServer, tmp_path: Path, fault: Fault, error: type[ApiError], message: str
) -> None:
    api = api_of(plain, tmp_path, fault)
    plain.faults.arm(fault)
    with pytest.raises(ApiError) as raised:
        api.get(SERVICES)
    assert type(raised.value) is error
    assert str(raised.value).startswith(f"GET {SERVICES}: ")
    assert message in str(raised.value)
    assert raised.value.retry_after_s == (3 if raised.value.code == 429 else None)
    assert SECRET not in format_traceback(raised.value)
    plain.faults.clear()
    assert api_of(plain, tmp_path).get(SERVICES)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        pytest.param(Cut(1), "the connection was cut", id="cut-in-mid-line"),
        pytest.param(Stall(1), "the response timed out", id="half-open"),
        pytest.param(Drop(), "the connection was cut", id="dropped"),
        pytest.param(Refuse(code=500), "500 Internal Server Error: armed by a test", id="500"),
    ],
)
def test_a_broken_stream_raises_an_api_error_with_the_cause(
    plain: ApiServer, tmp_path: Path, fault: Fault, message: str
) -> None:
    plain.put(service("api"))
    plain.faults.arm(fault)
    with pytest.raises(ApiError) as raised, api_of(plain, tmp_path, fault).stream(SERVICES, {"watch": "1"}) as stream:
        list(stream.read_lines())
    assert str(raised.value).endswith(message)


def test_a_stream_of_json_that_ends_without_a_line_end_raises_an_api_error(plain: ApiServer, tmp_path: Path) -> None:
    plain.faults.arm(Html())
    api = api_of(plain, tmp_path)
    with api.stream(SERVICES, {"watch": "1"}) as stream:
        assert b"Please sign in" in b"".join(stream.read_lines())
    with (
        pytest.raises(ApiError, match="ended in the middle of a line"),
        api.stream(SERVICES, {}) as stream,
    ):
        list(stream.read_lines())  # the body of a list has no line end


def test_the_idle_timeout_of_a_stream_can_be_longer_than_the_request_timeout(plain: ApiServer, tmp_path: Path) -> None:
    with api_of(plain, tmp_path).stream(SERVICES, {"watch": "1", "timeoutSeconds": "1"}) as stream:
        stream.set_idle_timeout(MAX_WAIT_S)
        assert len(list(stream.read_lines())) == 1  # the server ends the stream, after three times the request timeout


def test_a_line_or_response_above_the_size_limit_raises_an_api_error(
    plain: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_MAX_LINE_BYTES", 1 << 20)
    plain.put(service("large", annotations={"note": "x" * (3 << 20)}))
    api = api_of(plain, tmp_path)
    with (
        pytest.raises(ApiError, match="a line is larger than 1 MiB"),
        api.stream(SERVICES, {"watch": "1"}) as stream,
    ):
        list(stream.read_lines())
    with pytest.raises(ApiError, match="the response is larger than 2 MiB"):
        api.get(SERVICES, max_bytes=2 << 20)


@pytest.mark.parametrize(
    "fault", [pytest.param(None, id="open-stream-is-silent"), pytest.param(Stall(), id="request-is-unanswered")]
)
def test_closing_the_api_client_cuts_its_open_stream_and_rejects_later_requests(
    server: ApiServer, tmp_path: Path, fault: Fault | None
) -> None:
    access = ClusterAccess(kubeconfig=str(server.kubeconfig(tmp_path / "kubeconfig")), request_timeout_s=MAX_WAIT_S)
    api = ApiClient(access)
    broken: list[ApiError] = []
    armed = server.faults.arm(fault, verb="watch") if fault is not None else None

    def watch() -> None:
        try:
            with api.stream(SERVICES, {"watch": "1"}) as stream:
                stream.set_idle_timeout(MAX_WAIT_S)
                list(stream.read_lines())
        except ApiError as exc:
            broken.append(exc)

    thread = Thread(target=watch)
    thread.start()
    if armed is not None:
        armed.wait()
    else:
        server.log.wait_for("watch", "services")
    api.close()
    thread.join(MAX_WAIT_S / 2)
    assert not thread.is_alive()
    assert len(broken) == 1
    with pytest.raises(ApiError, match="extdns is shutting down"):
        api.get(SERVICES)


def test_a_refused_connection_is_reported_with_the_address_of_the_api_server(plain: ApiServer, tmp_path: Path) -> None:
    api = api_of(plain, tmp_path)
    plain.kill()
    with pytest.raises(ApiError) as raised:
        api.get(SERVICES)
    assert str(raised.value) == f"GET {SERVICES}: {plain.url}: no connection: Connection refused"


def test_a_server_certificate_of_another_authority_is_rejected(tmp_path: Path) -> None:
    with ApiServer(tls=True) as one, ApiServer(tls=True) as other:
        config = json.loads(one.kubeconfig(tmp_path / "kubeconfig").read_text())
        config["clusters"][0]["cluster"]["server"] = other.url
        (tmp_path / "kubeconfig").write_text(json.dumps(config))
        client = ApiClient(ClusterAccess(kubeconfig=str(tmp_path / "kubeconfig")))
        with pytest.raises(ApiError, match=r"TLS: .*certificate verify failed"):
            client.get(SERVICES)
