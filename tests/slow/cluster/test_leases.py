"""Reading and writing a Lease."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

from extdns.errors import ConflictError
from extdns.kube.api import ApiClient
from extdns.kube.cluster_access import ClusterAccess
from extdns.kube.lease_store import LeaseStore
from tests.kubernetes.cluster import Cluster

NOW: Final = datetime(2026, 11, 20, 9, 14, 31, 250000, tzinfo=UTC)
NAMES: Final = map("extdns-{}".format, count())

MakeStore = Callable[[], LeaseStore]


@pytest.fixture
def name() -> str:
    return next(NAMES)


@pytest.fixture
def store(cluster: Cluster, name: str, tmp_path: Path) -> Iterator[MakeStore]:
    cluster.create_namespace("dns")
    made: list[LeaseStore] = []

    def make() -> LeaseStore:
        client = ApiClient(ClusterAccess(kubeconfig=str(cluster.kubeconfig(tmp_path / "kubeconfig"))))
        made.append(LeaseStore(client, "dns", name))
        return made[-1]

    yield make
    for one in made:
        one.close()


def spec(cluster: Cluster, name: str) -> dict[str, Any]:
    lease = cluster.get("Lease", "dns", name)
    assert lease is not None
    found: dict[str, Any] = lease["spec"]
    return found


def test_a_lease_is_created_renewed_given_up_and_acquired_by_another_holder(
    cluster: Cluster, store: MakeStore, name: str
) -> None:
    us, them = store(), store()
    assert us.read() is None
    made = us.write(holder="us", expected_version="", duration_s=29.5, now=NOW)
    assert (made.holder, made.duration_s) == ("us", 30.0)
    first = spec(cluster, name)
    renewed = us.write(holder="us", expected_version=made.version, duration_s=30.0, now=NOW.replace(second=41))
    assert first["acquireTime"] == spec(cluster, name)["acquireTime"] == "2026-11-20T09:14:31.250000Z"
    assert spec(cluster, name)["renewTime"] == "2026-11-20T09:14:41.250000Z"
    assert them.read() == renewed
    us.write(holder="", expected_version=renewed.version, duration_s=30.0, now=NOW)
    released = them.read()
    assert released is not None
    assert released.holder == ""
    them.write(holder="them", expected_version=released.version, duration_s=30.0, now=NOW)
    assert (spec(cluster, name)["holderIdentity"], spec(cluster, name)["leaseTransitions"]) == ("them", 2)


def test_writing_a_lease_that_another_holder_changed_raises_a_conflict(store: MakeStore) -> None:
    us, them = store(), store()
    made = us.write(holder="us", expected_version="", duration_s=30.0, now=NOW)
    with pytest.raises(ConflictError):
        them.write(holder="them", expected_version="", duration_s=30.0, now=NOW)
    assert them.read() == made
    us.write(holder="us", expected_version=made.version, duration_s=30.0, now=NOW.replace(second=33))
    with pytest.raises(ConflictError):
        them.write(holder="them", expected_version=made.version, duration_s=30.0, now=NOW)


def test_labels_and_unknown_fields_of_a_lease_are_kept(cluster: Cluster, store: MakeStore, name: str) -> None:
    cluster.put(
        {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": name, "namespace": "dns", "labels": {"app": "extdns"}},
            "spec": {"strategy": "OldestEmulationVersion"},
        }
    )
    us, before = store(), spec(cluster, name)  # the strategy is dropped, unless the API server elects leaders by it
    found = us.read()
    assert found is not None
    assert found[:2] == ("", 0.0)
    us.write(holder="us", expected_version=found.version, duration_s=30.0, now=NOW)
    lease = cluster.get("Lease", "dns", name)
    assert lease is not None
    assert lease["metadata"]["labels"] == {"app": "extdns"}
    assert lease["spec"].items() >= (before | {"holderIdentity": "us"}).items()
