"""The real clusters that the tests of a process share: one of each version, started when a test first needs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import cache

import pytest

from tests.kubernetes.cluster import NEWEST, OLDEST, Cluster


@pytest.fixture(scope="session")
def _clusters() -> Iterator[Callable[[str], Cluster]]:
    with ExitStack() as stack:
        yield cache(lambda minor: stack.enter_context(Cluster(minor)))


def _get(clusters: Callable[[str], Cluster], minor: str) -> Cluster:
    cluster = clusters(minor)
    if not cluster.is_running:  # a test failed after it had stopped the cluster
        cluster.start()
    for kind in ("Service", "Ingress", "DNSEndpoint"):  # of earlier tests, which the program would publish, too
        for metadata in (found["metadata"] for found in cluster.objects(kind)):
            if metadata["name"] != "kubernetes":
                with suppress(KeyError):  # its namespace is being deleted
                    cluster.delete(kind, metadata["namespace"], metadata["name"])
    return cluster


@pytest.fixture
def cluster(_clusters: Callable[[str], Cluster]) -> Cluster:
    """Return the cluster of the newest version, without Services, Ingresses and DNSEndpoints, to be left running."""
    return _get(_clusters, NEWEST)


@pytest.fixture(params=[OLDEST, NEWEST])
def any_version(request: pytest.FixtureRequest, _clusters: Callable[[str], Cluster]) -> Cluster:
    """Return the cluster of the oldest and of the newest supported version, as `cluster`."""
    return _get(_clusters, request.param)
