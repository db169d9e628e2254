"""Invalid objects and answers of the API server, in the whole program: they are reported, and all else is published."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.fakes.apiserver.faults import Refuse
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.apiserver.watches import Order
from tests.objects import Json, ingress, service
from tests.program.installation import Installation

DONE: Final = 0
FAILED: Final = 1
GOOD: Final = "good.example.org A 192.0.2.1"


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    """Run a fake API server with a Service and an Ingress whose names are published."""
    with ApiServer() as server:
        installation = Installation(tmp_path, server, example_org="")
        installation.apply(service("good", "good.example.org"), ingress("web", "web.example.org", address="192.0.2.2"))
        assert installation.run_once() == DONE
        yield installation


WEB: Final = "web.example.org A 192.0.2.2"


def large() -> Json:
    """Return a Service larger than any API server stores."""
    obj = service("odd", "odd.example.org")
    obj["metadata"]["annotations"]["example.org/note"] = "x" * (9 << 20)
    return obj


@pytest.mark.parametrize(
    ("make", "says"),
    [
        pytest.param(large, ["Service shop/odd", "the object is 9 MiB large; allowed: 8 MiB"], id="too-large"),
        pytest.param(
            lambda: service("odd", "odd.example.org", type=60),
            ["Service shop/odd", "spec.type is the number 60; allowed: a string"],
            id="wrong-type",
        ),
    ],
)
def test_an_object_whose_content_becomes_invalid_keeps_its_records_and_the_others_are_published(
    installation: Installation,
    make: Callable[[], Json],
    says: list[str],
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
    assert installation.zones.published() == [GOOD, "new.example.org A 192.0.2.1", odd, WEB]


def test_a_failing_list_deletes_no_record_and_other_kinds_are_published(
    installation: Installation,
) -> None:
    installation.apply(ingress("web", "other.example.org", address="192.0.2.2"), service("new", "new.example.org"))
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
        installation.apply(service("new", "new.example.org"), ingress("web", "web.example.org", address="192.0.2.9"))
        running.until("Desired change: UPSERT web.example.org A")
        running.until("successfully updated")
        running.pass_time(120.0)
        installation.server.faults.clear()
        running.until("kind=Service", "phase=synced")
        published = [GOOD, "new.example.org A 192.0.2.1", "web.example.org A 192.0.2.9"]
        installation.until(lambda: installation.zones.published() == published)
    assert "DELETE" not in str(running.lines)
