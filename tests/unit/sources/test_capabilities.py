"""Which filters and annotations the sources `service` and `ingress` support (docs/spec/sources.md 2.6, 2.1)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from extdns.model.claim import Claim, ExcludedClaim
from extdns.model.selection import parse_annotation_selector, parse_label_selector
from extdns.sources.common.claim_builder import SourceSettings
from tests.unit.sources.cluster import compute_claims
from tests.unit.sources.expected_claims import reduce_claims, resolved
from tests.unit.sources.made import build_source, settings_with
from tests.unit.sources.samples import PREFIX, ingress, list_resolved_claims, load_balancer, ours

pytestmark = pytest.mark.usefixtures("cluster")

Claims = Callable[[SourceSettings, dict[str, str]], tuple[Claim, ...]]


def of_service(selection: SourceSettings, annotations: dict[str, str]) -> tuple[Claim, ...]:
    return compute_claims(build_source("service", selection), load_balancer(annotations, "192.0.2.1"))


def of_ingress(selection: SourceSettings, annotations: dict[str, str]) -> tuple[Claim, ...]:
    obj = ingress("192.0.2.1", rules=["r.t"], annotations=annotations)
    return compute_claims(build_source("ingress", selection), obj)


both = pytest.mark.parametrize(
    "claims", [pytest.param(of_service, id="2.6-service"), pytest.param(of_ingress, id="2.6-ingress")]
)


@pytest.mark.parametrize(
    ("selection", "annotations", "by"),
    [
        pytest.param(settings_with(namespace="other"), {}, "--namespace", id="NS"),
        pytest.param(
            settings_with(annotation_filter=parse_annotation_selector("team")), {}, "--annotation-filter", id="AF"
        ),
        pytest.param(settings_with(label_filter=parse_label_selector("app")), {}, "--label-filter", id="LF"),
        pytest.param(settings_with(), ours(controller="other"), f"annotation {PREFIX}controller", id="ctl"),
    ],
)
@both
def test_filter_flags_exclude_services_and_ingresses(
    claims: Claims, selection: SourceSettings, annotations: dict[str, str], by: str
) -> None:
    found = claims(selection, ours(hostname="h.t") | annotations)
    assert {claim.excluded_by if isinstance(claim, ExcludedClaim) else "" for claim in found} == {by}


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        pytest.param({}, resolved("h.t", "A", "192.0.2.1"), id="host"),
        pytest.param(ours(target="192.0.2.9"), resolved("h.t", "A", "192.0.2.9"), id="target"),
        pytest.param(ours(ttl="60"), resolved("h.t", "A", "192.0.2.1", ttl_s=60), id="ttl"),
    ],
)
@both
def test_annotations_of_services_and_ingresses_set_the_name_targets_and_ttl_of_their_records(
    claims: Claims, annotations: dict[str, str], expected: Claim
) -> None:
    assert expected in reduce_claims(claims(settings_with(), ours(hostname="h.t") | annotations))


@both
def test_property_and_set_identifier_annotations_apply_to_every_record_of_an_object(claims: Claims) -> None:
    found = list_resolved_claims(
        claims(settings_with(), ours(hostname="h.t,g.t", aws_weight="7", set_identifier="blue"))
    )
    assert {(dict(one.desired.properties)["aws/weight"], one.desired.set_identifier) for one in found} == {
        ("7", "blue")
    }


@both
def test_the_ignore_hostname_annotation_flag_makes_the_hostname_annotation_ineffective(claims: Claims) -> None:
    found = reduce_claims(claims(settings_with(ignore_hostname_annotation=True), ours(hostname="h.t")))
    assert resolved("h.t", "A", "192.0.2.1") not in found


# docs/spec/sources.md 2.1
def test_the_ingress_class_annotation_is_read_whatever_the_annotation_prefix_flag_says() -> None:
    selection = settings_with(prefixes=("acme.test/",))
    settings = settings_with(selection, ingress_class=("nginx",))
    obj = ingress("192.0.2.1", rules=["r.t"], annotations={"kubernetes.io/ingress.class": "nginx"})
    assert reduce_claims(compute_claims(build_source("ingress", settings), obj)) == [resolved("r.t", "A", "192.0.2.1")]
