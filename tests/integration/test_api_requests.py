"""Requests to an API server over real sockets: what comes back, and what goes wrong."""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from extdns.errors import ApiError, ConflictError, DeniedError, ExpiredError, NotFoundError
from extdns.kube import api as module
from extdns.kube.api import Api
from extdns.kube.client import Access, Client
from extdns.model.request import UNANSWERED, Request
from tests.clusters import PATIENCE_S, service
from tests.fakes.apiserver.faults import Cut, Drop, Fault, Html, Refuse, Slow, Stall
from tests.fakes.apiserver.server import ApiServer

SERVICES = "/api/v1/services"
WEB = "/api/v1/namespaces/shop/services/web"
TIMEOUT_S = 0.3
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


def api_of(server: ApiServer, folder: Path, **more: Any) -> Api:  # noqa: ANN401 - the arguments of Client
    access = Access(kubeconfig=str(server.kubeconfig(folder / "kubeconfig")), request_timeout_s=TIMEOUT_S)
    return Api(Client(access, **more), request_timeout_s=TIMEOUT_S)


def everything_about(error: BaseException) -> str:
    """All that a traceback would show."""
    return "".join(traceback.format_exception(error))


def test_answers_are_bytes(server: ApiServer, tmp_path: Path) -> None:
    api = api_of(server, tmp_path)
    assert json.loads(api.get(WEB))["metadata"]["name"] == "web"
    assert len(json.loads(api.get(SERVICES, {"limit": "1"}))["items"]) == 1
    assert server.log.requests("get", "services")[0].user_agent.startswith("extdns/")


def test_each_request_is_told_whether_answered_or_not(plain: ApiServer, tmp_path: Path) -> None:
    told: list[Request] = []
    access = Access(kubeconfig=str(plain.kubeconfig(tmp_path / "kubeconfig")), heard=told.append)
    api = Api(Client(access), request_timeout_s=TIMEOUT_S)
    api.get(SERVICES, {"limit": "1"})
    with pytest.raises(ApiError):
        api.get(f"{SERVICES}/none")
    plain.faults.arm(Drop())
    with pytest.raises(ApiError):
        api.get(SERVICES)
    assert {(one.scheme, one.host) for one in told} == {("http", plain.url.removeprefix("http://"))}
    assert [(one.method, one.path, one.status) for one in told] == [
        ("GET", "services", 200),
        ("GET", "none", 404),
        ("GET", "services", UNANSWERED),
    ]


def test_objects_are_written_with_their_content_type(plain: ApiServer, tmp_path: Path) -> None:
    api = api_of(plain, tmp_path)
    patch = b'{"metadata":{"labels":{"app":"web"}}}'
    api.send("PATCH", WEB, {"fieldManager": "extdns"}, patch, "application/merge-patch+json")
    stored = plain.get("Service", "shop", "web")
    assert stored is not None
    assert stored["metadata"]["labels"] == {"app": "web"}
    api.send("POST", "/api/v1/namespaces/shop/services", body=json.dumps(service("api")).encode())
    assert plain.get("Service", "shop", "api") is not None
    with pytest.raises(ConflictError):
        api.send("POST", "/api/v1/namespaces/shop/services", body=json.dumps(service("api")).encode())


def test_a_stream_gives_lines_as_they_come_and_ends_when_the_server_ends_it(server: ApiServer, tmp_path: Path) -> None:
    api = api_of(server, tmp_path)
    with api.stream(SERVICES, {"watch": "1", "resourceVersion": str(server.version)}) as stream:
        lines = iter(stream)
        server.put(service("api"))
        server.put(service("job"))
        names = [json.loads(next(lines))["object"]["metadata"]["name"] for _ in range(2)]
        server.end_watches()
        assert list(lines) == []
    assert names == ["api", "job"]


FAULTS = [
    pytest.param(Drop(), ApiError, "the connection was cut", id="dropped"),
    pytest.param(Stall(), ApiError, "no answer in time", id="silent"),
    pytest.param(Stall(0), ApiError, "no answer in time", id="silent-after-the-headers"),
    pytest.param(Cut(), ApiError, "the connection was cut", id="cut"),
    pytest.param(Slow(1, 0.05), ApiError, "the answer was not whole after 0.3 s", id="trickling"),
    pytest.param(Refuse(code=401), DeniedError, "401 Unauthorized: armed by a test", id="401"),
    pytest.param(Refuse(code=403), DeniedError, "403 Forbidden: armed by a test", id="403"),
    pytest.param(Refuse(code=404), NotFoundError, "404 Not Found: armed by a test", id="404"),
    pytest.param(Refuse(code=409), ConflictError, "409 Conflict: armed by a test", id="409"),
    pytest.param(Refuse(code=410), ExpiredError, "410 Gone: armed by a test", id="410"),
    pytest.param(Refuse(code=429, retry_after_s=3), ApiError, "429 Too Many Requests: armed by a test", id="429"),
    pytest.param(Refuse(code=500), ApiError, "500 Internal Server Error: armed by a test", id="500"),
]


