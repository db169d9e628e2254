"""The post-processor (spec sources 8.6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from extdns.model import pairs
from extdns.model.finishing import finish
from extdns.model.name import DnsName
from extdns.model.pairs import Pairs
from extdns.model.record import Endpoint

PLAIN = Endpoint(name=DnsName("a.test"), type="CNAME", targets=("x.test",))


@pytest.mark.parametrize(
    ("ttl_s", "min_ttl_s", "expected"),
    [
        pytest.param(0, 300, 300, id="8.6-unset-takes-the-minimum"),
        pytest.param(60, 300, 60, id="8.6-a-smaller-ttl-is-not-raised"),
        pytest.param(0, 0, 0, id="8.6-no-minimum"),
    ],
)
def test_min_ttl_is_a_default(ttl_s: int, min_ttl_s: int, expected: int) -> None:
    done = finish(replace(PLAIN, ttl_s=ttl_s), min_ttl_s=min_ttl_s, provider="aws", prefer_alias=False)
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
        pytest.param("inmemory", {"alias"}, id="8.6-nobody's"),
        pytest.param("azure-dns", {"alias", "azure/tags"}, id="8.6-deviation-6-azure-dns"),
        pytest.param("azure-private-dns", {"alias", "azure/tags"}, id="8.6-deviation-6-azure-private-dns"),
        pytest.param("scaleway", {"alias", "scw/priority"}, id="8.6-deviation-6-scaleway"),
        pytest.param("skydns", {"alias", "coredns/group"}, id="8.6-deviation-6-skydns"),
        pytest.param("coredns", {"alias", "coredns/group"}, id="8.6-coredns"),
        pytest.param("cloudflare", ALL.keys() - {"record-type"}, id="8.6-cloudflare-keeps-all"),
    ],
)
def test_other_providers_properties_go_and_so_does_record_type(provider: str, expected: set[str]) -> None:
    done = finish(replace(PLAIN, properties=Pairs.of(ALL)), min_ttl_s=0, provider=provider, prefer_alias=False)
    assert {name for name, _ in done.properties} == expected


@pytest.mark.parametrize(
    ("endpoint", "expected"),
    [
        pytest.param(PLAIN, "true", id="8.6-cname"),
        pytest.param(replace(PLAIN, properties=Pairs.of({"alias": "false"})), "false", id="8.6-cname-that-says"),
        pytest.param(replace(PLAIN, type="A", targets=("192.0.2.1",)), "", id="8.6-other-type"),
    ],
)
def test_prefer_alias_turns_plain_cnames_into_aliases(endpoint: Endpoint, expected: str) -> None:
    assert finish(endpoint, min_ttl_s=0, provider="aws", prefer_alias=True).properties.get("alias") == expected


def test_what_needs_no_finishing_stays_the_same_object() -> None:
    done = replace(PLAIN, ttl_s=60, properties=Pairs.of({"aws/weight": "1"}))
    assert finish(done, min_ttl_s=300, provider="aws", prefer_alias=False) is done


@given(
    st.dictionaries(st.sampled_from(sorted(ALL)), st.text(max_size=3)).map(Pairs.of) | st.just(pairs.NONE),
    st.sampled_from(["A", "CNAME"]),
    st.integers(0, 100),
    st.sampled_from(["aws", "cloudflare", "skydns"]),
    st.booleans(),
)
def test_finishing_twice_changes_nothing_more(
    properties: Pairs, rtype: str, min_ttl_s: int, provider: str, prefer_alias: bool
) -> None:
    endpoint = replace(PLAIN, type=rtype, properties=properties)
    once = finish(endpoint, min_ttl_s=min_ttl_s, provider=provider, prefer_alias=prefer_alias)
    assert finish(once, min_ttl_s=min_ttl_s, provider=provider, prefer_alias=prefer_alias) is once
