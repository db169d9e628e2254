"""Invalid objects and answers of the API server, in the whole program: they are reported, and all else is published."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.fakes.apiserver.faults import Refuse
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.apiserver.watches import Order
from tests.objects import service
from tests.program.installation import Installation

DONE: Final = 0
FAILED: Final = 1
GOOD: Final = "good.example.org A 192.0.2.1"
MANY: Final = [f"n{number:03}.example.org" for number in range(500)]


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    """Run a fake API server with a Service and an Ingress whose names are published."""
    with ApiServer() as server:
        installation = Installation(tmp_path, server, example_org="")
        installation.apply(service("good", "good.example.org"), ingress("web.example.org"))
        assert installation.run_once() == DONE
        yield installation


WEB: Final = "web.example.org A 192.0.2.2"


def ingress(host: str, address: str = "192.0.2.2") -> dict[str, Any]:
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"rules": [{"host": host}]},
        "status": {"loadBalancer": {"ingress": [{"ip": address}]}},
    }


def large() -> dict[str, Any]:
    """Return a Service larger than any API server stores."""
    obj: dict[str, Any] = service("odd", "odd.example.org")
    obj["metadata"]["annotations"]["example.org/note"] = "x" * (9 << 20)
    return obj


def without_status() -> dict[str, Any]:
    obj = service("odd", "odd.example.org")
    del obj["status"]
    return obj


OBJECTS: Final = [
    pytest.param(large, ["Service shop/odd", "the object is 9 MiB large; allowed: 8 MiB"], FAILED, [], id="too-large"),
    pytest.param(
        lambda: service("odd", "odd.example.org", type=60),
        ["Service shop/odd", "spec.type is the number 60; allowed: a string"],
        FAILED,
        [],
        id="wrong-type",
    ),
    pytest.param(without_status, ["odd.example.org", "no-address"], DONE, [], id="without-status"),
    pytest.param(
        lambda: service("odd", ",".join(MANY)),
        ["Omitted log lines about single names or objects", "desired-change"],
        DONE,
        [f"{name} A 192.0.2.1" for name in MANY],
        id="500-hostnames",
    ),
]


@pytest.mark.parametrize(("make", "says", "code", "more"), OBJECTS)
def test_a_single_run_reports_an_object_with_invalid_content_and_publishes_the_others(
    installation: Installation,
    make: Callable[[], dict[str, Any]],
    says: list[str],
    code: int,
    more: list[str],
) -> None:
    installation.apply(make(), service("new", "new.example.org"))
    with installation.start(once=True) as running:
        running.until(*says)
        assert running.end() == code
    assert installation.zones.published() == sorted([GOOD, WEB, "new.example.org A 192.0.2.1", *more])
    assert len([line for line in running.lines if "level=error" in line]) == code


@pytest.mark.parametrize(("make", "says", "code", "more"), OBJECTS)
def test_an_object_whose_content_becomes_invalid_keeps_its_records_and_the_others_are_published(
    installation: Installation,
    make: Callable[[], dict[str, Any]],
    says: list[str],
    code: int,
    more: list[str],
) -> None:
    installation.apply(service("odd", "odd.example.org"))
    with installation.start() as running:
        running.until("successfully updated")
        installation.apply(make())
        running.until(*says)
        installation.apply(service("new", "new.example.org"))
        running.until("Desired change: CREATE new.example.org A")
        running.until("successfully updated")
        assert running.kinds() == {"services": "synced", "ingresses.networking.k8s.io": "synced"}
    odd = "odd.example.org A 192.0.2.1"
    assert installation.zones.published() == sorted([GOOD, WEB, odd, "new.example.org A 192.0.2.1", *more])
    assert code or not [line for line in running.lines if "level=error" in line]


def test_a_failing_list_deletes_no_record_and_other_kinds_are_published(
    installation: Installation,
) -> None:
    installation.apply(ingress("other.example.org"), service("new", "new.example.org"))
    installation.server.faults.arm(Refuse(code=500), resource="services", times=None)
    with installation.start(once=True) as running:
        running.until_engine_knows(Service="failing")
        running.pass_time(31.0)
        assert running.end() == FAILED
        assert running.kinds() == {"services": "failing", "ingresses.networking.k8s.io": "synced"}
    assert installation.zones.published() == [
        GOOD,
        "other.example.org A 192.0.2.2",
        WEB,
    ]  # a Service might request web.example.org as well, so it is not updated


def test_a_list_that_starts_to_fail_deletes_no_record_and_recovers(installation: Installation) -> None:
    with installation.start("--delete-grace-period=1s") as running:
        running.until("All records are already up to date")
        installation.server.faults.arm(Refuse(code=500), resource="services", times=None)
        installation.server.expire()
        installation.server.end_watches(Order.EXPIRE, "Service")
        running.until("kind=Service", "phase=failing")
        installation.apply(service("new", "new.example.org"), ingress("web.example.org", "192.0.2.9"))
        running.until("Desired change: UPSERT web.example.org A")
        running.until("successfully updated")
        running.pass_time(120.0)
        installation.server.faults.clear()
        running.until("kind=Service", "phase=synced")
        published = [GOOD, "new.example.org A 192.0.2.1", "web.example.org A 192.0.2.9"]
        installation.until(lambda: installation.zones.published() == published)
    assert "DELETE" not in str(running.lines)
