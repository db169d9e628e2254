"""The node source (spec sources 6.1)."""

from __future__ import annotations

import pytest

from extdns.errors import ExtdnsError
from extdns.model.claim import Claim, Wanted
from extdns.model.objects import Node
from extdns.model.selector import parse_annotation_selector, parse_label_selector
from extdns.sources.annotations import BOTH
from extdns.sources.node import NodeSettings, NodeSource
from extdns.sources.selection import Selection
from extdns.sources.templates import Templates
from tests.fakes.view import FakeView
from tests.unit.sources.cluster import shown
from tests.unit.sources.made import templates, whole
from tests.unit.sources.samples import PREFIX, load_balancer, node, ours, said, wanted

pytestmark = pytest.mark.usefixtures("cluster")


def claims(obj: Node, settings: NodeSettings | None = None) -> tuple[Claim, ...]:
    return shown(NodeSource(settings=settings or NodeSettings()), obj)


EXPOSING = NodeSettings(expose_internal_ipv6=True)
EXTERNAL = ["203.0.113.1", "2001:db8::1"]
INTERNAL = ["10.0.0.1", "fd00::1"]


def test_6_1_a_node_is_published_by_its_name() -> None:
    found = wanted(claims(node("n1.acme.test", external=["203.0.113.1"], internal=INTERNAL)))
    assert said(found) == ["n1.acme.test A - [203.0.113.1]"]
    assert (found[0].endpoint.resource, found[0].provenance.field) == ("node/n1.acme.test", "metadata.name")
    assert found[0].provenance.source == "node"


@pytest.mark.parametrize(
    ("external", "internal", "settings", "expected"),
    [
        pytest.param(EXTERNAL, INTERNAL, None, "A 203.0.113.1 AAAA 2001:db8::1", id="6.1-external-of-both-families"),
        pytest.param(
            EXTERNAL[:1], INTERNAL, EXPOSING, "A 203.0.113.1 AAAA fd00::1", id="6.1-internal-ipv6-where-it-is-exposed"
        ),
        pytest.param([], INTERNAL, None, "A 10.0.0.1 AAAA fd00::1", id="6.1-else-internal-whatever-is-exposed"),
        pytest.param([], [], None, "object-failed", id="6.1-neither-is-an-error"),
    ],
)
def test_6_1_addresses(external: list[str], internal: list[str], settings: NodeSettings | None, expected: str) -> None:
    found = said(claims(node("n1", external=external, internal=internal), settings))
    assert " ".join(one.removeprefix("n1 ").replace("- [", "").rstrip("]") for one in found) == expected


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        pytest.param(ours(target="lb.t"), ["n1 CNAME - [lb.t]"], id="6.1-target"),
        pytest.param(ours(ttl="60"), ["n1 A 60 [203.0.113.1]"], id="6.1-ttl"),
        pytest.param(
            ours(hostname="h.t", aws_weight="1", set_identifier="x", alias="true"),
            ["n1 A - [203.0.113.1]"],
            id="6.1-hostname-and-properties-are-not-read",
        ),
        pytest.param(ours(controller="other"), [f"all by annotation {PREFIX}controller"], id="6.1-controller"),
        pytest.param(ours(ttl="soon"), ["n1 A - [203.0.113.1]"], id="2.2-ttl-that-is-none"),
    ],
)
def test_6_1_annotations(annotations: dict[str, str], expected: list[str]) -> None:
    found = claims(node("n1", external=["203.0.113.1"], annotations=annotations))
    assert said(found) == expected
    assert all(
        not claim.endpoint.properties and not claim.set_identifier for claim in found if isinstance(claim, Wanted)
    )


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        pytest.param(NodeSettings(), ["all by --exclude-unschedulable"], id="6.1-unschedulable"),
        pytest.param(NodeSettings(exclude_unschedulable=False), ["n1 A - [203.0.113.1]"], id="6.1-unschedulable-too"),
        pytest.param(
            NodeSettings(selection=Selection(label_filter=parse_label_selector("pool=edge"))),
            ["all by --label-filter"],
            id="6.1-label-filter",
        ),
        pytest.param(
            NodeSettings(selection=Selection(annotation_filter=parse_annotation_selector("pool"))),
            ["all by --annotation-filter"],
            id="6.1-annotation-filter",
        ),
        pytest.param(
            NodeSettings(exclude_unschedulable=False, selection=Selection(namespace="shop")),
            ["n1 A - [203.0.113.1]"],
            id="6.1-nodes-are-in-no-namespace",
        ),
    ],
)
def test_6_1_filters(settings: NodeSettings, expected: list[str]) -> None:
    assert said(claims(node("n1", external=["203.0.113.1"], unschedulable=True), settings)) == expected


def test_a_node_whose_name_is_too_long_for_dns_is_told() -> None:
    assert said(claims(node("x" * 64, external=["203.0.113.1"]))) == [f"invalid-name {'x' * 64}"]


def test_a_mistake_on_a_node_is_told() -> None:
    (found,) = wanted(claims(node("n1", external=["203.0.113.1"], annotations={f"{BOTH[0]}ttl": "soon"})))
    assert [notice.field for notice in found.notices] == [f"annotation {PREFIX}ttl"]


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        pytest.param(templates(["n.t"]), ["n.t object-failed"], id="name"),
        pytest.param(templates(pairs=["n.t:192.0.2.1"]), ["n.t A - [192.0.2.1]"], id="name-with-an-address-of-its-own"),
    ],
)
def test_a_node_without_address_fails_by_the_names_that_templates_give_it(made: Templates, expected: list[str]) -> None:
    source = NodeSource(settings=NodeSettings(selection=Selection(templates=made)))
    assert said(source.claims(whole(node("n1")), FakeView())) == expected


def test_6_1_a_node_without_address_fails_as_a_whole_where_templates_give_it_no_name() -> None:
    made = templates(['{{if eq .Name "n2"}}n.t{{end}}'])
    source = NodeSource(settings=NodeSettings(selection=Selection(templates=made)))
    assert source.claims(whole(node("n1", internal=INTERNAL)), FakeView()) == ()
    with pytest.raises(ExtdnsError, match="neither an ExternalIP nor an InternalIP"):
        source.claims(whole(node("n1")), FakeView())


def test_other_objects_are_a_defect() -> None:
    with pytest.raises(TypeError, match="Nodes only"):
        NodeSource(settings=NodeSettings()).claims(load_balancer(None), FakeView())