@pytest.mark.parametrize(("fault", "error", "message"), FAULTS)
def test_whatever_goes_wrong_is_one_of_ours_and_names_the_request(
    plain: ApiServer, tmp_path: Path, fault: Fault, error: type[ApiError], message: str
) -> None:
    api = api_of(plain, tmp_path)
    plain.faults.arm(fault)
    with pytest.raises(ApiError) as raised:
        api.get(SERVICES)
    assert type(raised.value) is error
    assert str(raised.value).startswith(f"GET {SERVICES}: ")
    assert str(raised.value).endswith(message)
    assert raised.value.retry_after_s == (3 if raised.value.code == 429 else None)
    assert SECRET not in everything_about(raised.value)
    plain.faults.clear()
    assert api.get(SERVICES)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        pytest.param(Cut(1), "the connection was cut", id="cut-in-mid-line"),
        pytest.param(Stall(1), "no answer in time", id="half-open"),
        pytest.param(Drop(), "the connection was cut", id="dropped"),
        pytest.param(Refuse(code=500), "500 Internal Server Error: armed by a test", id="500"),
    ],
)
def test_a_stream_that_breaks_says_so(plain: ApiServer, tmp_path: Path, fault: Fault, message: str) -> None:
    plain.put(service("api"))
    plain.faults.arm(fault)
    with pytest.raises(ApiError) as raised, api_of(plain, tmp_path).stream(SERVICES, {"watch": "1"}) as stream:
        list(stream)
    assert str(raised.value).endswith(message)


def test_a_line_that_ends_with_the_stream_is_half_a_line(plain: ApiServer, tmp_path: Path) -> None:
    plain.faults.arm(Html())
    api = api_of(plain, tmp_path)
    with api.stream(SERVICES, {"watch": "1"}) as stream:
        assert b"Please sign in" in b"".join(stream)
    with (
        pytest.raises(ApiError, match="ended in the middle of a line"),
        api.stream(SERVICES, {}) as stream,
    ):
        list(stream)  # a list has no line end


def test_a_stream_may_be_allowed_more_silence_than_a_request(plain: ApiServer, tmp_path: Path) -> None:
    with api_of(plain, tmp_path).stream(SERVICES, {"watch": "1", "timeoutSeconds": "1"}) as stream:
        stream.allow_silence(PATIENCE_S)
        assert len(list(stream)) == 1  # it is the server who ends it, after three times the limit


def test_a_stream_stays_within_its_bounds(plain: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_LINE_BYTES", 1 << 20)
    monkeypatch.setattr(module, "_MAX_ANSWER_BYTES", 2 << 20)
    plain.put(service("large", annotations={"note": "x" * (3 << 20)}))
    api = api_of(plain, tmp_path)
    with (
        pytest.raises(ApiError, match="a line is larger than 1 MiB"),
        api.stream(SERVICES, {"watch": "1"}) as stream,
    ):
        list(stream)
    with pytest.raises(ApiError, match="the answer is larger than 2 MiB"):
        api.get(SERVICES)


@pytest.mark.parametrize(
    "fault", [pytest.param(None, id="nothing-more-comes"), pytest.param(Stall(), id="no-answer-comes")]
)
def test_closing_cuts_what_is_under_way_and_refuses_the_rest(
    server: ApiServer, tmp_path: Path, fault: Fault | None
) -> None:
    access = Access(kubeconfig=str(server.kubeconfig(tmp_path / "kubeconfig")), request_timeout_s=PATIENCE_S)
    api = Api(Client(access), request_timeout_s=PATIENCE_S)
    broken: list[ApiError] = []
    if fault is not None:
        server.faults.arm(fault, verb="watch")

    def watch() -> None:
        try:
            with api.stream(SERVICES, {"watch": "1"}) as stream:
                stream.allow_silence(PATIENCE_S)
                list(stream)
        except ApiError as exc:
            broken.append(exc)

    thread = Thread(target=watch)
    thread.start()
    server.log.wait_for("watch", "services")
    api.close()
    thread.join(PATIENCE_S / 2)
    assert not thread.is_alive()
    assert len(broken) == 1
    with pytest.raises(ApiError, match="extdns is ending"):
        api.get(SERVICES)


def test_a_server_that_is_not_there_is_told_by_its_address(plain: ApiServer, tmp_path: Path) -> None:
    api = api_of(plain, tmp_path)
    plain.kill()
    with pytest.raises(ApiError) as raised:
        api.get(SERVICES)
    assert str(raised.value) == f"GET {SERVICES}: {plain.url}: no connection: Connection refused"


def test_a_certificate_of_another_authority_is_refused(tmp_path: Path) -> None:
    with ApiServer(tls=True) as one, ApiServer(tls=True) as other:
        config = json.loads(one.kubeconfig(tmp_path / "kubeconfig").read_text())
        config["clusters"][0]["cluster"]["server"] = other.url
        (tmp_path / "kubeconfig").write_text(json.dumps(config))
        client = Client(Access(kubeconfig=str(tmp_path / "kubeconfig")))
        with pytest.raises(ApiError, match=r"TLS: .*certificate verify failed"):
            Api(client, request_timeout_s=1).get(SERVICES)
