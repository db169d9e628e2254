"""The whole program with `--provider=aws-sd`, in front of a fake of Cloud Map's API, and of that of moto."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from tests.cloudmap import environ
from tests.fakes.cloudmap.server import CloudMap
from tests.objects import service
from tests.program.installation import Installation


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[CloudMap]:
    with CloudMap() as found:
        for name, value in environ(found).items():
            monkeypatch.setenv(name, value)
        found.add_namespace("example.org")
        found.page = 100
        found.delay = 0
        yield found


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return Installation(tmp_path, sources=["service"], dns_flags=["--provider=aws-sd", "--aws-sd-create-tag=team=shop"])


def test_services_are_created_changed_and_emptied_and_a_second_pass_only_reads(
    fake: CloudMap, installation: Installation
) -> None:
    installation.replace_manifests(service("api", address="192.0.2.1"), service("web", address="192.0.2.2"))
    assert installation.run_once() == 0
    assert {one["Name"] for one in fake.services.values()} == {"api", "web"}
    assert all("external-dns/owner=" in one["Description"] for one in fake.services.values())
    assert list(fake.tags.values()) == [[{"Key": "team", "Value": "shop"}]] * 2
    fake.calls.clear()
    assert installation.run_once() == 0
    assert fake.actions == ["ListNamespaces", "ListServices", "ListInstances", "ListInstances"]
    installation.replace_manifests(service("api", address="192.0.2.3"))
    assert installation.run_once() == 0
    assert (fake.list_values("api"), fake.list_values("web")) == ([("AWS_INSTANCE_IPV4", "192.0.2.3")], [])


def test_with_cleanup_the_service_goes_with_its_last_instance(fake: CloudMap, installation: Installation) -> None:
    installation.replace_manifests(service("api"), service("web"))
    installation.run_once()
    installation.replace_manifests(service("api"))
    assert installation.run_once("--aws-sd-service-cleanup") == 0
    assert {one["Name"] for one in fake.services.values()} == {"api"}


def test_flags_and_values_that_are_only_for_route_53_have_no_effect(fake: CloudMap, installation: Installation) -> None:
    installation.replace_manifests(service("web"))
    assert installation.run_once("--aws-profile=missing", "--zone-id-filter=Z1", "--aws-api-retries=-1") == 0
    assert len(fake.services) == 1
    fake.calls.clear()
    installation.run_once("--aws-zone-match-parent", "--domain-filter=shop.example.org")
    assert fake.actions == ["ListNamespaces"]


def test_a_refused_name_does_not_count_as_an_answer_that_never_came(
    fake: CloudMap, installation: Installation, caplog: pytest.LogCaptureFixture
) -> None:
    fake.protected.add("bad.example.org")
    installation.replace_manifests(service("bad"), service("web"))
    assert installation.run_once() == 1
    assert [one["Name"] for one in fake.services.values()] == ["web"]
    assert "bad is protected" in str([record.__dict__["extdns_fields"] for record in caplog.records])
    assert not [text for text in caplog.messages if "did not answer" in text]


def test_moto_as_a_second_implementation_gets_the_same_service(
    moto: str, monkeypatch: pytest.MonkeyPatch, installation: Installation
) -> None:
    for name, value in environ(CloudMap()).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_ENDPOINT_URL_SERVICEDISCOVERY", moto)
    client: Any = boto3.client("servicediscovery", region_name="eu-central-1")
    client.create_public_dns_namespace(Name="example.org")
    installation.replace_manifests(service("web", address="192.0.2.2"))
    assert installation.run_once() == 0
    assert installation.run_once() == 0
    (made,) = client.list_services()["Services"]
    (instance,) = client.list_instances(ServiceId=made["Id"])["Instances"]
    assert (instance["Id"], instance["Attributes"]) == ("192.0.2.2", {"AWS_INSTANCE_IPV4": "192.0.2.2"})
