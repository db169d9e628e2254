"""Default targets (docs/spec/sources.md 8.2)."""

from __future__ import annotations

from typing import Final

import pytest

from extdns.errors import UsageError
from extdns.model.claim import Provenance, ResolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.kind import ObjectKey, ObjectRef
from extdns.model.record import DesiredRecord
from extdns.model.value import StringMap
from extdns.resources.core import SERVICE
from extdns.sources.claim_stages import DefaultTargetsStage, parse_default_targets
from tests.unit.sources.expected_claims import reduce_claims, resolved

WHERE: Final = Provenance(source="crd", ref=ObjectRef(key=ObjectKey(SERVICE, "shop", "web")), field="spec.endpoints[0]")
GROUPS: Final = parse_default_targets(["203.0.113.50", "2001:DB8::50", "lb.t.", "203.0.113.7"])


def want(rtype: str, *targets: str) -> ResolvedClaim:
    endpoint = DesiredRecord(
        name=DnsName("a.t"),
        type=rtype,
        targets=targets,
        ttl_s=60,
        set_identifier="v1",
        labels=StringMap.from_items({"resource": "crd/shop/web"}),
        properties=StringMap.from_items({"aws/weight": "1"}),
    )
    return ResolvedClaim(desired=endpoint, provenance=WHERE)


@pytest.mark.parametrize(
    ("claim", "force"),
    [
        pytest.param(want("A"), False, id="8.2-no-targets"),
        pytest.param(want("TXT"), False, id="8.2-without-targets-for-any-record-type"),
        pytest.param(want("SRV", "0 50 1 a.t."), True, id="8.2-forced-for-any-record-type"),
    ],
)
def test_default_targets_replace_a_claim_by_one_claim_for_each_of_their_record_types(
    claim: ResolvedClaim, *, force: bool
) -> None:
    claims = DefaultTargetsStage(groups=GROUPS, force=force)(claim)
    assert reduce_claims(claims) == [
        resolved("a.t", "A", "203.0.113.50", "203.0.113.7", ttl_s=60),
        resolved("a.t", "AAAA", "2001:db8::50", ttl_s=60),
        resolved("a.t", "CNAME", "lb.t", ttl_s=60),
    ]
    for result in claims:
        assert result.provenance == WHERE
        assert result.set_identifier == "v1"
        assert result.desired.labels == claim.desired.labels
        assert result.desired.properties == claim.desired.properties


# docs/spec/sources.md 8.2
def test_default_targets_do_not_change_records_that_have_targets() -> None:
    claim = want("A", "192.0.2.1")
    assert DefaultTargetsStage(groups=GROUPS)(claim) == (claim,)


@pytest.mark.parametrize("text", ["", "fe80::1%eth0", "a b.t", ".."])
def test_an_invalid_default_target_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_default_targets(["192.0.2.1", text])
    assert str(error.value) == (
        f"--default-targets={text} is not a target\n  allowed: an IP address without zone, or a host name"
    )
