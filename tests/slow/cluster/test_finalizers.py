"""Finalizers of DNSEndpoints in a real cluster (`--finalizer-timeout`)."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from extdns.resources.externaldns import build_finalizer
from tests.fakes.route53.server import Route53
from tests.kubernetes.cluster import Cluster, Json
from tests.objects import dns_endpoint
from tests.slow.chaos.replicas import Replica
from tests.slow.chart.tools import Helm
from tests.slow.cluster.life import GRACE, MANY, ZONE, Life
from tests.slow.cluster.release import OWNER, Release

FINALIZER: Final = build_finalizer(OWNER)
NUMBERS: Final = count()


@pytest.fixture
def life(any_version: Cluster, helm: Helm, dns: Route53, tmp_path: Path) -> Iterator[Life]:
    values = {"sources": ["crd"], "extraArgs": {"finalizer-timeout": "15s"}}
    with Release(any_version, helm, tmp_path, values) as release:
        made = Life(release, dns, tmp_path)
        yield made
        made.process.end(signal.SIGKILL)


@pytest.fixture
def team() -> str:
    """Return the name of a namespace that no other test uses."""
    return f"team-{next(NUMBERS)}"


def begin(life: Life, team: str, names: int) -> None:
    """Publish DNSEndpoints, and wait until all have the finalizer."""
    life.begin(*(dns_endpoint(f"{team}-{number}", namespace=team) for number in range(names)))
    life.until(lambda: all(FINALIZER in one["metadata"].get("finalizers", ()) for one in list_objects(life, team)))


def list_objects(life: Life, team: str) -> list[Json]:
    return [one for one in life.cluster.objects("DNSEndpoint") if one["metadata"]["namespace"] == team]


def delete(life: Life, team: str, *names: str) -> None:
    life.cluster.kubectl("-n", team, "delete", "--wait=false", "dnsendpoint", *names)


def test_a_deleted_object_stays_until_its_record_is_gone(life: Life, team: str) -> None:
    begin(life, team, 3)
    delete(life, team, f"{team}-0")
    life.until(lambda: len(list_objects(life, team)) == 2)
    assert set(life.published()) == {f"{team}-1.{ZONE}", f"{team}-2.{ZONE}"}
    life.end()


def test_a_record_that_another_object_requests_does_not_hold_its_former_object(life: Life, team: str) -> None:
    begin(life, team, 1)
    life.cluster.put(dns_endpoint(f"{team}-0", namespace=f"{team}-b"))
    life.until_published()
    delete(life, team, f"{team}-0")
    life.until(lambda: not list_objects(life, team))
    assert set(life.published()) == {f"{team}-0.{ZONE}"}
    life.end()


def test_a_namespace_goes_after_the_limit_although_the_deletes_are_held(life: Life, team: str) -> None:
    begin(life, team, MANY)
    life.cluster.delete_namespace(team)
    life.until_logged("Deletes are held")
    life.until(lambda: life.cluster.get("Namespace", "", team) is None)
    life.until_logged("let go before its records are gone", f"{team}-0")
    assert len(life.published()) == MANY
    life.end()


def test_after_a_kill_the_next_process_deletes_the_record_and_releases_the_object(life: Life, team: str) -> None:
    begin(life, team, 3)
    life.process.send_signal(signal.SIGSTOP)
    delete(life, team, f"{team}-0")
    life.process.end(signal.SIGKILL)
    life.process.start()
    life.until(lambda: len(list_objects(life, team)) == 2)
    assert set(life.published()) == {f"{team}-1.{ZONE}", f"{team}-2.{ZONE}"}
    life.end()


def test_without_the_flag_finalizers_are_removed_again(life: Life, team: str, dns: Route53, tmp_path: Path) -> None:
    begin(life, team, 3)
    assert life.process.end(signal.SIGTERM) == 0
    flags = [one for one in life.release.flags(GRACE) if not one.startswith("--finalizer-timeout")]
    life.process = Replica("1", tmp_path, flags, life.release.environ(dns))
    life.process.start()
    life.until(lambda: not any(one["metadata"].get("finalizers") for one in list_objects(life, team)))
    life.end()
