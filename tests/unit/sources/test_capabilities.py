"""What the sources `service` and `ingress` take notice of, column by column (spec sources 2.6, 2.1)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from extdns.model.claim import Claim
from extdns.model.selector import parse_annotation_selector, parse_label_selector
from extdns.sources.ingress import IngressSettings, IngressSource
from extdns.sources.selection import Selection
from extdns.sources.service.settings import ServiceSettings
from extdns.sources.service.source import ServiceSource
from tests.unit.sources.cluster import shown
from tests.unit.sources.samples import PREFIX, ingress, load_balancer, ours, said, wanted

pytestmark = pytest.mark.usefixtures("cluster")

Claims = Callable[[Selection, dict[str, str]], tuple[Claim, ...]]


def of_service(selection: Selection, annotations: dict[str, str]) -> tuple[Claim, ...]:
    return shown(ServiceSource(settings=ServiceSettings(selection=selection)), load_balancer(annotations, "192.0.2.1"))


def of_ingress(selection: Selection, annotations: dict[str, str]) -> tuple[Claim, ...]:
    obj = ingress("192.0.2.1", rules=["r.t"], annotations=annotations)
    return shown(IngressSource(settings=IngressSettings(selection=selection)), obj)


both = pytest.mark.parametrize(
    "claims", [pytest.param(of_service, id="2.6-service"), pytest.param(of_ingress, id="2.6-ingress")]
)
A = "A - [192.0.2.1]"


@pytest.mark.parametrize(
    ("selection", "annotations", "by"),
    [
        pytest.param(Selection(namespace="other"), {}, "--namespace", id="NS"),
        pytest.param(
            Selection(annotation_filter=parse_annotation_selector("team")), {}, "--annotation-filter", id="AF"
        ),
        pytest.param(Selection(label_filter=parse_label_selector("app")), {}, "--label-filter", id="LF"),
        pytest.param(Selection(), ours(controller="other"), f"annotation {PREFIX}controller", id="ctl"),
    ],
)
@both
def test_filters_apply(claims: Claims, selection: Selection, annotations: dict[str, str], by: str) -> None:
    assert {ending.partition(" ")[2] for ending in said(claims(selection, ours(hostname="h.t") | annotations))} == {
        f"by {by}"
    }


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        pytest.param({}, f"h.t {A}", id="host"),
        pytest.param(ours(target="192.0.2.9"), "h.t A - [192.0.2.9]", id="target"),
        pytest.param(ours(ttl="60"), "h.t A 60 [192.0.2.1]", id="ttl"),
    ],
)
@both
def test_annotations_apply(claims: Claims, annotations: dict[str, str], expected: str) -> None:
    assert expected in said(claims(Selection(), ours(hostname="h.t") | annotations))


@both
def test_properties_and_the_set_identifier_go_to_every_endpoint(claims: Claims) -> None:
    found = wanted(claims(Selection(), ours(hostname="h.t,g.t", aws_weight="7", set_identifier="blue")))
    assert {(dict(one.endpoint.properties)["aws/weight"], one.endpoint.set_identifier) for one in found} == {
        ("7", "blue")
    }


@both
def test_the_hostname_annotation_can_be_ignored(claims: Claims) -> None:
    found = said(claims(Selection(ignore_hostname_annotation=True), ours(hostname="h.t")))
    assert not any(line.startswith("h.t A") for line in found)


def test_2_1_the_prefix_does_not_matter_to_the_class_annotation() -> None:
    selection = Selection(prefixes=("acme.test/",))
    settings = IngressSettings(selection=selection, ingress_class=("nginx",))
    obj = ingress("192.0.2.1", rules=["r.t"], annotations={"kubernetes.io/ingress.class": "nginx"})
    assert said(shown(IngressSource(settings=settings), obj)) == [f"r.t {A}"]
