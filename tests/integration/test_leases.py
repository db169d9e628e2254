"""The Lease over the wire: the stand-in for an API server, and the real API machinery."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

from extdns.errors import ApiError, ConflictError
from extdns.kube.api import Api
from extdns.kube.client import Access, Client
from extdns.kube.leases.place import LeasePlace
from tests.apimachinery.server import ApiMachinery
from tests.fakes.apiserver.faults import Html
from tests.fakes.apiserver.server import ApiServer

NOW: Final = datetime(2026, 11, 20, 9, 14, 31, 250000, tzinfo=UTC)
NAMES: Final = map("extdns-{}".format, count())

Server = ApiServer | ApiMachinery
MakePlace = Callable[[], LeasePlace]


@pytest.fixture(params=["stand-in", "real"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    if request.param == "real":
        yield request.getfixturevalue("api_machinery")
    else:
        with ApiServer() as fake:
            yield fake


@pytest.fixture
def name() -> str:
    return next(NAMES)


@pytest.fixture
def place(server: Server, name: str, tmp_path: Path) -> Iterator[MakePlace]:
    made: list[LeasePlace] = []

    def make() -> LeasePlace:
        client = Client(Access(kubeconfig=str(server.kubeconfig(tmp_path / "kubeconfig"))))
        made.append(LeasePlace(Api(client, request_timeout_s=10.0), "dns", name))
        return made[-1]

    yield make
    for one in made:
        one.close()


def spec(server: Server, name: str) -> dict[str, Any]:
    lease = server.get("Lease", "dns", name)
    assert lease is not None
    found: dict[str, Any] = lease["spec"]
    return found


def test_a_lease_is_made_renewed_given_up_and_taken(server: Server, place: MakePlace, name: str) -> None:
    us, them = place(), place()
    assert us.read() is None
    made = us.write(holder="us", over="", duration_s=29.5, now=NOW)
    assert (made.holder, made.duration_s) == ("us", 30.0)
    first = spec(server, name)
    renewed = us.write(holder="us", over=made.version, duration_s=30.0, now=NOW.replace(second=41))
    assert first["acquireTime"] == spec(server, name)["acquireTime"] == "2026-11-20T09:14:31.250000Z"
    assert spec(server, name)["renewTime"] == "2026-11-20T09:14:41.250000Z"
    assert them.read() == renewed
    us.write(holder="", over=renewed.version, duration_s=30.0, now=NOW)
    given_up = them.read()
    assert given_up is not None
    assert given_up.holder == ""
    them.write(holder="them", over=given_up.version, duration_s=30.0, now=NOW)
    assert (spec(server, name)["holderIdentity"], spec(server, name)["leaseTransitions"]) == ("them", 2)


def test_who_comes_too_late_is_told(place: MakePlace) -> None:
    us, them = place(), place()
    made = us.write(holder="us", over="", duration_s=30.0, now=NOW)
    with pytest.raises(ConflictError):
        them.write(holder="them", over="", duration_s=30.0, now=NOW)
    assert them.read() == made
    us.write(holder="us", over=made.version, duration_s=30.0, now=NOW.replace(second=33))
    with pytest.raises(ConflictError):
        them.write(holder="them", over=made.version, duration_s=30.0, now=NOW)


def test_what_others_keep_in_a_lease_stays(server: Server, place: MakePlace, name: str) -> None:
    server.put(
        {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": name, "namespace": "dns", "labels": {"app": "extdns"}},
            "spec": {"strategy": "OldestEmulationVersion"},
        }
    )
    us = place()
    found = us.read()
    assert found is not None
    assert found[:2] == ("", 0.0)
    us.write(holder="us", over=found.version, duration_s=30.0, now=NOW)
    lease = server.get("Lease", "dns", name)
    assert lease is not None
    assert lease["metadata"]["labels"] == {"app": "extdns"}
    assert (lease["spec"]["strategy"], lease["spec"]["holderIdentity"]) == ("OldestEmulationVersion", "us")


def test_an_answer_that_is_no_lease_is_an_error(tmp_path: Path) -> None:
    with ApiServer() as server:
        client = Client(Access(kubeconfig=str(server.kubeconfig(tmp_path / "kubeconfig"))))
        place = LeasePlace(Api(client, request_timeout_s=10.0), "dns", "extdns")
        server.faults.arm(Html(), resource="leases")
        with pytest.raises(ApiError, match="Lease dns/extdns: the answer is no Lease"):
            place.read()
        place.close()
