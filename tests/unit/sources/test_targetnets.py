"""The target net filter (spec sources 8.4)."""

from __future__ import annotations

import ipaddress

import pytest

from extdns.model.claim import Filtered, Provenance, Wanted
from extdns.model.cluster import ObjectKey, ObjectRef
from extdns.model.name import DnsName
from extdns.model.objects import SERVICE
from extdns.model.record import Endpoint
from extdns.sources.targetnets import TargetNets, networks

REF = ObjectRef(key=ObjectKey(SERVICE, "shop", "web"))


def want(rtype: str, *targets: str) -> Wanted:
    endpoint = Endpoint(name=DnsName("a.t"), type=rtype, targets=targets)
    return Wanted(endpoint=endpoint, provenance=Provenance(source="service", ref=REF, field="f"))


def nets(include: str = "", exclude: str = "") -> TargetNets:
    return TargetNets(include=networks(include.split())[0], exclude=networks(exclude.split())[0])


@pytest.mark.parametrize(
    ("stage", "wanted", "expected"),
    [
        pytest.param(nets(), want("A", "192.0.2.1"), ("192.0.2.1",), id="8.4-no-network-no-filter"),
        pytest.param(nets(), want("A"), (), id="8.4-no-network-drops-nothing"),
        pytest.param(
            nets("192.0.2.0/24"), want("A", "192.0.2.1", "198.51.100.1"), ("192.0.2.1",), id="8.4-inside-an-include"
        ),
        pytest.param(
            nets("192.0.2.0/24 198.51.100.0/24"), want("A", "198.51.100.1"), ("198.51.100.1",), id="8.4-any-include"
        ),
        pytest.param(
            nets("192.0.2.0/24", "192.0.2.128/25"),
            want("A", "192.0.2.1", "192.0.2.200"),
            ("192.0.2.1",),
            id="8.4-an-exclude-wins",
        ),
        pytest.param(nets("", "10.0.0.0/8"), want("CNAME", "lb.t"), ("lb.t",), id="8.4-hosts-pass-excludes"),
        pytest.param(
            nets("192.0.2.0/24"),
            want("AAAA", "::ffff:192.0.2.1"),
            ("::ffff:192.0.2.1",),
            id="8.4-mapped-is-ipv4",
        ),
        pytest.param(nets("::/0"), want("AAAA", "2001:db8::1"), ("2001:db8::1",), id="8.4-ipv6"),
        pytest.param(nets("192.0.2.77/24"), want("A", "192.0.2.1"), ("192.0.2.1",), id="8.4-bits-beyond-the-prefix"),
        pytest.param(nets("junk 192.0.2.1"), want("A", "10.0.0.1"), ("10.0.0.1",), id="8.4-nothing-valid-no-filter"),
    ],
)
def test_targets_that_pass_stay(stage: TargetNets, wanted: Wanted, expected: tuple[str, ...]) -> None:
    (kept,) = stage(wanted)
    assert isinstance(kept, Wanted)
    assert kept.endpoint.targets == expected
    assert (kept is wanted) is (expected == wanted.endpoint.targets)


@pytest.mark.parametrize(
    ("stage", "wanted", "by"),
    [
        pytest.param(nets("192.0.2.0/24"), want("A", "10.0.0.1"), "--target-net-filter", id="8.4-outside"),
        pytest.param(nets("192.0.2.0/24"), want("CNAME", "lb.t"), "--target-net-filter", id="8.4-hosts-meet-includes"),
        pytest.param(nets("0.0.0.0/0"), want("AAAA", "::1"), "--target-net-filter", id="8.4-other-family"),
        pytest.param(nets("", "10.0.0.0/8"), want("A", "10.0.0.1"), "--exclude-target-net", id="8.4-excluded"),
        pytest.param(nets("", "10.0.0.0/8"), want("A"), "--exclude-target-net", id="8.4-had-none"),
    ],
)
def test_without_targets_left_the_name_is_filtered(stage: TargetNets, wanted: Wanted, by: str) -> None:
    assert stage(wanted) == (Filtered(ref=REF, by=by, name=DnsName("a.t")),)


def test_what_is_no_network_is_handed_back_to_be_warned_about() -> None:
    texts = [" 192.0.2.0/24 ", "2001:db8::/32", "192.0.2.1", "x/8", "10.0.0.0/33", "10.0.0.0/255.0.0.0", "/8", ""]
    read, ignored = networks(texts)
    assert read == (ipaddress.ip_network("192.0.2.0/24"), ipaddress.ip_network("2001:db8::/32"))
    assert ignored == tuple(texts[2:])
