"""Minimum TTL, provider-specific properties and aliases of desired records (docs/spec/sources.md 8.6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord
from extdns.model.value import EMPTY_MAP, StringMap
from extdns.planner.proposal import finalize_desired

PLAIN = DesiredRecord(name=DnsName("a.test"), type="CNAME", targets=("x.test",))


@pytest.mark.parametrize(
    ("ttl_s", "min_ttl_s", "expected"),
    [
        pytest.param(0, 300, 300, id="8.6-unset-takes-the-minimum"),
        pytest.param(60, 300, 60, id="8.6-a-smaller-ttl-is-not-raised"),
        pytest.param(0, 0, 0, id="8.6-no-minimum"),
    ],
)
def test_the_value_of_min_ttl_is_the_ttl_of_records_without_one_and_raises_no_smaller_ttl(
    ttl_s: int, min_ttl_s: int, expected: int
) -> None:
    done = finalize_desired(replace(PLAIN, ttl_s=ttl_s), min_ttl_s=min_ttl_s, provider="aws", prefer_alias=False)
    assert done.ttl_s == expected


ALL = {
    "alias": "true",
    "aws/weight": "1",
    "azure/tags": "a=b",
    "coredns/group": "g",
    "external-dns.kubernetes.io/cloudflare-proxied": "true",
    "record-type": "ptr",
    "scw/priority": "1",
}


@pytest.mark.parametrize(
    ("provider", "expected"),
    [
        pytest.param("aws", {"alias", "aws/weight"}, id="8.6-own-properties"),
        pytest.param(" aws ", {"alias", "aws/weight"}, id="8.6-value-is-trimmed"),
        pytest.param("aws-sd", {"alias"}, id="8.6-whole-provider-name"),
        pytest.param("inmemory", {"alias"}, id="8.6-provider-without-properties"),
        pytest.param("azure-dns", {"alias", "azure/tags"}, id="8.6-deviation-6-azure-dns"),
        pytest.param("azure-private-dns", {"alias", "azure/tags"}, id="8.6-deviation-6-azure-private-dns"),
        pytest.param("scaleway", {"alias", "scw/priority"}, id="8.6-deviation-6-scaleway"),
        pytest.param("skydns", {"alias", "coredns/group"}, id="8.6-deviation-6-skydns"),
        pytest.param("coredns", {"alias", "coredns/group"}, id="8.6-coredns"),
        pytest.param("cloudflare", ALL.keys() - {"record-type"}, id="8.6-cloudflare-keeps-all"),
    ],
)
def test_properties_of_other_providers_and_the_property_record_type_are_removed(
    provider: str, expected: set[str]
) -> None:
    done = finalize_desired(
        replace(PLAIN, properties=StringMap.from_items(ALL)), min_ttl_s=0, provider=provider, prefer_alias=False
    )
    assert {name for name, _ in done.properties} == expected


@pytest.mark.parametrize(
    ("endpoint", "expected"),
    [
        pytest.param(PLAIN, "true", id="8.6-cname"),
        pytest.param(
            replace(PLAIN, properties=StringMap.from_items({"alias": "false"})),
            "false",
            id="8.6-cname-with-alias-false",
        ),
        pytest.param(replace(PLAIN, type="A", targets=("192.0.2.1",)), "", id="8.6-other-type"),
    ],
)
def test_with_prefer_alias_a_plain_cname_becomes_an_alias(endpoint: DesiredRecord, expected: str) -> None:
    assert (
        finalize_desired(endpoint, min_ttl_s=0, provider="aws", prefer_alias=True).properties.get("alias") == expected
    )


def test_finalizing_a_desired_record_that_needs_no_change_returns_the_same_object() -> None:
    done = replace(PLAIN, ttl_s=60, properties=StringMap.from_items({"aws/weight": "1"}))
    assert finalize_desired(done, min_ttl_s=300, provider="aws", prefer_alias=False) is done


@given(
    st.dictionaries(st.sampled_from(sorted(ALL)), st.text(max_size=3)).map(StringMap.from_items) | st.just(EMPTY_MAP),
    st.sampled_from(["A", "CNAME"]),
    st.integers(0, 100),
    st.sampled_from(["aws", "cloudflare", "skydns"]),
    st.booleans(),
)
def test_finalizing_a_desired_record_twice_gives_the_same_as_once(
    properties: StringMap, rtype: str, min_ttl_s: int, provider: str, prefer_alias: bool
) -> None:
    endpoint = replace(PLAIN, type=rtype, properties=properties)
    once = finalize_desired(endpoint, min_ttl_s=min_ttl_s, provider=provider, prefer_alias=prefer_alias)
    assert finalize_desired(once, min_ttl_s=min_ttl_s, provider=provider, prefer_alias=prefer_alias) is once
