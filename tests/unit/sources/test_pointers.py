"""PTR records (spec sources 8.5)."""

from __future__ import annotations

import pytest

from extdns.model.claim import Derivation, Notice, Provenance, Wanted
from extdns.model.cluster import ObjectKey, ObjectRef
from extdns.model.name import DnsName
from extdns.model.objects import SERVICE
from extdns.model.pairs import NONE, Pairs
from extdns.model.reason import Reason
from extdns.model.record import Endpoint
from extdns.sources.pointers import Pointers
from tests.unit.sources.samples import said

V6 = "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"


def want(rtype: str, *targets: str, name: str = "a.t", **properties: str) -> Wanted:
    endpoint = Endpoint(
        name=DnsName(name),
        type=rtype,
        targets=targets,
        ttl_s=300,
        set_identifier="v1",
        labels=Pairs.of({"resource": "service/shop/web"}),
        properties=Pairs.of({key.replace("_", "-"): value for key, value in properties.items()}),
    )
    ref = ObjectRef(key=ObjectKey(SERVICE, "shop", "web"))
    return Wanted(endpoint=endpoint, provenance=Provenance(source="service", ref=ref, field="f"))


@pytest.mark.parametrize(
    ("enabled", "wanted", "pointers"),
    [
        pytest.param(
            True,
            want("A", "192.0.2.7", "192.0.2.8"),
            ["7.2.0.192.in-addr.arpa PTR 300 [a.t]", "8.2.0.192.in-addr.arpa PTR 300 [a.t]"],
            id="8.5-one-an-address",
        ),
        pytest.param(True, want("AAAA", "2001:db8::1"), [f"{V6} PTR 300 [a.t]"], id="8.5-nibbles"),
        pytest.param(
            True, want("AAAA", "::ffff:192.0.2.7"), ["7.2.0.192.in-addr.arpa PTR 300 [a.t]"], id="8.5-mapped-is-ipv4"
        ),
        pytest.param(True, want("CNAME", "lb.t"), [], id="8.5-addresses-only"),
        pytest.param(True, want("A", "192.0.2.7", name="*.a.t"), [], id="8.5-no-wildcards"),
        pytest.param(True, want("A", "lb.t", alias="true"), [], id="8.5-hosts-are-skipped"),
        pytest.param(False, want("A", "192.0.2.7"), [], id="8.5-off"),
        pytest.param(
            False,
            want("A", "192.0.2.7", record_type="PTR"),
            ["7.2.0.192.in-addr.arpa PTR 300 [a.t]"],
            id="8.5-the-property-enables",
        ),
        pytest.param(True, want("A", "192.0.2.7", record_type="none"), [], id="8.5-any-other-disables"),
        pytest.param(True, want("A", "192.0.2.7", record_type=""), [], id="8.5-empty-disables"),
    ],
)
def test_pointers_stand_beside_their_addresses(wanted: Wanted, pointers: list[str], *, enabled: bool) -> None:
    first, *others = Pointers(enabled=enabled)(wanted)
    assert first is wanted
    assert said(others) == pointers
    for other in others:
        assert other.provenance.derived is Derivation.POINTER
        endpoint = other.endpoint
        assert (endpoint.labels, endpoint.properties, endpoint.set_identifier) == (NONE, NONE, "")


@pytest.mark.parametrize(
    "wanted",
    [
        pytest.param(want("CNAME", "lb.t", record_type="ptr"), id="8.5-no-address"),
        pytest.param(want("A", "192.0.2.7", name="*.a.t", record_type="ptr"), id="8.5-wildcard"),
    ],
)
def test_what_cannot_have_the_pointer_it_asks_for_says_so(wanted: Wanted) -> None:
    (noticed,) = Pointers(enabled=True)(wanted)
    assert noticed.endpoint == wanted.endpoint
    assert noticed.notices == (
        Notice(
            reason=Reason.INVALID_ANNOTATION,
            field="annotation record-type",
            value="ptr",
            allowed="nothing: only A and AAAA records without wildcard get a PTR",
        ),
    )
