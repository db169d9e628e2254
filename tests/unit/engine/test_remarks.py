"""What is published, but does not do what its object seems to state, is said on the object."""

from __future__ import annotations

import pytest

from extdns.documents.text import list_problems
from extdns.flags.specs import PROVIDER_SPECS
from extdns.model.reason import Reason
from extdns.model.record import is_honoured
from tests.builders import owned
from tests.cluster_world import ClusterWorld, start_cluster
from tests.objects import service


def list_remarks(world: ClusterWorld) -> list[tuple[str, str, str]]:
    return [(one.reason, one.field, one.value) for one in list_problems(world.engine.claims.objects())]


@pytest.mark.parametrize("has_record", [True, False])
def test_a_name_with_an_underscore_stays_managed_if_it_is_ours_and_is_remarked_on(has_record: bool) -> None:
    records = owned("a_b", resource="service/shop/web") if has_record else ()
    world = start_cluster(service("web", "a_b.example.org", address="192.0.2.9"), records=records)
    assert world.published() == ({"a_b"} if has_record else set())
    assert [reason for reason, _, _ in list_remarks(world)] == [Reason.NOT_A_HOST_NAME]


@pytest.mark.parametrize(
    ("provider", "key", "is_known"),
    [
        ("aws", "aws/weight", True),
        ("aws", "aws/wieght", False),
        ("aws", "alias", True),
        ("google", "google/routing-policy", True),
        ("google", "aws/weight", False),
        ("rfc2136", "alias", False),
        ("octodns", "external-dns.kubernetes.io/cloudflare-proxied", False),
        ("octodns", "record-type", True),
        ("webhook", "webhook/x", True),
        ("webhook", "x", True),
        ("webhook", "external-dns.kubernetes.io/cloudflare-proxied", False),
    ],
)
def test_each_provider_says_which_properties_it_honours(provider: str, key: str, is_known: bool) -> None:
    assert is_honoured(key, PROVIDER_SPECS.load(provider).properties) is is_known


def test_a_property_that_the_provider_does_not_have_is_remarked_on() -> None:
    world = start_cluster(service("web", address="192.0.2.1", annotations={"aws-weight": "7", "alias": "true"}))
    assert world.published() == {"web"}
    assert list_remarks(world) == [(Reason.PROPERTY_IGNORED, "property aws/weight", "7")]


@pytest.mark.parametrize("target", ["api.shop.svc.cluster.local", "lb.example.net"])
def test_a_target_that_only_the_dns_of_a_cluster_answers_is_remarked_on(target: str) -> None:
    world = start_cluster(service("web", annotations={"target": target}))
    assert world.published() == {"web"}
    expected = [(Reason.CLUSTER_TARGET, target)] if "cluster" in target else []
    assert [(reason, value) for reason, _, value in list_remarks(world)] == expected
