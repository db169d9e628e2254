"""Default targets (spec sources 8.2)."""

from __future__ import annotations

from typing import Final

import pytest

from extdns.errors import UsageError
from extdns.model.claim import Provenance, Wanted
from extdns.model.cluster import ObjectKey, ObjectRef
from extdns.model.name import DnsName
from extdns.model.objects import SERVICE
from extdns.model.pairs import Pairs
from extdns.model.record import Endpoint
from extdns.sources.defaulttargets import DefaultTargets, grouped
from tests.unit.sources.samples import said

WHERE: Final = Provenance(source="crd", ref=ObjectRef(key=ObjectKey(SERVICE, "shop", "web")), field="spec.endpoints[0]")
GROUPS: Final = grouped(["203.0.113.50", "2001:DB8::50", "lb.t.", "203.0.113.7"])


def want(rtype: str, *targets: str) -> Wanted:
    endpoint = Endpoint(
        name=DnsName("a.t"),
        type=rtype,
        targets=targets,
        ttl_s=60,
        set_identifier="v1",
        labels=Pairs.of({"resource": "crd/shop/web"}),
        properties=Pairs.of({"aws/weight": "1"}),
    )
    return Wanted(endpoint=endpoint, provenance=WHERE)


@pytest.mark.parametrize(
    ("wanted", "force"),
    [
        pytest.param(want("A"), False, id="8.2-no-targets"),
        pytest.param(want("TXT"), False, id="8.2-no-targets-of-whatever-type"),
        pytest.param(want("SRV", "0 50 1 a.t."), True, id="8.2-forced-of-whatever-type"),
    ],
)
def test_default_targets_bring_their_types(wanted: Wanted, *, force: bool) -> None:
    claims = DefaultTargets(groups=GROUPS, force=force)(wanted)
    assert said(claims) == [
        "a.t A 60 [203.0.113.50, 203.0.113.7]",
        "a.t AAAA 60 [2001:db8::50]",
        "a.t CNAME 60 [lb.t]",
    ]
    for claim in claims:
        assert claim.provenance == WHERE
        assert claim.set_identifier == "v1"
        assert claim.endpoint.labels == wanted.endpoint.labels
        assert claim.endpoint.properties == wanted.endpoint.properties


def test_8_2_what_has_targets_stays() -> None:
    wanted = want("A", "192.0.2.1")
    assert DefaultTargets(groups=GROUPS)(wanted) == (wanted,)


@pytest.mark.parametrize("text", ["", "fe80::1%eth0", "a b.t", ".."])
def test_what_is_no_target_stops_the_start(text: str) -> None:
    with pytest.raises(UsageError) as error:
        grouped(["192.0.2.1", text])
    assert str(error.value) == (
        f"--default-targets={text} is no target\n  allowed: an IP address without zone, or a host name"
    )
