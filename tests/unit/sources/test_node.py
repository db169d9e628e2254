"""The node source (docs/spec/sources.md 6.1)."""

from __future__ import annotations

import pytest

from extdns.errors import ExtdnsError
from extdns.model.claim import Claim, ResolvedClaim
from extdns.resources.core import Node
from extdns.sources.common.claim_builder import SourceSettings, Templates
from tests.fakes.view import FakeView
from tests.unit.sources.cluster import compute_claims
from tests.unit.sources.expected_claims import excluded, reduce_claims
from tests.unit.sources.made import DEFAULTS, build_source, keep_all_fields, settings_with, templates
from tests.unit.sources.samples import PREFIX, node, ours

pytestmark = pytest.mark.usefixtures("cluster")


def claims(obj: Node, settings: SourceSettings = DEFAULTS) -> tuple[Claim, ...]:
    return compute_claims(build_source("node", settings), obj)


EXPOSING = settings_with(expose_internal_ipv6=True)
EXTERNAL = ["203.0.113.1", "2001:db8::1"]
INTERNAL = ["10.0.0.1", "fd00::1"]


# docs/spec/sources.md 6.1
@pytest.mark.parametrize(
    ("external", "internal", "settings", "expected"),
    [
        pytest.param(
            EXTERNAL,
            INTERNAL,
            DEFAULTS,
            ["n1 A 203.0.113.1", "n1 AAAA 2001:db8::1"],
            id="6.1-external-of-both-families",
        ),
        pytest.param(
            EXTERNAL[:1],
            INTERNAL,
            EXPOSING,
            ["n1 A 203.0.113.1", "n1 AAAA fd00::1"],
            id="6.1-internal-ipv6-with-the-expose-flag",
        ),
        pytest.param(
            [],
            INTERNAL,
            DEFAULTS,
            ["n1 A 10.0.0.1", "n1 AAAA fd00::1"],
            id="6.1-internal-addresses-without-external-ones",
        ),
        pytest.param([], [], DEFAULTS, ["n1: object-failed"], id="6.1-no-address-is-an-error"),
    ],
)
def test_a_node_is_published_with_its_external_addresses_or_else_with_its_internal_ones(
    external: list[str], internal: list[str], settings: SourceSettings, expected: list[str]
) -> None:
    assert reduce_claims(claims(node("n1", external=external, internal=internal), settings)) == expected


# docs/spec/sources.md 6.1
@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        pytest.param(ours(target="lb.t"), ["n1 CNAME lb.t"], id="6.1-target"),
        pytest.param(ours(ttl="60"), ["n1 60 A 203.0.113.1"], id="6.1-ttl"),
        pytest.param(
            ours(hostname="h.t", aws_weight="1", set_identifier="x", alias="true"),
            ["n1 A 203.0.113.1"],
            id="6.1-hostname-and-properties-are-not-read",
        ),
        pytest.param(ours(controller="other"), [excluded(f"annotation {PREFIX}controller")], id="6.1-controller"),
        pytest.param(ours(ttl="soon"), ["n1 A 203.0.113.1"], id="2.2-invalid-ttl"),
    ],
)
def test_of_the_annotations_of_a_node_only_target_ttl_and_controller_are_read(
    annotations: dict[str, str], expected: list[str]
) -> None:
    found = claims(node("n1", external=["203.0.113.1"], annotations=annotations))
    assert reduce_claims(found) == expected
    assert all(
        not claim.desired.properties and not claim.set_identifier for claim in found if isinstance(claim, ResolvedClaim)
    )


# docs/spec/sources.md 6.1
@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        pytest.param(settings_with(), ["excluded by --exclude-unschedulable"], id="6.1-unschedulable"),
        pytest.param(settings_with(exclude_unschedulable=False), ["n1 A 203.0.113.1"], id="6.1-unschedulable-too"),
        pytest.param(
            settings_with(exclude_unschedulable=False, namespace="shop"),
            ["n1 A 203.0.113.1"],
            id="6.1-nodes-are-in-no-namespace",
        ),
    ],
)
def test_filter_flags_exclude_nodes_and_unschedulable_nodes(settings: SourceSettings, expected: list[str]) -> None:
    assert reduce_claims(claims(node("n1", external=["203.0.113.1"], unschedulable=True), settings)) == expected


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        pytest.param(templates(["n.t"]), ["n.t: object-failed"], id="name"),
        pytest.param(templates(pairs=["n.t:192.0.2.1"]), ["n.t A 192.0.2.1"], id="name-with-an-address-of-its-own"),
    ],
)
def test_template_hosts_of_a_node_without_address_are_unresolved_unless_the_template_gives_addresses(
    made: Templates, expected: list[str]
) -> None:
    source = build_source("node", settings_with(templates=made))
    assert reduce_claims(source.find_claims(keep_all_fields(node("n1")), FakeView())) == expected


# docs/spec/sources.md 6.1
def test_a_node_without_address_is_an_error_if_its_template_gives_no_hosts() -> None:
    made = templates(['{{if eq .Name "n2"}}n.t{{end}}'])
    source = build_source("node", settings_with(templates=made))
    assert source.find_claims(keep_all_fields(node("n1", internal=INTERNAL)), FakeView()) == ()
    with pytest.raises(ExtdnsError, match="neither an ExternalIP nor an InternalIP"):
        source.find_claims(keep_all_fields(node("n1")), FakeView())
