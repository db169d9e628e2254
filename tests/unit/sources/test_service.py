"""The service source: selection, hosts, and the types that need no look-up (spec sources 3.1-3.4, 3.7)."""

from __future__ import annotations

import pytest

from extdns.model.claim import Claim, Withheld
from extdns.model.objects import SERVICE, Service, ServiceSpec, ref_of
from extdns.model.reason import Reason
from extdns.ports import Source
from extdns.sources.annotations import BOTH
from extdns.sources.selection import Selection
from extdns.sources.service.settings import ServiceSettings, service_types
from extdns.sources.service.source import ServiceSource
from tests.fakes.view import FakeView
from tests.unit.sources.cluster import shown
from tests.unit.sources.samples import OLD, PREFIX, ingress, load_balancer, ours, said, service, wanted

pytestmark = pytest.mark.usefixtures("cluster")

DEFAULTS = ServiceSettings()
PUBLISHING = ServiceSettings(publish_internal_services=True)
HIDDEN = "--publish-internal-services"
CLUSTER_IP = ServiceSpec(cluster_ip="10.3.0.9")
HOST = ours(hostname="h.t")
INTERNAL = ours(internal_hostname="i.t")


def claims(obj: Service, settings: ServiceSettings = DEFAULTS) -> tuple[Claim, ...]:
    """Claims that take no look-up: every kind is unlisted."""
    source: Source = ServiceSource(settings=settings)
    return shown(source, obj)


def test_3_4_worked_example() -> None:
    annotations = ours(hostname="web.acme.test., www.acme.test", ttl="2m")
    found = claims(load_balancer(annotations, "198.51.100.7", "lb7.cloud.test"))
    assert said(found) == [
        "web.acme.test A 120 [198.51.100.7]",
        "web.acme.test CNAME 120 [lb7.cloud.test]",
        "www.acme.test A 120 [198.51.100.7]",
        "www.acme.test CNAME 120 [lb7.cloud.test]",
    ]
    assert {claim.endpoint.resource for claim in wanted(found)} == {"service/shop/web"}
    assert {claim.provenance.field for claim in wanted(found)} == {f"annotation {PREFIX}hostname"}
    assert {claim.provenance.source for claim in wanted(found)} == {"service"}


def test_3_4_worked_example_of_an_internal_host() -> None:
    found = claims(load_balancer(ours(internal_hostname="web.int.acme.test"), "198.51.100.7"))
    assert said(found) == ["web.int.acme.test A - [10.3.0.9]"]
    assert wanted(found)[0].provenance.field == f"annotation {PREFIX}internal-hostname"


def spec(service_type: str, *, cluster_ip: str = "", external_ips: tuple[str, ...] = (), name: str = "") -> ServiceSpec:
    return ServiceSpec(type=service_type, cluster_ip=cluster_ip, external_ips=external_ips, external_name=name)


