"""What objects request, valid, nearly valid or hostile, is accepted by the DNS service, or has a reason.

Each text of a hostname, target or TTL comes in by each way: fields, annotations, status, templates, DNSEndpoints.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from extdns.model import rrtype
from extdns.model.change import Applied, Write
from extdns.model.record import DesiredRecord
from tests.conformance.provider import (
    Rig,
    build_azure_rig,
    build_clouddns_rig,
    build_cloudflare_rig,
    build_cloudmap_rig,
    build_route53_rig,
    build_zonefile_rig,
    create,
)
from tests.conformance.requested import WAYS, list_records, request_endpoint
from tests.strategies import hostnames, record_data, target_texts

SERVICES: Final[dict[str, Callable[[Path], Rig]]] = {
    "zonefile": build_zonefile_rig,
    "route53": build_route53_rig,
    "cloudmap": partial(build_cloudmap_rig, shows_descriptions=False),  # a name gets its records one by one
    "clouddns": build_clouddns_rig,
    "cloudflare": build_cloudflare_rig,
    "azure": build_azure_rig,
    "azure-private-dns": partial(build_azure_rig, private=True),
}
TTLS: Final = st.sampled_from(("", "60", "10m", "-1", "1d", "99999999999"))
numbers = count()


def submit(rig: Rig, desired: DesiredRecord) -> None:
    """Create *desired*, unless the provider refuses it with a reason."""
    adjusted = rig.reader.adjust((desired,), rig.zone)
    assert adjusted.accepted or all(refusal.detail for refusal in adjusted.refused)
    for record in adjusted.accepted:
        outcome = rig.submit(Write(old=None, new=record))
        assert isinstance(outcome, Applied), (record, outcome)


@pytest.fixture(scope="module", params=SERVICES)
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    """Return a rig whose foreign records must be the same at the end."""
    with TemporaryDirectory() as folder:
        rig = SERVICES[request.param](Path(folder))
        rig.edit(create("foreign.example.org", "A", "192.0.2.200"))
        before = rig.read()
        yield rig
        ours = re.compile(r".*n[0-9]+\.example\.org")
        assert set(before) == {record for record in rig.read() if not ours.fullmatch(record.name)}


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=10)
@example([("web.example.org", ",.example.net", "")])
@given(st.lists(st.tuples(hostnames(), target_texts(), TTLS), min_size=1, max_size=6))
def test_a_requested_address_or_name_is_accepted_by_the_dns_service_or_has_a_reason(
    rig: Rig, way: str, requests: list[tuple[str, str, str]]
) -> None:
    for host, target, ttl in requests:
        own = host.replace("example.org", f"n{next(numbers)}.example.org")
        claims = WAYS[way](own, target, ttl)
        # a list without items requests nothing, nor does a pair of a template without a name
        if claims or not (own.strip(" \t\n\0,").startswith(":") or not own.strip() or not target.strip(" ,")):
            for desired in list_records(claims):
                submit(rig, desired)


@pytest.mark.parametrize("rtype", rrtype.OWNABLE)
@settings(max_examples=20)
@given(data=st.data())
def test_a_record_of_a_dns_endpoint_is_accepted_by_the_dns_service_or_has_a_reason(
    rig: Rig, rtype: str, data: st.DataObject
) -> None:
    below = "2.0.192.in-addr.arpa" if rtype == rrtype.PTR else "example.org"
    for host, target in data.draw(st.lists(st.tuples(hostnames(below), record_data(rtype)), min_size=1, max_size=6)):
        own = host.replace("example.org", f"n{next(numbers)}.example.org")
        for desired in list_records(request_endpoint(own, rtype, target, ttl=60)):
            submit(rig, desired)