@pytest.mark.parametrize(
    ("annotations", "of", "settings", "expected"),
    [
        pytest.param(INTERNAL, spec("LoadBalancer", cluster_ip="None"), DEFAULTS, "i.t no-endpoints", id="3.3-lb-none"),
        pytest.param(INTERNAL, spec("LoadBalancer"), DEFAULTS, "i.t no-address", id="3.3-lb-without-cluster-ip"),
        pytest.param(HOST, CLUSTER_IP, DEFAULTS, f"h.t by {HIDDEN}", id="3.3-cluster-ip-hidden"),
        pytest.param(HOST, CLUSTER_IP, PUBLISHING, "h.t A - [10.3.0.9]", id="3.3-cluster-ip-published"),
        pytest.param(INTERNAL, CLUSTER_IP, DEFAULTS, "i.t A - [10.3.0.9]", id="3.3-cluster-ip-internal"),
        pytest.param(INTERNAL, spec("ClusterIP"), DEFAULTS, "i.t no-address", id="3.3-cluster-ip-unassigned"),
        pytest.param(
            HOST, spec("ClusterIP", cluster_ip="2001:db8::9"), PUBLISHING, "h.t AAAA - [2001:db8::9]", id="3.3-v6"
        ),
        pytest.param(
            HOST,
            spec("LoadBalancer", external_ips=("192.0.2.9", "2001:db8::9")),
            DEFAULTS,
            "h.t A - [192.0.2.9]; h.t AAAA - [2001:db8::9]",
            id="3.4-external-ips",
        ),
        pytest.param(HOST, spec("LoadBalancer", external_ips=("",)), DEFAULTS, "h.t invalid-target", id="3.4-empty-ip"),
        pytest.param(
            HOST, spec("ExternalName", name="db.t."), DEFAULTS, "h.t CNAME - [db.t]", id="3.7-external-name-with-dot"
        ),
        pytest.param(
            INTERNAL, spec("ExternalName", name="db.t"), DEFAULTS, "i.t CNAME - [db.t]", id="3.3-name-internal"
        ),
        pytest.param(HOST, spec("ExternalName", name="192.0.2.9"), DEFAULTS, "h.t A - [192.0.2.9]", id="3.7-address"),
        pytest.param(
            HOST,
            spec("ExternalName", name="db.t", external_ips=("192.0.2.9", "2001:db8::9")),
            DEFAULTS,
            "h.t A - [192.0.2.9]; h.t AAAA - [2001:db8::9]",
            id="3.7-external-ips-first",
        ),
        pytest.param(HOST, spec("ExternalName"), DEFAULTS, "h.t invalid-target", id="3.3-external-name-empty"),
        pytest.param(
            HOST, spec("ExternalName", name="a b"), DEFAULTS, "h.t invalid-target", id="external-name-no-name"
        ),
        pytest.param(HOST, spec("Odd"), DEFAULTS, "h.t invalid-object", id="unknown-type"),
    ],
)
def test_the_type_decides(
    annotations: dict[str, str], of: ServiceSpec, settings: ServiceSettings, expected: str
) -> None:
    assert "; ".join(said(claims(service(annotations, of), settings))) == expected


@pytest.mark.parametrize("of", [spec(kind, cluster_ip="None") for kind in ("LoadBalancer", "ClusterIP", "NodePort")])
@pytest.mark.parametrize("host", [HOST, INTERNAL], ids=["hostname", "internal-hostname"])
def test_3_3_a_target_annotation_replaces_everything(of: ServiceSpec, host: dict[str, str]) -> None:
    found = said(claims(service(host | ours(target="198.51.100.1, x.t.,2001:db8::9"), of)))
    assert [line.partition(" ")[2] for line in found] == [
        "A - [198.51.100.1]",
        "AAAA - [2001:db8::9]",
        "CNAME - [x.t]",
    ]


def test_a_load_balancer_without_address_withholds_each_name() -> None:
    found = claims(load_balancer(ours(hostname="a.t,b.t", set_identifier="blue")))
    assert said(found) == ["a.t no-address", "b.t no-address"]
    assert isinstance(found[0], Withheld)
    assert found[0].set_identifier == "blue"


def test_3_2_both_kinds_of_host_are_read() -> None:
    found = claims(load_balancer(ours(hostname="b.t,c.t", internal_hostname="a.t, c.t"), "192.0.2.1"))
    assert said(found) == ["a.t A - [10.3.0.9]", "b.t A - [192.0.2.1]", "c.t A - [10.3.0.9, 192.0.2.1]"]


def test_3_2_hosts_of_the_annotation_can_be_ignored() -> None:
    settings = ServiceSettings(selection=Selection(ignore_hostname_annotation=True))
    annotations = ours(hostname="a.t", internal_hostname="b.t", target="192.0.2.9")
    assert said(claims(load_balancer(annotations, "192.0.2.1"), settings)) == [
        "a.t by --ignore-hostname-annotation",
        "b.t by --ignore-hostname-annotation",
    ]


@pytest.mark.parametrize(
    ("given", "of", "expected"),
    [
        pytest.param([], "NodePort", "", id="3.1-empty-list"),
        pytest.param(["LoadBalancer", ""], "NodePort", "", id="3.1-empty-element-disables"),
        pytest.param(["LoadBalancer"], "LoadBalancer", "", id="3.1-listed"),
        pytest.param(["LoadBalancer"], "NodePort", "all by --service-type-filter", id="3.1-not-listed"),
        pytest.param(["NodePort"], "", "all by --service-type-filter", id="3.1-no-type-is-cluster-ip"),
        pytest.param(["ClusterIP"], "", "", id="3.1-cluster-ip-is-the-default"),
    ],
)
def test_types_can_be_filtered(given: list[str], of: str, expected: str) -> None:
    found = claims(service(None, ServiceSpec(type=of)), ServiceSettings(service_types=service_types(given)))
    assert "; ".join(said(found)) == expected


def test_an_object_left_out_makes_one_claim_however_many_hosts_it_has() -> None:
    settings = ServiceSettings(selection=Selection(namespace="other"))
    obj = load_balancer(ours(hostname="a.t,b.t,c..t", ttl="x"), "192.0.2.1")
    (claim,) = claims(obj, settings)
    assert said([claim]) == ["all by --namespace"]
    assert claim.ref == ref_of(SERVICE, obj)  # type: ignore[union-attr]


def test_a_service_that_asks_for_nothing_claims_nothing() -> None:
    assert claims(load_balancer(None, "192.0.2.1")) == ()
    assert claims(load_balancer({"other/hostname": "a.t"}, "192.0.2.1")) == ()
    assert claims(load_balancer(ours(ttl="60"), "192.0.2.1")) == ()


def test_one_wrong_host_costs_only_itself() -> None:
    found = claims(load_balancer(ours(hostname=f"a.t,,b..t,{'x' * 64}.t,c.t"), "192.0.2.1"))
    assert said(found) == [
        "a.t A - [192.0.2.1]",
        "c.t A - [192.0.2.1]",
        "invalid-name b..t",
        f"invalid-name {'x' * 64}.t",
    ]


def test_one_wrong_ttl_costs_only_itself() -> None:
    found = claims(load_balancer(ours(hostname="a.t", ttl="10 minutes"), "192.0.2.1"))
    assert said(found) == ["a.t A - [192.0.2.1]"]
    assert [(notice.reason, notice.value) for notice in wanted(found)[0].notices] == [
        (Reason.INVALID_TTL, "10 minutes")
    ]


def test_design_5_old_annotations_beside_new_ones_are_warned_about() -> None:
    obj = load_balancer({OLD + "hostname": "old.t", PREFIX + "ttl": "60"}, "192.0.2.1")
    assert said(claims(obj)) == ["invalid-annotation old.t"]
    assert said(claims(obj, ServiceSettings(selection=Selection(prefixes=(OLD,))))) == ["old.t A - [192.0.2.1]"]
    assert said(claims(load_balancer({OLD + "hostname": "old.t"}, "192.0.2.1"))) == ["old.t A - [192.0.2.1]"]
    assert DEFAULTS.selection.prefixes == BOTH


def test_plan_11_names_in_capitals_and_unicode_are_published() -> None:
    found = claims(load_balancer(ours(hostname="Web.ACME.test, bücher.t, xn--bcher-kva.t"), "192.0.2.1"))
    assert said(found) == ["web.acme.test A - [192.0.2.1]", "xn--bcher-kva.t A - [192.0.2.1]"]


def test_the_source_reads_services_only() -> None:
    source = ServiceSource(settings=DEFAULTS)
    assert (source.name, source.kind) == ("service", SERVICE)
    with pytest.raises(TypeError, match="Services only"):
        source.claims(ingress(), FakeView())
